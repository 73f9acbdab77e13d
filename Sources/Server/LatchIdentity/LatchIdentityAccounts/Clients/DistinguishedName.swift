// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchIdentityStorage

/// A distinguished name as a text (RFC 4514), such as `CN=notes,O=Example,C=DE`.
///
/// Values are compared exactly. The parts begin with the most specific one, as `openssl x509 -nameopt RFC2253` prints
/// them.
struct DistinguishedName: Sendable, Hashable {
    /// The type of an attribute in dotted decimals, and its value.
    private struct Attribute: Hashable {
        /// It is nil for a type of a certificate that no text names.
        let type: String?
        let value: Value
    }

    /// A value as the bytes of a text, or in DER if it is not a text.
    private enum Value: Hashable {
        case text([UInt8])
        case der([UInt8])

        init(_ value: X509Certificate.Value) {
            self = value.text.map { .text(Array($0.utf8)) } ?? .der(value.der)
        }
    }

    /// The parts, each of which may have several attributes.
    private let parts: [Set<Attribute>]

    /// The types with a name (RFC 4514 §3, RFC 4519 §2), and those that openssl names.
    private static let types = [
        "cn": "2.5.4.3", "sn": "2.5.4.4", "serialnumber": "2.5.4.5", "c": "2.5.4.6", "l": "2.5.4.7", "st": "2.5.4.8",
        "street": "2.5.4.9", "o": "2.5.4.10", "ou": "2.5.4.11", "title": "2.5.4.12", "businesscategory": "2.5.4.15",
        "postalcode": "2.5.4.17", "gn": "2.5.4.42", "organizationidentifier": "2.5.4.97",
        "uid": "0.9.2342.19200300.100.1.1", "dc": "0.9.2342.19200300.100.1.25",
        "emailaddress": "1.2.840.113549.1.9.1", "jurisdictionl": "1.3.6.1.4.1.311.60.2.1.1",
        "jurisdictionst": "1.3.6.1.4.1.311.60.2.1.2", "jurisdictionc": "1.3.6.1.4.1.311.60.2.1.3",
    ]

    /// Creates the subject of a certificate.
    init(subjectOf certificate: X509Certificate) {
        // RFC 4514 §2.1: in reverse order.
        parts = certificate.subject.reversed().map { set in
            Set(set.map { Attribute(type: $0.type, value: Value($0.value)) })
        }
    }

    /// Parses a text; nil if it is empty or malformed.
    init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= 1000 else { return nil }
        var rest = text.utf8[...]
        var parts: [Set<Attribute>] = [[]]
        while true {
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")),
                let type = Self.type(String(Substring(rest[..<equals])))
            else { return nil }
            rest = rest[rest.index(after: equals)...]
            guard let value = Self.value(&rest) else { return nil }
            guard parts[parts.count - 1].insert(Attribute(type: type, value: value)).inserted else { return nil }
            guard let separator = rest.popFirst() else { break }
            if separator != UInt8(ascii: "+") { parts.append([]) }
        }
        self.parts = parts
    }

    private static func type(_ text: String) -> String? {
        let name = String(text.trimmingSpace())
        let isNumeric =
            name.utf8.contains(UInt8(ascii: ".")) && name.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        return isNumeric ? name : types[name.lowercasedASCII()]
    }

    /// Reads a value up to the next separator, which stays (RFC 4514 §2.4).
    private static func value(_ rest: inout Substring.UTF8View) -> Value? {
        while rest.first == 0x20 { rest = rest.dropFirst() }
        let isHex = rest.first == UInt8(ascii: "#")
        var bytes: [UInt8] = []
        // The number of bytes up to the last one that is not a space without an escape.
        var length = 0
        while let byte = rest.first, !",+;".utf8.contains(byte) {
            rest = rest.dropFirst()
            guard byte == UInt8(ascii: "\\") else {
                guard !"\"<>".utf8.contains(byte), byte >= 0x20 else { return nil }
                bytes.append(byte)
                if byte != 0x20 { length = bytes.count }
                continue
            }
            guard let escaped = unescaped(&rest) else { return nil }
            bytes.append(escaped)
            length = bytes.count
        }
        let content = Array(bytes.prefix(length))
        guard isHex else { return .text(content) }
        let digits = String(decoding: content.dropFirst(), as: UTF8.self)
        return Hex.decode(digits, count: digits.utf8.count / 2).map { Value(X509Certificate.Value(der: $0)) }
    }

    /// Reads what follows a backslash: a special character, or a byte in hexadecimal.
    private static func unescaped(_ rest: inout Substring.UTF8View) -> UInt8? {
        guard let first = rest.popFirst() else { return nil }
        guard let high = Hex.value(of: first), let second = rest.first, let low = Hex.value(of: second) else {
            return " \"#+,;<=>\\".utf8.contains(first) ? first : nil
        }
        rest = rest.dropFirst()
        return high << 4 | low
    }
}
