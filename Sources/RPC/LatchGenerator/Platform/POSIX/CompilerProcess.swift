// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchProcess

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension ChildProcess {
    /// The time that a compiler gets.
    package static let compilerDeadline = Duration.seconds(600)

    /// Runs a compiler to its end, or to its deadline.
    ///
    /// - Parameter grace: The time that it gets to end its own children after the deadline.
    /// - Returns: Its termination and its output, which its errors are part of; nil if it was still running at the deadline, and was
    ///   ended.
    /// - Throws: `FileError`, as `start` does.
    package static func runCompiler(
        _ program: String, _ arguments: [String], deadline: Duration = compilerDeadline, grace: Duration = .seconds(5)
    ) async throws(FileError) -> (ending: Termination, output: [UInt8])? {
        let process = try start(program, arguments, errors: .joined)
        let (results, continuation) = AsyncStream.makeStream(of: (Termination, [UInt8])?.self)
        // Not waited for after the deadline: children of the compiler can hold its output open.
        Task {
            let output = await process.rest()
            continuation.yield((await process.end(), output))
        }
        let timer = Self.after(deadline) { continuation.yield(nil) }
        defer { timer.cancel() }
        if case .some(.some(let (ending, output))) = await results.first(where: { _ in true }) {
            return (ending, output)
        }
        // swiftc ends its frontends by this signal only.
        process.send(SIGINT)
        let last = Self.after(grace) { process.kill() }
        defer { last.cancel() }
        await process.end()
        return nil
    }

    private static func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            // A cancelled timer does nothing.
            do { try await Task.sleep(for: time) } catch { return }
            body()
        }
    }
}
