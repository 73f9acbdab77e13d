// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Reads the chunked transfer coding (RFC 9112 §7.1) without any of its known leniencies.
struct ChunkDecoder {
    /// Where in the coding the next byte stands; a piece may end at any byte, so nothing is known but this.
    private enum State: Equatable {
        /// The digits of a size; `digits` counts them, since leading zeros could go on for ever.
        case size(digits: Int, value: Int)
        /// Behind `;`, up to the CR.
        case extensions
        case sizeLineFeed
        /// Content; `remaining` is never 0, a chunk without bytes is the last one.
        case data(remaining: Int)
        case dataReturn
        case dataLineFeed
        /// The first byte of a trailer line, or the CR of the empty line that ends the content.
        case trailerStart
        case trailerName
        case trailerValue
        case trailerLineFeed
        /// The LF of that empty line.
        case lastLineFeed
        /// Nothing more is taken: what follows belongs to the next request.
        case complete
    }

    /// The invariant of all readers here: state alone, so every split of the bytes reads the same.
    private var state = State.size(digits: 0, value: 0)
    /// The size of the current chunk, kept while its line ends.
    private var chunkSize = 0
    /// Bytes that are neither data nor sizes: they are bounded too, or a client could send them for ever.
    private var overhead = 0
    /// As much as a small head; no client that is known sends extensions or trailers at all.
    private static let overheadLimit = 8192

    /// Takes bytes and says how many, and whether the content is complete.
    mutating func take(
        _ bytes: UnsafeBufferPointer<UInt8>, into content: inout [UInt8], limit: Int
    ) throws(Refusal) -> (taken: Int, isComplete: Bool) {
        var position = 0
        while position < bytes.count, state != .complete {
            guard case .data(let remaining) = state else {
                try take(bytes[position], room: limit - content.count)
                position += 1
                continue
            }
            let count = min(remaining, bytes.count - position)
            content.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[position..<(position + count)]))
            position += count
            state = count == remaining ? .dataReturn : .data(remaining: remaining - count)
        }
        return (position, state == .complete)
    }

    /// One byte that is not content.
    ///
    /// - Parameter room: How many bytes of content may still come.
    private mutating func take(_ byte: UInt8, room: Int) throws(Refusal) {
        switch state {
        case .size(let digits, let value): try takeSize(byte, digits, value, room: room)
        case .extensions:
            try countOverhead()
            if byte == 0x0D { state = .sizeLineFeed } else { try refuseControl(byte) }
        case .sizeLineFeed:
            try expect(0x0A, byte)
            state = chunkSize == 0 ? .trailerStart : .data(remaining: chunkSize)
        case .dataReturn:
            try expect(0x0D, byte)
            state = .dataLineFeed
        case .dataLineFeed:
            try expect(0x0A, byte)
            state = .size(digits: 0, value: 0)
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .lastLineFeed: try takeTrailer(byte)
        case .data, .complete: break
        }
    }

    /// Hexadecimal digits alone: no sign, no `0x`, no blanks, and never more than there is room for.
    private mutating func takeSize(_ byte: UInt8, _ digits: Int, _ value: Int, room: Int) throws(Refusal) {
        if let digit = hexadecimalDigit(byte) {
            let value = value << 4 | Int(digit)
            guard digits < 15 else { throw Refusal("A chunk's size is malformed.") }
            guard value <= room else { throw .bodyTooLarge }
            state = .size(digits: digits + 1, value: value)
            return
        }
        guard digits > 0, byte == 0x0D || byte == 0x3B else { throw Refusal("A chunk's size is malformed.") }
        chunkSize = value
        // RFC 9112 §7.1.1: extensions that are not known are ignored.
        state = byte == 0x0D ? .sizeLineFeed : .extensions
    }

    /// RFC 9112 §7.1.2: trailer fields may be dropped, and they are; they must still be fields.
    private mutating func takeTrailer(_ byte: UInt8) throws(Refusal) {
        try countOverhead()
        switch state {
        case .trailerStart where byte == 0x0D: state = .lastLineFeed
        case .trailerStart, .trailerName:
            guard byte != 0x3A || state == .trailerName else { throw Refusal("A trailer field is malformed.") }
            guard byte == 0x3A || isTokenByte(byte) else { throw Refusal("A trailer field is malformed.") }
            state = byte == 0x3A ? .trailerValue : .trailerName
        case .trailerValue:
            if byte == 0x0D { state = .trailerLineFeed } else { try refuseControl(byte) }
        case .trailerLineFeed:
            try expect(0x0A, byte)
            state = .trailerStart
        default:
            try expect(0x0A, byte)
            state = .complete
        }
    }

    private mutating func countOverhead() throws(Refusal) {
        overhead += 1
        guard overhead <= Self.overheadLimit else { throw .headTooLarge }
    }

    /// RFC 9112 §2.2: a bare LF or CR is not taken for a line's end, since others would take it for none.
    private func expect(_ expected: UInt8, _ byte: UInt8) throws(Refusal) {
        guard byte == expected else { throw Refusal("A chunk does not end with CRLF.") }
    }

    /// RFC 9110 §5.5: a tab is the only control in a line.
    private func refuseControl(_ byte: UInt8) throws(Refusal) {
        guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else {
            throw Refusal("A chunk's line holds a control character.")
        }
    }
}
