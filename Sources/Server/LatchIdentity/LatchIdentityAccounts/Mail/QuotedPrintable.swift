// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The quoted-printable encoding of email texts (RFC 2045 §6.7), which leaves ASCII readable.
enum QuotedPrintable {
    /// Returns a text in lines of at most 76 ASCII characters, separated by CRLF.
    static func encode(_ text: String) -> String {
        // Split by bytes, since "\r\n" is one Character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.map { encodeLine($0.last == 0x0D ? $0.dropLast() : $0) }.joined(separator: "\r\n")
    }

    private static func encodeLine(_ bytes: Substring.UTF8View) -> String {
        var encoded = ""
        var width = 0
        for (index, byte) in zip(bytes.indices, bytes) {
            let isLast = bytes.index(after: index) == bytes.endIndex
            // A dot at the beginning of a line could end the email (RFC 5321 §4.5.2); space at its end is lost.
            let isPlain =
                switch byte {
                case UInt8(ascii: "="): false
                case UInt8(ascii: "."): width > 0
                case 0x20, 0x09: !isLast
                default: (0x21...0x7E).contains(byte)
                }
            let piece = isPlain ? String(UnicodeScalar(byte)) : escape(byte)
            // The last column is for the soft line break.
            if width + piece.utf8.count > 75 {
                encoded += "=\r\n"
                width = 0
            }
            // After the break, a dot may begin the line.
            let fitted = width == 0 && byte == UInt8(ascii: ".") ? escape(byte) : piece
            encoded += fitted
            width += fitted.utf8.count
        }
        return encoded
    }

    /// Returns a byte as an equals sign and its two digits.
    static func escape(_ byte: UInt8) -> String {
        "=" + Hex.encode([byte]).uppercased()
    }
}
