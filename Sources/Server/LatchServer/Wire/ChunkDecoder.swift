// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A strict decoder of the chunked transfer coding (RFC 9112 §7.1).
struct ChunkDecoder {
    /// The position of the next byte in the coding; input may end at any byte, so only the position is known.
    private enum State: Equatable {
        /// The digits of a size; `digits` counts them, since leading zeros could continue forever.
        case size(digits: Int, value: Int)
        /// The extensions after `;`, up to the CR.
        case extensions
        case sizeLineFeed
        /// Content; `remaining` is never 0, since the last chunk has no bytes.
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
        /// The end; later bytes belong to the next request.
        case complete
    }

    private var state = State.size(digits: 0, value: 0)
    /// The size of the current chunk, kept while its line ends.
    private var chunkSize = 0
    /// The number of bytes of content.
    private var received = 0
    /// The number of bytes in extensions, which may exceed the bytes of the content by a limit.
    private var extensionCount = 0
    /// The number of bytes in trailers.
    private var trailerCount = 0
    /// Whether trailers are kept.
    private let keepsTrailers: Bool
    /// The lines after the last chunk, each with its CRLF.
    private(set) var trailerLines: [UInt8] = []
    /// The limit of trailers, and of the excess of extensions over the content, in bytes.
    private static let overheadLimit = 8192

    init(keepsTrailers: Bool = false) { self.keepsTrailers = keepsTrailers }

    /// Decodes bytes; returns the number of bytes used, and whether the content is complete.
    mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, into content: inout [UInt8], limit: Int
    ) throws(Rejection) -> (count: Int, isComplete: Bool) {
        var position = 0
        while position < bytes.count, state != .complete {
            guard case .data(let remaining) = state else {
                try decode(bytes[position], remainingLimit: limit - content.count)
                position += 1
                continue
            }
            let count = min(remaining, bytes.count - position)
            content.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[position..<(position + count)]))
            position += count
            received += count
            state = count == remaining ? .dataReturn : .data(remaining: remaining - count)
        }
        return (position, state == .complete)
    }

    /// Decodes one byte that is not content.
    ///
    /// - Parameter remainingLimit: The number of content bytes that may still follow.
    private mutating func decode(_ byte: UInt8, remainingLimit: Int) throws(Rejection) {
        switch state {
        case .size(let digits, let value): try decodeSize(byte, digits, value, remainingLimit: remainingLimit)
        case .extensions:
            extensionCount += 1
            // Clients that sign each chunk need some hundred bytes for each.
            guard extensionCount - received <= Self.overheadLimit else { throw .headTooLarge }
            if byte == 0x0D { state = .sizeLineFeed } else { try rejectControl(byte) }
        case .sizeLineFeed:
            try expect(0x0A, byte)
            state = chunkSize == 0 ? .trailerStart : .data(remaining: chunkSize)
        case .dataReturn:
            try expect(0x0D, byte)
            state = .dataLineFeed
        case .dataLineFeed:
            try expect(0x0A, byte)
            state = .size(digits: 0, value: 0)
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .lastLineFeed: try decodeTrailer(byte)
        case .data, .complete: break
        }
    }

    /// Decodes hexadecimal digits: no sign, no `0x`, no whitespace, and no value over the limit.
    private mutating func decodeSize(
        _ byte: UInt8, _ digits: Int, _ value: Int, remainingLimit: Int
    ) throws(Rejection) {
        if let digit = Hex.value(of: byte) {
            let value = value << 4 | Int(digit)
            guard digits < 15 else { throw Rejection("A chunk's size is malformed.") }
            guard value <= remainingLimit else { throw .contentTooLarge }
            state = .size(digits: digits + 1, value: value)
            return
        }
        guard digits > 0, byte == 0x0D || byte == 0x3B else { throw Rejection("A chunk's size is malformed.") }
        chunkSize = value
        // RFC 9112 §7.1.1: unknown extensions are ignored.
        state = byte == 0x0D ? .sizeLineFeed : .extensions
    }

    /// Validates trailer fields, which are dropped (RFC 9112 §7.1.2) unless a reader wants them.
    private mutating func decodeTrailer(_ byte: UInt8) throws(Rejection) {
        trailerCount += 1
        guard trailerCount <= Self.overheadLimit else { throw .headTooLarge }
        if keepsTrailers { trailerLines.append(byte) }
        switch state {
        case .trailerStart where byte == 0x0D: state = .lastLineFeed
        case .trailerStart, .trailerName:
            guard byte != 0x3A || state == .trailerName else { throw Rejection("A trailer field is malformed.") }
            guard byte == 0x3A || isTokenByte(byte) else { throw Rejection("A trailer field is malformed.") }
            state = byte == 0x3A ? .trailerValue : .trailerName
        case .trailerValue:
            if byte == 0x0D { state = .trailerLineFeed } else { try rejectControl(byte) }
        case .trailerLineFeed:
            try expect(0x0A, byte)
            state = .trailerStart
        default:
            try expect(0x0A, byte)
            state = .complete
        }
    }

    /// Checks a line end; a bare LF or CR is rejected, since not every parser accepts it (RFC 9112 §2.2).
    private func expect(_ expected: UInt8, _ byte: UInt8) throws(Rejection) {
        guard byte == expected else { throw Rejection("A chunk does not end with CRLF.") }
    }

    /// Rejects control characters other than tabs (RFC 9110 §5.5).
    private func rejectControl(_ byte: UInt8) throws(Rejection) {
        guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else {
            throw Rejection("A chunk's line contains a control character.")
        }
    }
}
