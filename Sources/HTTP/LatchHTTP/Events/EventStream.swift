// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The events of a server, over as many connections as it takes (HTML §9.2).
///
/// ```swift
/// for try await event in client.events(.get("orders/feed")) { show(event.data) }
/// ```
///
/// Each connection goes through the client's interceptors, so one that is made after hours is authorised with the
/// credential of that moment. Letting the iterator go, or cancelling its task, ends the transfer.
public struct EventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent

    /// HTML §9.2.5.
    static let mediaType = "text/event-stream"

    let client: Client
    let route: Route<HTTPResponse>
    let lastEventID: String
    let reconnection: Reconnection
    let limits: EventStreamParser.Limits
    let clock: WallClock
    let random: RandomSource

    /// Connects at the first event that is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Opens a connection; nil where the server has no more events.
    ///
    /// - Throws: `HTTPError.unacceptableStatus` and `HTTPError.undecodable`, after which nothing is tried again, and
    ///   what the transport throws.
    fileprivate func connect(after id: String) async throws -> HTTPBodyStream.Iterator? {
        var route = route
        route.fields["Last-Event-ID"] = id.isEmpty ? nil : id
        let response = try await client.perform(route)
        // HTML §9.2.3: 204 tells a client to stop.
        guard response.status != .noContent else { return nil }
        // RFC 9110 §15.3: of the successes only 200 is an answer of this kind.
        guard response.status == .ok else {
            try await response.checkSuccess()
            throw HTTPError.unacceptableStatus(response.withoutContent)
        }
        guard response.fields.mediaType == Self.mediaType else {
            throw HTTPError.undecodable("it is no event stream.", response: response.withoutContent)
        }
        return response.body.chunks.makeAsyncIterator()
    }

    /// The next piece of a connection.
    ///
    /// - Throws: `HTTPError.timeout` where nothing has come for too long; the transfer has then ended.
    fileprivate func piece(of connection: inout HTTPBodyStream.Iterator) async throws -> [UInt8]? {
        guard let silence = reconnection.silence else { return try await connection.next() }
        let before = connection
        let clock = clock
        let (piece, after) = try await withThrowingTaskGroup { group in
            group.addTask {
                var connection = before
                return (try await connection.next(), connection)
            }
            group.addTask {
                try await clock.sleep(for: silence)
                throw HTTPError.timeout
            }
            defer { group.cancelAll() }
            return try await group.next() ?? (nil, before)
        }
        connection = after
        return piece
    }

    /// Reads the events of one stream, in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: EventStream
        private var parser: EventStreamParser
        private var connection: HTTPBodyStream.Iterator?
        /// What has arrived and was not asked for yet, the next of it last.
        private var events: [ServerSentEvent] = []
        /// How many connections in a row have brought nothing; nil before the first.
        private var failures: Int?
        private var isOver = false

        init(stream: EventStream) {
            self.stream = stream
            parser = EventStreamParser(lastEventID: stream.lastEventID, limits: stream.limits)
        }

        /// The next event; nil when the server has told us to stop, or where no connection is to be made again.
        ///
        /// - Throws: `HTTPError`; after that there are no more events.
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

        /// Brings more events, or a new connection.
        private mutating func read() async throws {
            guard var current = connection else { return try await reconnect() }
            // Held by this call alone: if it is left by an error, the transfer ends.
            connection = nil
            do {
                guard let piece = try await stream.piece(of: &current) else { return try endConnection(with: nil) }
                failures = 0
                events = try parser.consume(piece).reversed()
                connection = current
            } catch let error as HTTPError where error.isBroken {
                try endConnection(with: error)
            }
        }

        /// Goes on to the next connection, if there is to be one.
        private mutating func endConnection(with error: HTTPError?) throws {
            guard let attempts = stream.reconnection.attempts, failures ?? 0 >= attempts else { return }
            isOver = true
            if let error { throw error }
        }

        private mutating func reconnect() async throws {
            if let failures {
                let wait = stream.reconnection.wait(after: failures, wish: parser.retry, random: stream.random)
                try await stream.clock.sleep(for: wait)
            }
            let retry = parser.retry
            parser = EventStreamParser(lastEventID: parser.lastEventID, retry: retry, limits: stream.limits)
            let isFirst = failures == nil
            failures = (failures ?? -1) + 1
            do {
                connection = try await stream.connect(after: parser.lastEventID)
                isOver = connection == nil
            } catch let error as HTTPError where error.isBroken && !isFirst {
                try endConnection(with: error)
            }
        }
    }
}

extension HTTPError {
    /// Whether a transfer broke off, and not because of what was sent or answered.
    var isBroken: Bool { isConnectivity || code == Self.malformedMessage.code }
}

extension HTTPResponse {
    /// An error must not hold a transfer open that may have no end.
    fileprivate var withoutContent: HTTPResponse { HTTPResponse(status: status, fields: fields) }
}
