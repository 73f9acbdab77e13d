// SPDX-License-Identifier: Apache-2.0

/// Reads the pieces that field values are made of (RFC 9110 §5.6), byte by byte.
///
/// It looks at bytes since a `Character` may hide a separator: a comma with an accent after it is one `Character`.
struct FieldScanner {
    private let bytes: [UInt8]
    /// Where the next byte is.
    private(set) var place = 0

    init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    /// The next byte; nil at the end.
    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    var isAtEnd: Bool { place == bytes.count }

    /// Goes on to a place that `place` was before.
    mutating func goBack(to place: Int) { self.place = min(place, self.place) }

    /// Takes the next byte if it is this one.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    /// Takes all bytes for which `isTaken` is true; they are text, with what is not UTF-8 replaced.
    mutating func take(while isTaken: (UInt8) -> Bool) -> String {
        let start = place
        while place < bytes.count, isTaken(bytes[place]) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// Takes optional whitespace (RFC 9110 §5.6.3), and says whether there was any.
    @discardableResult
    mutating func skipWhitespace() -> Bool {
        let start = place
        while let next, next == 0x20 || next == 0x09 { place += 1 }
        return place > start
    }

    /// Takes a token (RFC 9110 §5.6.2); nil where there is none.
    mutating func token() -> String? {
        let token = take(while: isTokenByte)
        return token.isEmpty ? nil : token
    }

    /// Takes a quoted string (RFC 9110 §5.6.4) and gives what it means; nil where it is not one, or does not end.
    mutating func quotedString() -> String? {
        guard take(0x22) else { return nil }
        var content: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case 0x22: return String(decoding: content, as: UTF8.self)
            case 0x5C:
                guard let escaped = next, Self.isText(escaped) else { return nil }
                place += 1
                content.append(escaped)
            case _ where Self.isText(byte): content.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// A tab, or anything but a control character.
    private static func isText(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }
}

extension Substring {
    /// The text without the spaces and tabs around it (RFC 9110 §5.6.3).
    var trimmingOptionalWhitespace: Substring {
        let isWhitespace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard let first = utf8.firstIndex(where: { !isWhitespace($0) }),
            let last = utf8.lastIndex(where: { !isWhitespace($0) })
        else { return self[endIndex...] }
        return self[first..<utf8.index(after: last)]
    }
}
