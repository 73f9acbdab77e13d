// SPDX-License-Identifier: Apache-2.0

/// Finds the end of a request's head in bytes that arrive in pieces, and refuses what two readers could read in two ways.
///
/// Nothing else of the head is looked at until it is here whole, so each byte is scanned once.
struct HeadScanner {
    /// How many bytes were found to be in order.
    private(set) var position = 0
    /// Where the current line begins; a CRLF right there is the empty line.
    private var lineStart = 0
    /// How many lines have ended, the request line among them.
    private var lines = 0

    /// Where the head ends, behind the empty line; nil while it is incomplete.
    ///
    /// - Parameter bytes: All bytes of the head so far, from its first.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, limits: HeadLimits) throws(Refusal) -> Int? {
        while position < bytes.count {
            let byte = bytes[position]
            if byte >= 0x20 ? byte != 0x7F : byte == 0x09 {
                position += 1
                continue
            }
            // RFC 9112 §2.2: a line ends with CRLF. A bare LF, a bare CR (which MUST NOT be let through), NUL and
            // other controls (RFC 9110 §5.5) are where two parsers part, so no head has any of them.
            guard byte == 0x0D else { throw Refusal("The head holds a control character or a bare LF.") }
            guard position + 1 < bytes.count else { break }
            guard bytes[position + 1] == 0x0A else { throw Refusal("The head holds a bare CR.") }
            position += 2
            if position - 2 == lineStart { return try end(limits) }
            lineStart = position
            lines += 1
            guard lines - 1 <= limits.fieldCount else { throw .headTooLarge }
        }
        try check(limits)
        return nil
    }

    /// A head that came whole in one piece has not been measured yet.
    private func end(_ limits: HeadLimits) throws(Refusal) -> Int {
        try check(limits)
        return position
    }

    /// RFC 9110 §15.5.15 and RFC 6585 §5: a long target is told from long fields by where it stops.
    private func check(_ limits: HeadLimits) throws(Refusal) {
        guard position > limits.bytes else { return }
        throw lines == 0 ? .uriTooLong : .headTooLarge
    }
}

/// How large a head may be.
struct HeadLimits: Sendable {
    /// The request line and all field lines together.
    let bytes: Int
    /// How many field lines there may be.
    let fieldCount: Int
}
