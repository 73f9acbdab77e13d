// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// The events of a server, over as many connections as necessary (HTML §9.2).
///
/// ```swift
/// for try await event in client.events(.get("orders/feed")) { show(event.data) }
/// ```
///
/// Each connection goes through the client's interceptors, so even one made hours later uses the current credential.
/// Releasing the iterator, or canceling its task, ends the transfer.
public struct EventStream: AsyncSequence, Sendable {
    /// The media type of an event stream (HTML §9.2.5).
    static let mediaType = "text/event-stream"

    let client: Client
    let route: Route<HTTPResponse>
    let lastEventID: String
    let reconnection: ReconnectionPolicy
    let clock: WallClock
    let random: RandomSource

    /// Creates an iterator that connects when the first event is requested.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Opens a connection, or returns nil if the server has no more events.
    ///
    /// - Throws: `HTTPError.unacceptableStatus` and `HTTPError.undecodable`, which are not retried, and the errors of
    ///   the transport.
    fileprivate func connect(after id: String) async throws -> HTTPBodyStream.Iterator? {
        var route = route
        // An identifier with control characters is not sent: servers and proxies reject them in a field.
        route.fields["Last-Event-ID"] = id.isEmpty || id.utf8.contains { $0 < 0x20 || $0 == 0x7F } ? nil : id
        let response = try await client.perform(route)
        // HTML §9.2.3: 204 requires a client to stop.
        guard response.status != .noContent else { return nil }
        // RFC 9110 §15.3: the only successful status with an event stream is 200.
        guard response.status == .ok else {
            try await response.checkSuccess()
            throw HTTPError.unacceptableStatus(response.withoutContent)
        }
        guard response.fields.mediaType == Self.mediaType else {
            throw HTTPError.undecodable("the content type is not text/event-stream.", response: response.withoutContent)
        }
        return response.body.chunks.makeAsyncIterator()
    }

    /// Returns the next chunk of a connection.
    ///
    /// - Throws: `HTTPError.timeout` if nothing arrives for too long; the transfer has then ended.
    fileprivate func piece(of connection: inout HTTPBodyStream.Iterator) async throws -> [UInt8]? {
        guard let idleTimeout = reconnection.idleTimeout else { return try await connection.next() }
        let before = connection
        let clock = clock
        let (piece, after) = try await withThrowingTaskGroup { group in
            group.addTask {
                var connection = before
                return (try await connection.next(), connection)
            }
            group.addTask {
                try await clock.sleep(for: idleTimeout)
                throw HTTPError.timeout
            }
            defer { group.cancelAll() }
            return try await group.next() ?? (nil, before)
        }
        connection = after
        return piece
    }

    /// An iterator over the events of one stream.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: EventStream
        private var parser: EventStreamParser
        private var connection: HTTPBodyStream.Iterator?
        /// The received events that were not returned yet, the last one first.
        private var events: [ServerSentEvent] = []
        /// The number of consecutive connections without data; nil before the first connection.
        private var failures: Int?
        private var isOver = false

        init(stream: EventStream) {
            self.stream = stream
            parser = EventStreamParser(lastEventID: stream.lastEventID)
        }

        /// Returns the next event, or nil when the server ends the stream or no reconnection is allowed.
        ///
        /// - Throws: `HTTPError`; no more events follow it.
        public mutating func next() async throws -> ServerSentEvent? {
            while !isOver {
                if let event = events.popLast() { return event }
                do {
                    try await read()
                } catch {
                    isOver = true
                    connection = nil
                    throw error is CancellationError ? HTTPError.cancelled : error
                }
            }
            return nil
        }

        /// Reads more events, or opens a connection.
        private mutating func read() async throws {
            if let failure = parser.failure { throw failure }
            guard var current = connection else { return try await reconnect() }
            // Only this call holds the connection, so the transfer ends if the call throws.
            connection = nil
            do {
                guard let piece = try await stream.piece(of: &current) else { return try endConnection(with: nil) }
                failures = 0
                events = try parser.consume(piece).reversed()
                connection = current
            } catch let error as HTTPError where error.isTransferFailure {
                try endConnection(with: error)
            }
        }

