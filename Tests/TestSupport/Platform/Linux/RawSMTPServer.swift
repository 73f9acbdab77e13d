// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import LatchCore
import Synchronization

/// A mail server that records the exact bytes that it receives and can refuse a command (RFC 5321).
///
/// ```swift
/// let server = try RawSMTPServer(refusing: ["RCPT": "550 no such user"])
/// ```
///
/// It listens on a free port of 127.0.0.1, serves one connection after another on a thread of its own, and ends with
/// the last reference to it.
public final class RawSMTPServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: Int
    /// Written by the server's thread and read by tests.
    private let log: Mutex<(commands: [String], messages: [[UInt8]])>
    /// The end of a socket pair; the thread ends when it is closed.
    private let stopper: CInt
    /// Signalled when a server that is silent is to read on.
    private let reading = DispatchSemaphore(value: 0)

    /// A server that accepts everything but the commands in `refusing`, each answered with the line given.
    ///
    /// - Parameters:
    ///   - silence: The verb of a command after whose reply it neither reads nor answers before `readOn()`; what the client
    ///     sends after it, to its end, is a message. With `.`, it does not reply to a whole message before.
    ///   - isSilent: Called when that begins.
    /// - Throws: `RawHTTPServer.Failure` when no socket can be had.
    public init(
        refusing refusals: [String: String] = [:], extensions: [String] = ["AUTH PLAIN"],
        silentAfter silence: String? = nil,
        isSilent: @escaping @Sendable () -> Void = {}
    ) throws {
        let (listener, port) = try listeningSocket()
        let (stop, stopper) = try TestSupport.stopper()
        self.port = port
        self.stopper = stopper
        log = Mutex(([], []))
        let state = State(
            listener: listener, stop: stop, refusals: refusals, extensions: extensions, silence: silence,
            isSilent: isSilent, reading: reading)
        let dialogue = SMTPDialogue(state) { [weak self] command, message in
            self?.log.withLock { log in
                if let command { log.commands.append(command) }
                if let message { log.messages.append(message) }
            }
        }
        try startThread { dialogue.run() }
    }

    deinit {
        readOn()
        close(stopper)
    }

    /// Lets a server that is silent read what the client has sent.
    public func readOn() { reading.signal() }

    /// `smtp://127.0.0.1:port`.
    public var url: String { "smtp://127.0.0.1:\(port)" }

    /// The commands so far, as they came.
    public var commands: [String] { log.withLock { $0.commands } }

    /// The messages so far: the bytes between DATA and the final dot, as they came.
    public var messages: [[UInt8]] { log.withLock { $0.messages } }

    /// The state of the thread, fixed from the start.
    struct State: Sendable {
        /// Closed by the thread when it ends.
        let listener: CInt
        /// Readable, by its end, when the server is to stop.
        let stop: CInt
        /// The answer to a command that is refused, by its verb in capitals.
        let refusals: [String: String]
        /// The reply to EHLO, one line each (RFC 5321 §4.1.1.1).
        let extensions: [String]
        /// The command after which the server is silent.
        let silence: String?
        /// Called when it is.
        let isSilent: @Sendable () -> Void
        /// Signalled when it is to read on.
        let reading: DispatchSemaphore
    }
}

/// Runs `body` on a detached thread.
func startThread(_ body: @escaping @Sendable () -> Void) throws {
    /// A closure as an object that a C callback can carry.
    final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Job(body))
    let code = pthread_create(
        &thread, nil,
        { pointer in
            if let pointer { Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue().body() }
            return nil
        }, context.toOpaque())
    guard code == 0 else {
        context.release()
        throw RawHTTPServer.Failure()
    }
    pthread_detach(thread)
}
#endif
