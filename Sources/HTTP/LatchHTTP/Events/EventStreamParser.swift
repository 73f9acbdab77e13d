// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// An event of an event stream (HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event; `message` if the server does not set it.
    public var type: String
    /// The data, its lines joined by line feeds.
    public var data: String
    /// The identifier of this event, or of the last earlier one that has one; empty if there is none.
    ///
    /// A new connection sends it to request the events after it.
    public var id: String

    /// Creates an event.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}

/// An incremental parser of event streams (HTML §9.2.5 and §9.2.6) in bounded memory.
///
/// The events do not depend on how the bytes are split into chunks.
package struct EventStreamParser: Sendable {
    /// The size limits of an event stream.
    package struct Limits: Sendable {
        /// The maximum number of bytes of one line; a whole event may be one line, after `data: `.
        package var lineBytes = 6 + (4 << 20)
        /// The maximum number of bytes of one event's data.
        package var eventBytes = 4 << 20
        /// The maximum number of bytes of an identifier; a longer one is ignored.
        package var idBytes = 256 << 10

        /// Creates the default limits.
        package init() {}
    }

    /// The last identifier that was sent; empty if there was none.
    package private(set) var lastEventID: String
    /// The reconnection time that the server requested; nil if it did not.
    package private(set) var retry: Duration?
    /// The error that follows the returned events; nil while there is none.
    package private(set) var failure: HTTPError?

    private let limits: Limits
    private var line: [UInt8] = []
    /// Whether this is the first line, which may begin with a byte order mark.
    private var isFirstLine = true
    /// Whether the last line ended with a carriage return; a line feed after it belongs to that line end.
    private var endsWithReturn = false

    private var type = ""
    private var data: [UInt8] = []
    /// The identifier that takes effect at the end of the event.
    private var id: String

    /// Creates a parser at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - lastEventID: The last identifier of the previous connection.
    ///   - retry: The reconnection time that the server requested over the previous connection.
    package init(lastEventID: String = "", retry: Duration? = nil, limits: Limits = Limits()) {
        self.lastEventID = lastEventID
        self.retry = retry
        id = lastEventID
        self.limits = limits
    }

    /// Parses a chunk of the stream.
    ///
    /// An incomplete event at the end of the stream is discarded (HTML §9.2.6), so the end needs no call.
    ///
    /// - Returns: The events that are complete now.
    /// - Throws: `HTTPError.tooLarge` if no event precedes the error. Otherwise it is in ``failure``. The parser must
    ///   not be used after either.
    package mutating func consume(_ piece: [UInt8]) throws(HTTPError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        do throws(HTTPError) { try consume(piece, into: &events) } catch {
            guard !events.isEmpty else { throw error }
            failure = error
        }
        return events
    }

    private mutating func consume(_ piece: [UInt8], into events: inout [ServerSentEvent]) throws(HTTPError) {
        var rest = piece[...]
        while let first = rest.first {
            if endsWithReturn, first == 0x0A { rest.removeFirst() }
            endsWithReturn = false
            let text = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            guard line.count + text.count <= limits.lineBytes else { throw .tooLarge }
            line += text
            rest = rest[text.endIndex...]
            guard let end = rest.popFirst() else { break }
            endsWithReturn = end == 0x0D
            if let event = try endLine() { events.append(event) }
        }
    }

    /// Processes a line: an empty one ends an event, a colon begins a comment, anything else is a field (HTML §9.2.6).
    private mutating func endLine() throws(HTTPError) -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        var text = line[...]
        // HTML §9.2.5: the stream may begin with a byte order mark.
        if isFirstLine { text = text.withoutByteOrderMark }
        isFirstLine = false
        guard let first = text.first else { return endEvent() }
        guard first != 0x3A else { return nil }
        let name = text.prefix { $0 != 0x3A }
        var value = text[name.endIndex...].dropFirst()
        if value.first == 0x20 { value.removeFirst() }
        try setField(String(decoding: name, as: UTF8.self), value)
        return nil
    }

    private mutating func setField(_ name: String, _ value: ArraySlice<UInt8>) throws(HTTPError) {
        switch name {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            guard data.count + value.count <= limits.eventBytes else { throw .tooLarge }
            data += value
            data.append(0x0A)
        // A longer identifier could not be sent back in Last-Event-ID.
        case "id" where !value.contains(0) && value.count <= limits.idBytes: id = String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy(isDigit):
            // More digits than an integer holds mean an endless delay, which the reconnection policy limits.
            retry = .milliseconds(Int64(String(decoding: value, as: UTF8.self)) ?? .max / 1_000_000)
        default: break
        }
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer {
            type = ""
            data.removeAll(keepingCapacity: true)
        }
        lastEventID = id
        // HTML §9.2.6: an event without a data field is dropped.
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self), id: id)
    }
}
