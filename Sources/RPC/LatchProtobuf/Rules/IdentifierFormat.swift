// SPDX-License-Identifier: Apache-2.0

enum IdentifierFormat {
    /// Whether bytes are a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12 (RFC 9562 §4).
    static func isUUID(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 36
            && bytes.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : byte.isHexDigit
            }
    }

    /// Whether bytes are a ULID: 26 characters of Crockford's base 32, the first at most 7
    /// (https://github.com/ulid/spec).
    static func isULID(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count == 26, let first = bytes.first, (0x30...0x37).contains(first) else { return false }
        return bytes.allSatisfy { byte in
            byte.isDigit || byte.isLetter && !"ilou".utf8.contains(byte | 0x20)
        }
    }

    /// Whether bytes are a qualified name: identifiers separated by dots.
    static func isQualified(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            guard let first = part.first, !first.isDigit else { return false }
            return part.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        }
    }

    /// Whether bytes are a header name (RFC 9110 §5.6.2), with a leading colon for HTTP/2 pseudo-headers.
    ///
    /// Like protovalidate, it also permits a comma.
    static func isHeaderName(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.first == UInt8(ascii: ":") ? bytes.dropFirst() : bytes
        return !name.isEmpty
            && name.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+,-.^_|~`".utf8.contains($0) }
    }

    /// Whether bytes are an email address as in HTML forms (https://html.spec.whatwg.org/#valid-e-mail-address).
    static func isEmail(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > bytes.startIndex else { return false }
        let isLocal = bytes[..<at].allSatisfy { $0.isLetter || $0.isDigit || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }
        return isLocal
            && bytes[(at + 1)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy(HostFormat.isLabel)
    }
}
