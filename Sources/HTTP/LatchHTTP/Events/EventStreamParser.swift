// SPDX-License-Identifier: Apache-2.0

/// Reads an event stream (HTML §9.2.5 and §9.2.6) piece by piece, in bounded memory.
///
/// However the bytes are cut into pieces, the events are the same.
public struct EventStreamParser: Sendable {
    /// How much is taken.
    public struct Limits: Sendable {
        /// How many bytes one line may have.
        public var lineBytes = 256 << 10
        /// How many bytes of data one event may have.
        public var eventBytes = 4 << 20

        /// The usual limits.
        public init() {}
    }

    /// The identifier that was sent last; empty where there was none.
    public private(set) var lastEventID: String
    /// How long the server wants to be left alone before the connection is made again; nil where it has not said.
    public private(set) var retry: Duration?

    private let limits: Limits
    private var line: [UInt8] = []
    /// Only the first line may begin with a byte order mark.
    private var isFirstLine = true
    /// A line feed after a carriage return belongs to it.
    private var endsWithReturn = false

    private var type = ""
    private var data: [UInt8] = []
    /// Becomes the last identifier with the end of the event.
    private var id: String

    /// A parser at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - lastEventID: The identifier that was sent last over the connection before.
    ///   - retry: What the server asked for over the connection before.
    public init(lastEventID: String = "", retry: Duration? = nil, limits: Limits = Limits()) {
        self.lastEventID = lastEventID
        self.retry = retry
        id = lastEventID
        self.limits = limits
    }

    /// Takes a piece of the stream.
    ///
    /// What the end of the stream cuts off is no event (HTML §9.2.6), so there is nothing to call at the end.
    ///
    /// - Returns: The events that are whole now.
    /// - Throws: `HTTPError.tooLarge`; nothing is to be fed after that.
    public mutating func consume(_ piece: [UInt8]) throws(HTTPError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
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
        return events
    }

    /// HTML §9.2.6: an empty line ends an event, a colon begins a comment, anything else is a field.
    private mutating func endLine() throws(HTTPError) -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        var text = line[...]
        // HTML §9.2.5: the stream may begin with a byte order mark.
        if isFirstLine, text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
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
            guard data.count + value.count < limits.eventBytes else { throw .tooLarge }
            data += value
            data.append(0x0A)
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy({ (0x30...0x39).contains($0) }):
            // More digits than a number has are a wait without end; who waits bounds it.
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
        // HTML §9.2.6: without a data field there is no event.
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self), id: id)
    }
}
