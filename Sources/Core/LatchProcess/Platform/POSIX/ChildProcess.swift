// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import LatchCore
import LatchFoundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A child process with an empty standard input, whose standard output can be read.
///
/// Any number of tasks may start processes concurrently, since none inherits descriptors of another. A process is
/// reaped as soon as it has ended. Signals are sent only before that, so that they never reach another process with a
/// reused ID. A process outlives the last reference to it.
package final class ChildProcess: Sendable {
    /// The way in which a process ended.
    package enum Termination: Sendable, Hashable {
        /// An exit with a code.
        case exited(Int32)
        /// The signal that ended it.
        case killed(by: Int32)
    }

    /// The destination of a process's standard error.
    package enum ErrorOutput: Sendable {
        /// Discards it.
        case discarded
        /// Appends it to a file, which is created if it is missing.
        case file(String)
        /// Joins it with the standard output.
        case joined
    }

    /// The process's state, which the thread that waits for its end also keeps alive.
    private let state: ProcessState
    /// The reading end of its standard output.
    private let output: OutputPipe

    private init(id: pid_t, output: Int32) {
        state = ProcessState(id: id)
        self.output = OutputPipe(output)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The path of the program, which is not searched in PATH.
    ///   - arguments: The arguments, which no shell interprets.
    ///   - environment: The child's complete environment.
    ///   - folder: The working directory; nil for this process's.
    ///   - errors: The destination of its standard error.
    ///   - isDetached: Whether it runs independently, like a browser: without output, in a separate process group.
    ///
    /// - Throws: `FileError` if the program does not exist or no process can be created.
    package static func start(
        _ program: String, _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment, in folder: String? = nil,
        errors: ErrorOutput = .discarded, isDetached: Bool = false
    ) throws(FileError) -> ChildProcess {
        var ends: [Int32] = [-1, -1]
        guard SpawnConfiguration.pipe(&ends) == 0 else { throw FileError("pipe", program) }
        defer { close(ends[1]) }
        var id = pid_t()
        do throws(FileError) {
            var configuration = try SpawnConfiguration(
                output: ends[1], errors: errors, folder: folder, isDetached: isDetached)
            let number = configuration.start(&id, program, arguments, environment.map { "\($0.key)=\($0.value)" })
            guard number == 0 else { throw FileError("posix_spawn", program, number: number) }
        } catch {
            close(ends[0])
            throw error
        }
        return ChildProcess(id: id, output: ends[0])
    }

    /// Runs a program to its end.
    ///
    /// - Returns: Its termination and its output.
    /// - Throws: `FileError`, as `start` does.
    package static func run(
        _ program: String, _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment, in folder: String? = nil,
        errors: ErrorOutput = .discarded
    ) async throws(FileError) -> (ending: Termination, output: [UInt8]) {
        let process = try start(program, arguments, environment: environment, in: folder, errors: errors)
        let output = await process.rest()
        return (await process.end(), output)
    }

    /// The process id, for messages; use `send` for signals.
    package var id: Int32 { state.id }

    /// Reads the next line of its output; nil at the end.
    ///
    /// An unterminated last line counts.
    package func line() async -> String? { await output.line() }

    /// Reads the rest of its output, until no process can write more.
    package func rest() async -> [UInt8] { await output.rest() }

    /// Waits until it ends.
    @discardableResult
    package func end() async -> Termination { await state.end() }

    /// The termination; nil while it runs.
    package var ending: Termination? { state.ending }

    /// Sends a signal, unless the process has been reaped.
    package func send(_ signal: Int32) { state.send(signal) }

    /// Sends SIGTERM.
    package func terminate() { send(SIGTERM) }

    /// Sends SIGKILL.
    package func kill() { send(SIGKILL) }

    /// Sends SIGHUP, by which servers reload their configuration.
    package func hangUp() { send(SIGHUP) }
}

/// The state of a child process, from its start until it is reaped.
///
/// A thread outside of the cooperative pool waits for its end; this works on every system and leaves no zombies.
private final class ProcessState: Sendable {
    private enum State {
        case running([CheckedContinuation<ChildProcess.Termination, Never>])
        case ended(ChildProcess.Termination)
    }

    /// The process id.
    let id: pid_t
    /// The state, locked while a signal is sent and while the process is reaped, so that the ID is not reused in
    /// between.
    private let state = Mutex(State.running([]))

    /// Takes over a process that was just started.
    init(id: pid_t) {
        self.id = id
        DispatchQueue(label: "latch.child.life").async { self.waitAndReap() }
    }

    /// The termination; nil before it is reaped.
    var ending: ChildProcess.Termination? {
        state.withLock { if case .ended(let ending) = $0 { ending } else { nil } }
    }

    /// Waits until the process is reaped.
    func end() async -> ChildProcess.Termination {
        await withCheckedContinuation { waiter in
            let ending: ChildProcess.Termination? = state.withLock { state in
                switch state {
                case .ended(let ending): return ending
                case .running(let waiters):
                    state = .running(waiters + [waiter])
                    return nil
                }
            }
            if let ending { waiter.resume(returning: ending) }
        }
    }

    /// Sends a signal, unless the process has been reaped.
    func send(_ signal: Int32) {
        state.withLock { if case .running = $0 { kill(id, signal) } }
    }

    /// Blocks until the process has ended, and reaps it under the lock.
    private func waitAndReap() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (before, ending) = state.withLock { state -> (State, ChildProcess.Termination) in
            let (before, ending) = (state, reaped())
            state = .ended(ending)
            return (before, ending)
        }
        guard case .running(let waiters) = before else { return }
        for waiter in waiters { waiter.resume(returning: ending) }
    }

    private func reaped() -> ChildProcess.Termination {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        // POSIX <sys/wait.h>: the low seven bits are the signal, the next eight the exit status.
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(by: status & 0x7F)
    }
}

/// The reading end of a pipe, read in lines or as a whole.
///
/// It reads on demand and on a separate queue: the child waits for its reader, and no cooperative thread blocks.
private final class OutputPipe: @unchecked Sendable {
    /// The descriptor, closed with this object, which every read keeps alive.
    private let descriptor: Int32
    /// The serial queue that protects `buffer`: the reason for `@unchecked Sendable`.
    private let queue = DispatchQueue(label: "latch.child.output")
    /// The bytes that were read and not returned yet.
    private var buffer: [UInt8] = []

    /// Takes ownership of a descriptor.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Reads the next line, or the unterminated rest; nil at the end.
    func line() async -> String? {
        await onQueue { output in
            var searched = 0
            while true {
                if let end = output.buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    defer { output.buffer.removeFirst(end + 1) }
                    return String(decoding: output.buffer[..<end], as: UTF8.self)
                }
                searched = output.buffer.count
                guard output.readMore() else { break }
            }
            defer { output.buffer = [] }
            return output.buffer.isEmpty ? nil : String(decoding: output.buffer, as: UTF8.self)
        }
    }

    /// Reads to the end.
    func rest() async -> [UInt8] {
        await onQueue { output in
            while output.readMore() {}
            defer { output.buffer = [] }
            return output.buffer
        }
    }

    /// Blocks until there are more bytes; false at the end.
    private func readMore() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            buffer += bytes[..<count]
            return true
        }
    }

    private func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (OutputPipe) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body(self)) }
        }
    }
}
