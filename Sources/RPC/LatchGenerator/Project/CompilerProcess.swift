// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchProcess

extension ChildProcess {
    /// The time that a compiler gets.
    package static let compilerDeadline = Duration.seconds(600)

    /// Runs a compiler to its end, or to its deadline.
    ///
    /// - Returns: Its termination and its output, which its errors are part of; nil if it was still running at the deadline, and was
    ///   ended.
    /// - Throws: `FileError`, as `start` does.
    package static func runCompiler(
        _ program: String, _ arguments: [String], deadline: Duration = compilerDeadline
    ) async throws(FileError) -> (ending: Termination, output: [UInt8])? {
        let process = try start(program, arguments, errors: .joined)
        let (results, continuation) = AsyncStream.makeStream(of: (Termination, [UInt8])?.self)
        let work = Task {
            let output = await process.rest()
            continuation.yield((await process.end(), output))
        }
        let timer = Task {
            do { try await Task.sleep(for: deadline) } catch { return }
            continuation.yield(nil)
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        // The children of a compiler can hold its output open: it is not waited for.
        if case .some(.some(let (ending, output))) = await results.first(where: { _ in true }) {
            return (ending, output)
        }
        process.kill()
        return nil
    }
}
