// SPDX-License-Identifier: Apache-2.0

/// A scanner of field values (RFC 9110 §5.6).
///
/// It compares bytes, since a comma followed by a combining accent is a single `Character`.
package struct FieldScanner {
    private let bytes: [UInt8]
    /// The index of the next byte.
    private(set) var position = 0

    package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    /// The next byte; nil at the end.
    package var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    package var isAtEnd: Bool { position == bytes.count }

    /// Returns to an earlier position.
    mutating func goBack(to position: Int) { self.position = min(position, self.position) }

    /// Consumes the next byte if it is the given one.
    package mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// Consumes and returns the next byte; nil at the end.
    mutating func takeNext() -> UInt8? {
        defer { position = min(position + 1, bytes.count) }
        return next
    }

    /// Consumes all bytes for which `isTaken` is true and decodes them as UTF-8, replacing invalid bytes.
    package mutating func take(while isTaken: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, isTaken(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Skips optional whitespace (RFC 9110 §5.6.3) and returns whether there was any.
    @discardableResult
    package mutating func skipWhitespace() -> Bool {
        let start = position
        while let next, next == 0x20 || next == 0x09 { position += 1 }
        return position > start
    }

    /// Consumes a token (RFC 9110 §5.6.2), or returns nil if there is none.
    package mutating func token() -> String? {
        let token = take(while: isTokenByte)
        return token.isEmpty ? nil : token
    }

    /// Consumes a quoted string (RFC 9110 §5.6.4) and returns its content, or nil if it is malformed.
    package mutating func quotedString() -> String? {
        guard take(0x22) else { return nil }
        var content: [UInt8] = []
        while let byte = takeNext() {
            switch byte {
            case 0x22: return String(decoding: content, as: UTF8.self)
            case 0x5C:
                guard let escaped = takeNext(), Self.isText(escaped) else { return nil }
                content.append(escaped)
            case _ where Self.isText(byte): content.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// Whether a byte is a tab or not a control character.
    private static func isText(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }
}
