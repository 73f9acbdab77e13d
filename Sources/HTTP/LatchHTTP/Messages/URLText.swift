// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

extension URL {
    /// Creates a URL from a text of another program or a user, such as a Location field or a callback.
    ///
    /// Bytes that a URL must not hold are percent-encoded, and existing percent-encoding is kept (RFC 3986 §2.4).
    /// `URL(string:)` encodes every percent sign of a component with one forbidden byte, which changes the component's
    /// values.
    ///
    /// - Parameter base: The URL that a relative reference is resolved against (RFC 3986 §5); nil for none.
    /// - Returns: nil if the text is not a URL, such as one with a forbidden byte in its host.
    package init?(encodingOnce text: String, relativeTo base: URL? = nil) {
        guard let encoded = URLText.encoded(text) else { return nil }
        guard !encoded.isEmpty || base == nil else {
            // RFC 3986 §5.2.2: an empty reference is the base; Foundation does not resolve it.
            guard let base else { return nil }
            self = base
            return
        }
        self.init(string: encoded, encodingInvalidCharacters: false)
        guard let base else { return }
        // The text is already encoded here.
        guard let url = URL(string: encoded, relativeTo: base)?.absoluteURL else { return nil }
        self = url
    }
}

/// The text of a URL or of a relative reference (RFC 3986 §4.1).
enum URLText {
    /// Percent-encodes the bytes that the path, the query and the fragment must not hold, and keeps existing
    /// percent-encoding.
    ///
    /// - Returns: nil if the authority holds a forbidden byte.
    static func encoded(_ text: String) -> String? {
        // Most texts hold no such byte.
        if text.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || "/:?&=".utf8.contains($0) }) { return text }
        let bytes = Array(text.utf8)
        let end = endOfAuthority(in: bytes)
        guard var head = head(bytes[..<end]) else { return nil }
        var (isFragment, index) = (false, end)
        while index < bytes.endIndex {
            let byte = bytes[index]
            switch byte {
            case 0x23 where !isFragment:
                isFragment = true
                head.append(byte)
            case 0x25 where bytes.dropFirst(index + 1).prefix(2).compactMap(Hex.value).count == 2: head.append(byte)
            case _ where PercentEncoding.isUnreserved(byte) || "!$&'()*+,/:;=?@".utf8.contains(byte): head.append(byte)
            default: PercentEncoding.appendEncoded(byte, to: &head)
            }
            index += 1
        }
        return String(decoding: head, as: UTF8.self)
    }

    /// Returns the scheme and the authority as they can be written in a URL.
    ///
    /// A name in another script becomes its registered name (RFC 5891).
    private static func head(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        if bytes.contains(where: { $0 >= 0x80 }) {
            let origin = URL(string: String(decoding: bytes, as: UTF8.self))?.absoluteString
            guard let origin, origin.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
            return Array(origin.utf8)
        }
        let isAllowed = bytes.allSatisfy { PercentEncoding.isUnreserved($0) || "!$%&'()*+,/:;=@[]".utf8.contains($0) }
        return isAllowed ? Array(bytes) : nil
    }

    /// Returns the end of the authority, or of the scheme if the text has no authority (RFC 3986 §3).
    private static func endOfAuthority(in bytes: [UInt8]) -> Int {
        var start = 0
        let delimiter = bytes.firstIndex { ":/?#".utf8.contains($0) }
        if let delimiter, bytes[delimiter] == 0x3A, isScheme(bytes[..<delimiter]) { start = delimiter + 1 }
        guard bytes[start...].starts(with: [0x2F, 0x2F]) else { return start }
        return bytes[(start + 2)...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
    }

    /// Whether a text is a scheme (RFC 3986 §3.1).
    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, isAlphanumeric(first), !isDigit(first) else { return false }
        return bytes.allSatisfy { isAlphanumeric($0) || "+-.".utf8.contains($0) }
    }
}
