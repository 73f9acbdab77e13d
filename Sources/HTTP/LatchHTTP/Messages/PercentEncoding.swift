// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Percent-encoding of bytes (RFC 3986 §2.1), for code that compares or signs the components of a target.
package enum PercentEncoding {
    /// Encodes everything except the unreserved characters (RFC 3986 §2.3) and those that `isKept` accepts.
    package static func encode(
        _ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool = { _ in false }
    ) -> String {
        var encoded: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || isKept(byte) { encoded.append(byte) } else { appendEncoded(byte, to: &encoded) }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Decodes percent-encoded text; a percent sign without two digits is not changed.
    ///
    /// - Parameter plusIsSpace: Whether `+` is a space, as in a form.
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            let digits = byte == 0x25 ? rest.prefix(2).compactMap(Hex.value) : []
            if digits.count == 2 {
                bytes.append(digits[0] << 4 | digits[1])
                rest.removeFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == 0x2B ? 0x20 : byte)
            }
        }
        return bytes
    }

    /// Whether a byte is an unreserved character, which needs no encoding anywhere in a URL (RFC 3986 §2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2D, 0x2E, 0x5F, 0x7E: true
        default: isAlphanumeric(byte)
        }
    }

    /// Appends `%` and two upper-case digits, as RFC 3986 §2.1 recommends.
    static func appendEncoded(_ byte: UInt8, to bytes: inout [UInt8]) {
        let digits: StaticString = "0123456789ABCDEF"
        bytes.append(0x25)
        bytes.append(digits.utf8Start[Int(byte >> 4)])
        bytes.append(digits.utf8Start[Int(byte & 15)])
    }

    /// Appends a text, percent-encoding everything except unreserved characters.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            if isUnreserved(byte) { bytes.append(byte) } else { appendEncoded(byte, to: &bytes) }
        }
    }
}

/// The encoding of name-value pairs as a query or as form content.
package enum FormEncoding {
    /// The media type of form content.
    package static let mediaType = "application/x-www-form-urlencoded"

    /// Encodes pairs as `name=value&…`.
    ///
    /// Everything except the unreserved characters of RFC 3986 §2.3 is percent-encoded, including the space as `%20`.
    /// Every decoder reads that the same way, whether or not it treats `+` as a space.
    package static func encode(_ pairs: some Sequence<(String, String)>) -> String {
        var bytes: [UInt8] = []
        for (name, value) in pairs {
            if !bytes.isEmpty { bytes.append(0x26) }
            PercentEncoding.append(name, to: &bytes)
            bytes.append(0x3D)
            PercentEncoding.append(value, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
