// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A process that this one started, whose standard output is read by lines.
///
/// It is reaped exactly once, and signals go to its id only while it has not been: an id is never used after the system
/// may have given it to somebody else.
final class ChildProcess: Sendable {
    /// How a process ended.
    enum Ending: Sendable, Hashable {
        case exited(Int32)
        case killed(by: Int32)
    }

    /// Good for messages; signals go through `send`, which knows whether it is still ours.
    let id: pid_t
    /// Our end of the pipe, closed with this object.
    private let output: Int32
    /// Nil until it has been reaped; held while a signal is sent, so that the id cannot become another process's
    /// meanwhile.
    private let ending = Lock<Ending?>(nil)
    /// Blocking calls run here, not on the threads of the tasks.
    private let queue = DispatchQueue(label: "latch.child")

    private init(id: pid_t, output: Int32) {
        self.id = id
        self.output = output
    }

    deinit { close(output) }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: The whole of the child's environment.
    ///   - errorFile: Takes the child's standard error.
    ///
    /// - Throws: `CommandError.failed` with the system's reason, where there is no such program or no process can be
    ///   made.
    static func start(
        _ program: String, _ arguments: [String], environment: [String: String], errorFile: String
    ) throws(CommandError) -> ChildProcess {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw failure("pipe", errno) }
        defer { close(ends[1]) }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        var id = pid_t()
        let code = spawn(
            &id, program, arguments, environment.map { "\($0.key)=\($0.value)" }, output: ends,
            errorFile: errorFile)
        guard code == 0 else {
            close(ends[0])
            throw failure("'\(program)'", code)
        }
        return ChildProcess(id: id, output: ends[0])
    }

    /// The next line of its output; nil at the end.
    ///
    /// It blocks the calling thread.
    ///
    /// One call at a time; what is left at the end without a line break counts as a line.
    func line() async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.readLine()) }
        }
    }

    /// Byte by byte, so that nothing of the next line is taken; a child that prints one line a second can be read so.
    private func readLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(output, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    /// Sends a signal, unless the process has been reaped.
    func send(_ signal: Int32) { ending.withLock { if $0 == nil { systemKill(id, signal) } } }

    /// Asks it to end.
    func terminate() { send(SIGTERM) }

    /// Ends it without asking.
    func kill() { send(SIGKILL) }

    /// Asks it to read its configuration again.
    func hangUp() { send(SIGHUP) }

    /// Waits for its end.
    ///
    /// It looks every millisecond, on this object's own queue, so that it waits for a `line()` that is being read.
    @discardableResult
    func end() async -> Ending {
        await withCheckedContinuation { continuation in
            queue.async {
                while true {
                    if let ending = self.reaped() { return continuation.resume(returning: ending) }
                    usleep(1000)
                }
            }
        }
    }

    /// How it ended; nil while it runs.
    func reaped() -> Ending? {
        ending.withLock { ending in
            if let ending { return ending }
            var status: Int32 = 0
            guard waitpid(id, &status, WNOHANG) == id else { return nil }
            // POSIX <sys/wait.h>: the low seven bits are the signal, the next eight the exit status.
            ending = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(by: status & 0x7F)
            return ending
        }
    }
}

extension ChildProcess {
    /// posix_spawn and not fork: this process has threads.
    ///
    /// The child's input is empty and its error goes to a file, so that neither can block it.
    private static func spawn(
        _ id: inout pid_t, _ program: String, _ arguments: [String], _ environment: [String], output: [Int32],
        errorFile: String
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, output[1])
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorFile, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Our blocked signals would be blocked in the child too.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        return withStrings([program] + arguments) { arguments in
            withStrings(environment) { environment in
                posix_spawn(&id, program, &actions, &attributes, arguments, environment)
            }
        }
    }

    /// Texts as the null-terminated list that C expects, for the time of a call.
    private static func withStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// What could not be done, in the system's words.
    private static func failure(_ what: String, _ code: Int32) -> CommandError {
        .failed("A process could not be started: \(what): \(String(cString: strerror(code))).")
    }
}

/// The system's `kill`, which the class's own would hide.
private func systemKill(_ id: pid_t, _ signal: Int32) { kill(id, signal) }