        /// Ends the stream unless another connection is allowed.
        private mutating func endConnection(with error: HTTPError?) throws {
            guard let maximumAttempts = stream.reconnection.maximumAttempts, failures ?? 0 >= maximumAttempts else {
                return
            }
            isOver = true
            if let error { throw error }
        }

        private mutating func reconnect() async throws {
            if let failures {
                let wait = stream.reconnection.wait(after: failures, wish: parser.retry, random: stream.random)
                try await stream.clock.sleep(for: wait)
            }
            let retry = parser.retry
            parser = EventStreamParser(lastEventID: parser.lastEventID, retry: retry)
            let isFirst = failures == nil
            failures = (failures ?? -1) + 1
            do {
                connection = try await stream.connect(after: parser.lastEventID)
                isOver = connection == nil
            } catch let error as HTTPError where (error.isTransferFailure || error.isOfBusyServer) && !isFirst {
                try endConnection(with: error)
            }
        }
    }
}

extension HTTPError {
    /// Whether a transfer was interrupted, independently of the sent and received bytes.
    var isTransferFailure: Bool { isConnectivity || code == Self.malformedMessage.code }
}

extension HTTPError {
    /// Whether the response has a status of a temporary state of the server, such as its restart.
    var isOfBusyServer: Bool { response.map { RetryPolicy().statuses.contains($0.status) } ?? false }
}

extension HTTPResponse {
    /// This response without its content, so that an error does not keep an unlimited transfer open.
    fileprivate var withoutContent: HTTPResponse { HTTPResponse(status: status, fields: fields) }
}

extension Client {
    /// Returns the events that a route streams, reconnecting when the connection breaks.
    ///
    /// The first connection has to succeed. Later ones are retried after a pause, also if the server responds with 429,
    /// 502, 503 or 504. The `Last-Event-ID` field tells the server which event arrived last. A 204 response ends the
    /// stream without an error. Any other response without an event stream ends it with an error, since it would be the
    /// same the next time.
    ///
    /// - Parameters:
    ///   - route: The route to connect to; its timeout, if any, applies to each connection.
    ///   - lastEventID: The identifier of the last event that an earlier stream received; empty if there is none.
    ///   - reconnection: The rules for reconnecting.
    ///   - clock: The clock of the delays and the idle timeout.
    ///   - random: The source of the delays' jitter.
    public func events(
        _ route: Route<Void>, after lastEventID: String = "", reconnection: ReconnectionPolicy = ReconnectionPolicy(),
        clock: WallClock = .system, random: RandomSource = .system
    ) -> EventStream {
        var response = route.raw().asStream()
        response.fields[.accept] = response.fields[.accept] ?? EventStream.mediaType
        // HTML §9.2.3: caches must not hold events back.
        response.fields[.cacheControl] = response.fields[.cacheControl] ?? "no-store"
        // A deadline limits the time to the head, since events have no end.
        response.context[RequestOpenEnd.self] = true
        response.limits.total = route.limits.total ?? EventStream.connectionTimeout
        return EventStream(
            client: self, route: response, lastEventID: lastEventID, reconnection: reconnection, clock: clock,
            random: random)
    }
}

extension EventStream {
    /// The timeout of a connection, since a transport's timeout applies to whole transfers and events have no end.
    fileprivate static let connectionTimeout = Duration.seconds(86_400)
}

extension Route where Response == Void {
    /// Returns the same request with the unchanged response.
    func raw() -> Route<HTTPResponse> {
        var raw = Route<HTTPResponse>.raw(method, path, query: query, sending: content)
        raw.fields = fields
        raw.limits = limits
        raw.context = context
        return raw
    }
}
