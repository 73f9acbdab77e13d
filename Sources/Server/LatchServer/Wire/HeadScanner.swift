// SPDX-License-Identifier: Apache-2.0

/// An incremental scanner for the end of a request's head, which rejects ambiguous line ends.
///
/// The head is parsed when it is complete, so each byte is scanned once.
struct HeadScanner {
    /// The number of bytes that were scanned.
    private(set) var position = 0
    /// The start of the current line; a CRLF there is the empty line.
    private var lineStart = 0
    /// The number of complete lines, including the request line.
    private var lines = 0

    /// Returns the length of the head including the empty line; nil while it is incomplete.
    ///
    /// - Parameter bytes: All bytes of the head so far.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, limits: HeadLimits) throws(Rejection) -> Int? {
        while position < bytes.count {
            skipText(bytes)
            guard position < bytes.count else { break }
            let byte = bytes[position]
            if byte >= 0x20 ? byte != 0x7F : byte == 0x09 {
                position += 1
                continue
            }
            // RFC 9112 §2.2: a line ends with CRLF. Parsers disagree about a bare LF, a bare CR, NUL and other controls
            // (RFC 9110 §5.5), so all of them are rejected.
            guard byte == 0x0D else { throw Rejection("The head contains a control character or a bare LF.") }
            guard position + 1 < bytes.count else { break }
            guard bytes[position + 1] == 0x0A else { throw Rejection("The head contains a bare CR.") }
            position += 2
            if position - 2 == lineStart { return try end(limits) }
            lineStart = position
            lines += 1
            guard lines - 1 <= limits.fieldCount else { throw .headTooLarge }
        }
        try check(limits)
        return nil
    }

    /// Skips bytes that are not controls, eight at a time.
    private mutating func skipText(_ bytes: UnsafeBufferPointer<UInt8>) {
        let text = UnsafeRawBufferPointer(bytes)
        while text.count - position >= 8 {
            let block = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            // The high bit of each byte below 0x20, and of each 0x7F; the byte after it may have the bit, too.
            let deletes = block ^ 0x7F7F_7F7F_7F7F_7F7F
            let controls =
                (block &- 0x2020_2020_2020_2020) & ~block | (deletes &- 0x0101_0101_0101_0101) & ~deletes
            guard controls & 0x8080_8080_8080_8080 == 0 else { return }
            position += 8
        }
    }

    /// Checks the limits of a head that arrived in one piece.
    private func end(_ limits: HeadLimits) throws(Rejection) -> Int {
        try check(limits)
        return position
    }

    /// Checks the size; a long request line is 414, large fields are 431 (RFC 9110 §15.5.15, RFC 6585
    /// §5).
    private func check(_ limits: HeadLimits) throws(Rejection) {
        guard position > limits.bytes else { return }
        throw lines == 0 ? .uriTooLong : .headTooLarge
    }
}

struct HeadLimits: Sendable {
    /// The maximum size of the request line and all field lines together.
    let bytes: Int
    /// The maximum number of field lines.
    let fieldCount: Int
}
