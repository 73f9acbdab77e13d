// SPDX-License-Identifier: Apache-2.0

/// Identifiers of fixed shapes.
enum NameForm {
    /// RFC 9562 §4: 32 digits in groups of 8, 4, 4, 4 and 12.
    static func isUUID(_ bytes: [UInt8]) -> Bool {
        bytes.count == 36
            && bytes.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : byte.isHexDigit
            }
    }

    /// 26 characters of Crockford's base 32, the first of them at most 7 (https://github.com/ulid/spec).
    static func isULID(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 26, let first = bytes.first, (0x30...0x37).contains(first) else { return false }
        return bytes.allSatisfy { byte in
            byte.isDigit || byte.isLetter && !"ilou".utf8.contains(byte | 0x20)
        }
    }

    /// Names of letters, digits and underscores, with dots between them.
    static func isQualified(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            guard let first = part.first, !first.isDigit else { return false }
            return part.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        }
    }

    /// RFC 9110 §5.6.2, and a colon in front for those of HTTP/2; a comma too, as protovalidate has it.
    static func isHeaderName(_ bytes: [UInt8]) -> Bool {
        let name = bytes.first == UInt8(ascii: ":") ? bytes.dropFirst() : bytes[...]
        return !name.isEmpty
            && name.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+,-.^_|~`".utf8.contains($0) }
    }
}

/// Mail addresses as HTML's forms take them (https://html.spec.whatwg.org/#valid-e-mail-address).
enum MailForm {
    static func isAddress(_ bytes: [UInt8]) -> Bool {
        guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
        let isLocal = bytes[..<at].allSatisfy { $0.isLetter || $0.isDigit || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }
        return isLocal
            && bytes[(at + 1)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy(HostForm.isLabel)
    }
}
