// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import LatchCore
import Synchronization

/// A server that records the exact bytes of each request and answers with scripted bytes, right or wrong.
///
/// ```swift
/// let server = try RawHTTPServer { _ in .text("HTTP/1.1 204 No Content\r\n\r\n") }
/// ```
///
/// It listens on a free port of 127.0.0.1, runs on a thread of its own, and ends with the last reference to it.
public final class RawHTTPServer: Sendable {
    /// One request as it arrived.
    public struct Request: Sendable {
        /// The number of the connection, counted from 0.
        public let connection: Int
        /// The number of the request on its connection, counted from 0.
        public let number: Int
        /// The request line and the field lines, up to the empty line.
        public let head: String
        /// The content.
        public let body: [UInt8]

        /// The request line.
        public var line: String { head.split(separator: "\r\n").first.map(String.init) ?? "" }

        /// The values of a field; the name is compared without case.
        public func values(of name: String) -> [String] {
            head.split(separator: "\r\n").dropFirst().compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                return String(parts[1].drop { $0 == " " })
            }
        }
    }

    /// The server's behaviour after a request.
    public struct Response: Sendable {
        /// The bytes to send.
        public var bytes: [UInt8]
        /// Whether they are sent one at a time.
        public var isTrickled = false
        /// Whether the connection is closed after them.
        public var closes = false

        /// Sends text as it is.
        public static func text(_ text: String) -> Response { Response(bytes: Array(text.utf8)) }

        /// Sends text one byte at a time.
        public static func trickle(_ text: String) -> Response { Response(bytes: Array(text.utf8), isTrickled: true) }

        /// Sends text and closes the connection.
        public static func closing(after text: String) -> Response { Response(bytes: Array(text.utf8), closes: true) }

        /// Sends nothing and keeps the connection open.
        public static let stall = Response(bytes: [])

        /// Sends a complete response with a Content-Length.
        public static func response(_ status: Int = 200, fields: [String] = [], body: String = "") -> Response {
            let lines = ["HTTP/1.1 \(status) Scripted", "Content-Length: \(body.utf8.count)"] + fields
            return text(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }
    }

    /// The events, in order.
    public enum Event: Sendable {
        /// A connection was accepted.
        case opened(connection: Int)
        /// A request has arrived whole.
        case received(Request)
        case closedByClient(connection: Int)
    }

    /// The port on 127.0.0.1.
    public let port: Int
    /// Everything that happens, from the start; for one reader.
    public let events: AsyncStream<Event>
    /// A log of events that tests read at any time, next to the stream that has one reader.
    private let log = Log()
    /// The end of a socket pair; the thread ends when it is closed.
    private let stopper: CInt

    /// A server that answers each request as `script` says.
    ///
    /// - Parameter greeting: What is sent as soon as a connection is accepted, before any request.
    /// - Throws: `RawHTTPServer.Failure` when no socket can be had.
    public init(greeting: String = "", _ script: @escaping @Sendable (Request) -> Response) throws {
        let (socket, port) = try listeningSocket()
        let (events, continuation) = AsyncStream<Event>.makeStream()
        self.port = port
        self.events = events
        let log = log
        let (stop, stopper) = try TestSupport.stopper()
        self.stopper = stopper
        let loop = RawServerLoop(listener: socket, stop: stop, greeting: greeting, script: script) { event in
            log.add(event)
            continuation.yield(event)
        }
        try loop.start()
    }

    deinit { close(stopper) }

    /// `http://127.0.0.1:port`.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// The requests so far.
    public var requests: [Request] { log.entries.withLock { $0.requests } }

    /// The number of connections that were accepted so far.
    public var connectionCount: Int { log.entries.withLock { $0.connections } }

    /// An error at the start of the server.
    public struct Failure: Error {
        /// The system's error number at the moment of the failure.
        let number = errno
    }

    /// Written by the server's thread and read by tests.
    private final class Log: Sendable {
        /// Only grows: a test may look again and find what it found before.
        let entries = Mutex<(requests: [Request], connections: Int)>(([], 0))

        /// Called before the event is published, so that a reader of the stream finds it in the log.
        func add(_ event: Event) {
            entries.withLock { entries in
                switch event {
                case .opened: entries.connections += 1
                case .received(let request): entries.requests.append(request)
                case .closedByClient: break
                }
            }
        }
    }
}
#endif
