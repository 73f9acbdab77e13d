// SPDX-License-Identifier: Apache-2.0

/// Reads `multipart/form-data` (RFC 7578) piece by piece, in bounded memory.
///
/// It is strict: what real clients do not write, and two readers might read differently, is refused. That is text before
/// the first boundary, a boundary that is no line of its own, folded and doubled fields, parameters that stand twice.
public struct MultipartParser: Sendable {
    /// How much is taken.
    public struct Limits: Sendable {
        /// How many parts.
        public var parts = 100
        /// How many bytes the field lines of one part may have.
        public var headBytes = 8 << 10

        /// The usual limits.
        public init() {}
    }

    /// What a piece of the form brought.
    public enum Event: Sendable, Hashable {
        /// A part begins; its content follows.
        case part(MultipartHead)
        /// A piece of the part's content; never empty.
        case content([UInt8])
        /// The part is whole.
        case endOfPart
    }

    private enum State: Sendable {
        case start, afterBoundary, head, content, epilogue
    }

    private let limits: Limits
    /// CR LF, two hyphens and the boundary (RFC 2046 §5.1.1).
    private let delimiter: [UInt8]
    private var state = State.start
    /// What cannot be decided yet.
    private var buffer: [UInt8] = []
    private var count = 0

    /// A parser for content of this type.
    ///
    /// - Parameter contentType: The Content-Type field, whose `boundary` parameter is needed.
    /// - Throws: `HTTPError.malformedMessage` where it is no form of this kind or has no proper boundary.
    public init(contentType: String, limits: Limits = Limits()) throws(HTTPError) {
        guard let boundary = MultipartHead.boundary(in: contentType) else {
            throw .malformedMessage("The content is no multipart form with a boundary.")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.limits = limits
        // RFC 2046 §5.1.1: the first boundary needs no line break before it, so one is thought.
        buffer = [0x0D, 0x0A]
    }

    /// Takes a piece of the content.
    ///
    /// However the content is cut, the events are the same, but for where their content is cut.
    ///
    /// - Throws: `HTTPError.malformedMessage` and `HTTPError.tooLarge`; nothing is to be fed after that.
    public mutating func consume(_ piece: [UInt8]) throws(HTTPError) -> [Event] {
        buffer += piece
        var events: [Event] = []
        var used = 0
        while let next = try step(from: used, &events) { used = next }
        buffer.removeFirst(used)
        return events
    }

    /// Checks that the form was whole.
    ///
    /// - Throws: `HTTPError.malformedMessage`.
    public func finish() throws(HTTPError) {
        guard case .epilogue = state else { throw .malformedMessage("The form ends within a part.") }
    }

    /// Does what can be done at a place of the buffer.
    ///
    /// - Returns: Where to go on; nil where more bytes are needed.
    private mutating func step(from place: Int, _ events: inout [Event]) throws(HTTPError) -> Int? {
        switch state {
        case .start: return try start(place)
        case .afterBoundary: return try afterBoundary(place)
        case .head: return try head(place, &events)
        case .content: return content(place, &events)
        case .epilogue: return try epilogue(place)
        }
    }

    private mutating func start(_ place: Int) throws(HTTPError) -> Int? {
        let rest = buffer[place...]
        guard rest.starts(with: delimiter.prefix(rest.count)) else {
            throw .malformedMessage("The form does not begin with its boundary.")
        }
        guard rest.count >= delimiter.count else { return nil }
        state = .afterBoundary
        return place + delimiter.count
    }

    /// RFC 2046 §5.1.1: a boundary is followed by the end of its line, or by two hyphens after the last part.
    private mutating func afterBoundary(_ place: Int) throws(HTTPError) -> Int? {
        guard buffer.count - place >= 2 else { return nil }
        switch (buffer[place], buffer[place + 1]) {
        case (0x2D, 0x2D): state = .epilogue
        case (0x0D, 0x0A):
            count += 1
            guard count <= limits.parts else { throw .tooLarge }
            state = .head
        default: throw .malformedMessage("A boundary of the form is no line of its own.")
        }
        return place + 2
    }

    private mutating func head(_ place: Int, _ events: inout [Event]) throws(HTTPError) -> Int? {
        let rest = buffer[place...]
        guard let end = rest.prefix(limits.headBytes).firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A]) else {
            guard rest.count < limits.headBytes else { throw .tooLarge }
            return nil
        }
        events.append(.part(try MultipartHead(parsing: rest[..<end.lowerBound])))
        state = .content
        return end.upperBound
    }

    /// Everything up to the next boundary, or as far as no boundary can have begun.
    private mutating func content(_ place: Int, _ events: inout [Event]) -> Int? {
        let (end, isBoundary) = delimiterOrTail(from: place)
        if end > place { events.append(.content(Array(buffer[place..<end]))) }
        guard isBoundary else { return end > place ? end : nil }
        events.append(.endOfPart)
        state = .afterBoundary
        return end + delimiter.count
    }

    /// Where the next delimiter stands, or where the rest could be the beginning of one.
    private func delimiterOrTail(from place: Int) -> (end: Int, isBoundary: Bool) {
        buffer.withUnsafeBufferPointer { bytes in
            var index = place
            while index < bytes.count {
                if bytes[index] == 0x0D {
                    let length = min(delimiter.count, bytes.count - index)
                    if bytes[index..<index + length].elementsEqual(delimiter.prefix(length)) {
                        return (index, length == delimiter.count)
                    }
                }
                index += 1
            }
            return (index, false)
        }
    }

    /// A line break at the end is common, and nothing else is.
    private func epilogue(_ place: Int) throws(HTTPError) -> Int? {
        guard [0x0D, 0x0A].starts(with: buffer[place...]) else {
            throw .malformedMessage("Something follows the last boundary of the form.")
        }
        return nil
    }
}
