// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import LatchCore
import LatchOAuth
import LatchProcess
package import LatchFoundation

/// The browser of the desktop.
package enum SystemBrowser {
    /// Opens a URL with the first working command of `BROWSER`, or with `xdg-open`, and returns when that has ended.
    ///
    /// `BROWSER` is a list separated by colons. A command can have arguments, and the URL replaces `%s`; without `%s`
    /// the URL is the last argument. `xdg-open` and Python read it the same way.
    ///
    /// - Throws: `OAuthError.browserUnavailable`.
    @Sendable package static func open(_ url: URL) async throws {
        let environment = ProcessInfo.processInfo.environment
        let chosen = paths(environment["BROWSER"] ?? "")
        // Without a desktop, xdg-open would start a browser in the terminal that the waiting program uses.
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        guard !chosen.isEmpty || hasDisplay else { throw OAuthError.browserUnavailable("there is no desktop here") }
        var failure = OAuthError.browserUnavailable
        for command in chosen.isEmpty ? ["xdg-open"] : chosen {
            do throws(OAuthError) { return try await open(url, by: command, environment) } catch { failure = error }
        }
        throw failure
    }

    private static func open(
        _ url: URL, by command: String, _ environment: [String: String]
    ) async throws(OAuthError) {
        var words = command.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        // The command is a path with spaces.
        if FileManager.default.isExecutableFile(atPath: command) { words = [command] }
        guard let name = words.first, let program = path(of: name, environment) else {
            throw .browserUnavailable("'\(command)' is not installed")
        }
        var arguments = words.dropFirst().map { word in
            guard let place = word.utf8.firstRange(of: "%s".utf8) else { return word }
            return word[..<place.lowerBound] + url.absoluteString + word[place.upperBound...]
        }
        if arguments.elementsEqual(words.dropFirst()) { arguments.append(url.absoluteString) }
        let process: ChildProcess
        // The browser outlives this program, and needs none of its secrets.
        let own = environment.filter { !$0.key.utf8.starts(with: "LATCH_".utf8) }
        do {
            process = try ChildProcess.start(program, arguments, environment: own, isDetached: true)
        } catch {
            throw .browserUnavailable("\(error)")
        }
        // Only its exit status reveals that no browser exists or that the display cannot be reached.
        let ending = await process.end()
        guard ending == .exited(0) else { throw .browserUnavailable("'\(program)' failed (\(ending))") }
    }

    /// Returns the parts of a list separated by colons.
    private static func paths(_ list: String) -> [String] {
        list.utf8.split(separator: UInt8(ascii: ":")).map { String(Substring($0)) }
    }

    private static func path(of program: String, _ environment: [String: String]) -> String? {
        if program.utf8.contains(UInt8(ascii: "/")) { return program }
        let folders = paths(environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
        return folders.lazy.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
#endif
