// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import PortableFoundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A process that this one started, with nothing to read and with its standard output read from here.
///
/// Any number of tasks may start processes at once: none gets a file of another. Each is reaped once, as soon as it
/// has ended and whether or not anybody asks; signals go to its id only before that, so an id is never used after the
/// system may have given it to somebody else. A process that is let go runs on.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum Ending: Sendable, Hashable {
        /// With an exit code.
        case exited(Int32)
        /// By a signal.
        case killed(by: Int32)
    }

    /// Where the standard error of a process goes.
    package enum ErrorOutput: Sendable {
        /// Nowhere.
        case discarded
        /// To the end of a file, which is made where there is none.
        case file(String)
        /// Among the standard output.
        case joined
    }

    /// Its life, which the thread that waits for its end holds too.
    private let life: ChildLife
    /// Our end of the pipe, which has one reader.
    private let output: ChildOutput

    private init(id: pid_t, output: Int32) {
        life = ChildLife(id: id)
        self.output = ChildOutput(output)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path; no search is made.
    ///   - arguments: What follows the program's name, each as it is: no shell reads them.
    ///   - environment: The whole of the child's environment.
    ///   - folder: Its working directory; nil for this process's own.
    ///
    /// - Throws: `FileFailure` with the system's reason, where there is no such program or no process can be made.
    package static func start(
        _ program: String, _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment, in folder: String? = nil,
        errors: ErrorOutput = .discarded
    ) throws(FileFailure) -> ChildProcess {
        var ends: [Int32] = [-1, -1]
        guard SpawnTerms.pipe(&ends) == 0 else { throw FileFailure("pipe", program) }
        defer { close(ends[1]) }
        var id = pid_t()
        do throws(FileFailure) {
            var terms = try SpawnTerms(output: ends[1], errors: errors, folder: folder)
            let number = terms.start(&id, program, arguments, environment.map { "\($0.key)=\($0.value)" })
            guard number == 0 else { throw FileFailure("posix_spawn", program, number: number) }
        } catch {
            close(ends[0])
            throw error
        }
        return ChildProcess(id: id, output: ends[0])
    }

    /// Runs a program to its end.
    ///
    /// - Returns: How it ended, and what it wrote.
    ///
    /// - Throws: What `start` throws.
    package static func run(
        _ program: String, _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment, in folder: String? = nil,
        errors: ErrorOutput = .discarded
    ) async throws(FileFailure) -> (ending: Ending, output: [UInt8]) {
        let process = try start(program, arguments, environment: environment, in: folder, errors: errors)
        let output = await process.rest()
        return (await process.end(), output)
    }

    /// Good for messages; signals go through `send`, which knows whether it is still ours.
    package var id: Int32 { life.id }

    /// The next line of its output; nil at the end.
    ///
    /// What is left at the end without a line break counts as a line.
    package func line() async -> String? { await output.line() }

    /// All that it still writes, until nobody can write any more.
    package func rest() async -> [UInt8] { await output.rest() }

    /// Waits for its end.
    @discardableResult
    package func end() async -> Ending { await life.end() }

    /// How it ended; nil while it runs.
    package var ending: Ending? { life.ending }

    /// Sends a signal, unless the process has been reaped.
    package func send(_ signal: Int32) { life.send(signal) }

    /// Asks it to end.
    package func terminate() { send(SIGTERM) }

    /// Ends it without asking.
    package func kill() { send(SIGKILL) }

    /// Asks it to read its configuration again.
    package func hangUp() { send(SIGHUP) }
}
