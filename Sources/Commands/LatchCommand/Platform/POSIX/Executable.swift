// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The executable of this process, and the programs that are installed next to it.
package enum Executable {
    /// Returns the path of a program in the folder of the running one.
    ///
    /// - Throws: `CommandError.failed` if the program does not exist.
    package static func sibling(named name: String) throws(CommandError) -> String {
        let path = folder + "/" + name
        guard access(path, X_OK) == 0 else {
            throw .failed(
                "The program '\(name)' is missing from '\(folder)'.",
                hint: "Install it next to latch; in the repository, 'swift build --product \(name)' builds it.")
        }
        return path
    }

    /// The folder of the running program, with symbolic links resolved.
    private static var folder: String {
        guard let resolved = realpath(executablePath, nil) else { return "." }
        defer { free(resolved) }
        let path = String(cString: resolved)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// Replaces this process with another program (execve), which keeps the process's ID, streams and parent.
    ///
    /// Blocked signals stay blocked, so that none is lost before the program receives them.
    ///
    /// - Throws: `CommandError.failed` with the system's reason; it returns only in this case.
    package static func replaceProcess(
        with path: String, arguments: [String], variables: [String: String]
    ) throws(CommandError) -> Never {
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        execve(path, words, settings)
        throw .failed("'\(path)' cannot be started: \(String(cString: strerror(errno))).")
    }
}
