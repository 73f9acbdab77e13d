// SPDX-License-Identifier: Apache-2.0

/// Pairs of text as a query or as the content of a form.
public enum FormEncoding {
    /// The media type of a form's content.
    public static let mediaType = "application/x-www-form-urlencoded"

    /// Pairs as `name=value&…`.
    ///
    /// Everything but the unreserved characters of RFC 3986 §2.3 is percent-encoded, a space as `%20`: that reads the
    /// same to those who take `+` for a space and to those who do not.
    public static func encode(_ pairs: some Sequence<(String, String)>) -> String {
        var bytes: [UInt8] = []
        for (name, value) in pairs {
            if !bytes.isEmpty { bytes.append(0x26) }
            append(name, to: &bytes)
            bytes.append(0x3D)
            append(value, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// RFC 3986 §2.3: what stands for itself everywhere in a URL.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Adds `%` and two digits, in upper case as RFC 3986 §2.1 wants them.
    static func appendEncoded(_ byte: UInt8, to bytes: inout [UInt8]) {
        let digits: StaticString = "0123456789ABCDEF"
        bytes.append(0x25)
        bytes.append(digits.utf8Start[Int(byte >> 4)])
        bytes.append(digits.utf8Start[Int(byte & 15)])
    }

    /// Adds a text with everything encoded that means something in a URL.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            if isUnreserved(byte) { bytes.append(byte) } else { appendEncoded(byte, to: &bytes) }
        }
    }

    /// The value of a hexadecimal digit in either case; nil for any other byte.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
