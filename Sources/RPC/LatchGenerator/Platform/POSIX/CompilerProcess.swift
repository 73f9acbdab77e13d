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
    /// The time limit of a compiler.
    package static let compilerDeadline = Duration.seconds(600)

    /// Runs a compiler until it ends, or until its deadline.
    ///
    /// - Parameter grace: How long the compiler may take after the deadline to end its child processes.
    /// - Returns: Its termination, and its output including errors; nil if it was ended because it was still running at
    ///   the deadline.
    /// - Throws: `FileError`, like `start`.
    package static func runCompiler(
        _ program: String, _ arguments: [String], deadline: Duration = compilerDeadline, grace: Duration = .seconds(5)
    ) async throws(FileError) -> (ending: Termination, output: [UInt8])? {
        let process = try start(program, arguments, errors: .joined)
        let (results, continuation) = AsyncStream.makeStream(of: (Termination, [UInt8])?.self)
        // After the deadline the output is not awaited, because child processes of the compiler can hold it open.
        Task {
            let output = await process.rest()
            continuation.yield((await process.end(), output))
        }
        let timer = Self.after(deadline) { continuation.yield(nil) }
        defer { timer.cancel() }
        if case .some(.some(let (ending, output))) = await results.first(where: { _ in true }) {
            return (ending, output)
        }
        // swiftc ends its frontends only after this signal.
        process.send(SIGINT)
        let last = Self.after(grace) { process.kill() }
        defer { last.cancel() }
        await process.end()
        return nil
    }

    private static func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            // A canceled timer does nothing.
            do { try await Task.sleep(for: time) } catch { return }
            body()
        }
    }
}
