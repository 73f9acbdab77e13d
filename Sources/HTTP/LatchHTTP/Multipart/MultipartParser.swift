// SPDX-License-Identifier: Apache-2.0

/// An incremental parser of `multipart/form-data` (RFC 7578) in bounded memory.
///
/// It is strict: input that clients do not send, and that parsers could read differently, is rejected. That is text
/// before the first boundary, a boundary that is not a line of its own, folded and duplicate fields, duplicate
/// parameters.
package struct MultipartParser: Sendable {
    /// An event of the parser.
    package enum Event: Sendable, Hashable {
        /// The beginning of a part, whose content follows.
        case part(MultipartPartHeader)
        /// A chunk of the part's content; never empty.
        case content([UInt8])
        /// The end of the part.
        case endOfPart
    }

    private enum State: Sendable {
        case start, afterBoundary, head, content, epilogue
    }

    private let limits: MultipartForm.Limits
    /// CR LF, two hyphens and the boundary (RFC 2046 §5.1.1).
    private let delimiter: [UInt8]
    private var state = State.start
    /// The bytes that cannot be processed yet.
    private var buffer: [UInt8] = []
    private var count = 0

    /// Creates a parser for content of a type.
    ///
    /// - Parameter contentType: The Content-Type field, whose `boundary` parameter is required.
    /// - Throws: `HTTPError.malformedMessage` if it is not `multipart/form-data` or has no valid boundary.
    package init(contentType: String, limits: MultipartForm.Limits = MultipartForm.Limits()) throws(HTTPError) {
        guard let boundary = MultipartPartHeader.boundary(in: contentType) else {
            throw .malformedMessage("The content is not a multipart form with a boundary.")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.limits = limits
        // RFC 2046 §5.1.1: the first boundary needs no line break before it, so one is inserted.
        buffer = [0x0D, 0x0A]
    }

    /// Parses a chunk of the content.
    ///
    /// The events do not depend on how the input is split, apart from the split of the content itself.
    ///
    /// - Throws: `HTTPError.malformedMessage` and `HTTPError.tooLarge`; the parser must not be used after that.
    package mutating func consume(_ piece: [UInt8]) throws(HTTPError) -> [Event] {
        buffer += piece
        var events: [Event] = []
        var used = 0
        while let next = try step(from: used, &events) { used = next }
        buffer.removeFirst(used)
        return events
    }

    /// Checks that the form is complete.
    ///
    /// - Throws: `HTTPError.malformedMessage`.
    package func finish() throws(HTTPError) {
        guard case .epilogue = state else { throw .malformedMessage("The form ends within a part.") }
    }

    /// Processes the buffer from a position on.
    ///
    /// - Returns: The position to continue at, or nil if more bytes are needed.
    private mutating func step(from position: Int, _ events: inout [Event]) throws(HTTPError) -> Int? {
        switch state {
        case .start: return try start(position)
        case .afterBoundary: return try afterBoundary(position)
        case .head: return try head(position, &events)
        case .content: return content(position, &events)
        case .epilogue: return try epilogue(position)
        }
    }

    private mutating func start(_ position: Int) throws(HTTPError) -> Int? {
        let rest = buffer[position...]
        guard rest.starts(with: delimiter.prefix(rest.count)) else {
            throw .malformedMessage("The form does not begin with its boundary.")
        }
        guard rest.count >= delimiter.count else { return nil }
        state = .afterBoundary
        return position + delimiter.count
    }

    /// Processes the end of a boundary: the end of its line, or two hyphens after the last part (RFC 2046 §5.1.1).
    private mutating func afterBoundary(_ position: Int) throws(HTTPError) -> Int? {
        guard buffer.count - position >= 2 else { return nil }
        switch (buffer[position], buffer[position + 1]) {
        case (0x2D, 0x2D): state = .epilogue
        case (0x0D, 0x0A):
            count += 1
            guard count <= limits.parts else { throw .tooLarge }
            state = .head
        default: throw .malformedMessage("A boundary of the form is not on a line of its own.")
        }
        return position + 2
    }

    private mutating func head(_ position: Int, _ events: inout [Event]) throws(HTTPError) -> Int? {
        let rest = buffer[position...]
        guard let end = rest.prefix(limits.headBytes).firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A]) else {
            guard rest.count < limits.headBytes else { throw .tooLarge }
            return nil
        }
        events.append(.part(try MultipartPartHeader(parsing: rest[..<end.lowerBound])))
        state = .content
        return end.upperBound
    }

    /// Emits everything up to the next boundary, or as far as no boundary can have begun.
    private mutating func content(_ position: Int, _ events: inout [Event]) -> Int? {
        let (end, isBoundary) = delimiterOrTail(from: position)
        if end > position { events.append(.content(Array(buffer[position..<end]))) }
        guard isBoundary else { return end > position ? end : nil }
        events.append(.endOfPart)
        state = .afterBoundary
        return end + delimiter.count
    }

    /// Returns the position of the next delimiter, or of a tail that could be the beginning of one.
    private func delimiterOrTail(from position: Int) -> (end: Int, isBoundary: Bool) {
        buffer.withUnsafeBufferPointer { bytes in
            var index = position
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

    /// Accepts a line break after the last boundary, and nothing else.
    private func epilogue(_ position: Int) throws(HTTPError) -> Int? {
        guard [0x0D, 0x0A].starts(with: buffer[position...]) else {
            throw .malformedMessage("Something follows the last boundary of the form.")
        }
        return nil
    }
}
