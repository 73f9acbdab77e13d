// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import LatchCore
import LatchOAuth
import LatchProcess
package import PortableFoundation

/// The browser of the desktop.
package enum SystemBrowser {
    /// Opens a URL by the program that `BROWSER` names, or by `xdg-open`, and returns when that has ended.
    ///
    /// - Throws: `OAuthError.browserUnavailable`.
    @Sendable package static func open(_ url: URL) async throws {
        let environment = ProcessInfo.processInfo.environment
        let chosen = paths(environment["BROWSER"] ?? "").first
        // Without a desktop, xdg-open starts a browser in the terminal, under the program that waits.
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        guard chosen != nil || hasDisplay else { throw OAuthError.browserUnavailable("there is no desktop here") }
        guard let program = path(of: chosen ?? "xdg-open", environment) else {
            throw OAuthError.browserUnavailable("'\(chosen ?? "xdg-open")' is not installed")
        }
        let process: ChildProcess
        // The browser outlives this program, and needs none of its secrets.
        let own = environment.filter { !$0.key.utf8.starts(with: "LATCH_".utf8) }
        do {
            process = try ChildProcess.start(program, [url.absoluteString], environment: own, isDetached: true)
        } catch {
            throw OAuthError.browserUnavailable("\(error)")
        }
        // Nothing else reveals that there is no browser, or that it cannot reach the display.
        let ending = await process.end()
        guard ending == .exited(0) else { throw OAuthError.browserUnavailable("'\(program)' failed (\(ending))") }
    }

    /// Returns the parts of a list with colons.
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
