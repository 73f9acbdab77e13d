// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchIdentityStorage

/// The sender of an email: an address with or without a display name, as `Acme <no-reply@example.com>` (RFC 5322 §3.4).
struct Mailbox: Sendable, Hashable {
    /// The name that email programs show; nil for an address without a name.
    let name: String?
    let address: String

    /// Parses a mailbox; nil for other texts, such as two addresses or a text with a line break (attack E10).
    init?(_ text: String) {
        let trimmed = text.trimmingSpace()
        let bytes = trimmed.utf8
        guard let open = bytes.lastIndex(of: UInt8(ascii: "<")) else {
            guard let address = Self.address(trimmed) else { return nil }
            (name, self.address) = (nil, address)
            return
        }
        guard bytes.last == UInt8(ascii: ">"),
            let address = Self.address(trimmed[bytes.index(after: open)...].dropLastByte())
        else { return nil }
        let name = Self.unquoted(trimmed[..<open].trimmingSpace())
        guard let name, name.utf8.count <= 200, name.isPlain else { return nil }
        (self.name, self.address) = (name.isEmpty ? nil : name, address)
    }

    /// The text that parses to the same mailbox.
    var text: String { name.map { "\(Self.quotedIfNeeded($0)) <\(address)>" } ?? address }

    /// Returns the value of a From field: in ASCII, or for files in UTF-8 where that is allowed (RFC 6532 §3.2).
    func fieldValue(allowingUTF8: Bool) -> String {
        guard let name else { return "<\(address)>" }
        let phrase = allowingUTF8 || name.isASCII ? Self.quotedIfNeeded(name) : EncodedWord.encode(name)
        return "\(phrase) <\(address)>"
    }

    private static func address(_ text: Substring) -> String? {
        do throws(IdentityError) {
            let address = try EmailAddress(String(text))
            return address.text.utf8.count == text.utf8.count ? address.text : nil
        } catch {
            return nil
        }
    }

    /// Returns a display name without its quotation marks; nil if it has specials outside of them (RFC 5322 §3.2.3).
    ///
    /// A dot is accepted there, since it is common.
    private static func unquoted(_ text: Substring) -> String? {
        guard text.utf8.first == UInt8(ascii: "\"") else {
            return text.utf8.contains { isSpecial($0) && $0 != UInt8(ascii: ".") } ? nil : String(text)
        }
        var scalars = String.UnicodeScalarView()
        var rest = text.unicodeScalars.dropFirst()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return rest.isEmpty ? String(scalars) : nil
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                scalars.append(escaped)
            default: scalars.append(scalar)
            }
        }
        return nil
    }

    private static func quotedIfNeeded(_ name: String) -> String {
        guard name.utf8.contains(where: isSpecial) else { return name }
        var quoted = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Whether a byte needs quotation marks around it (RFC 5322 §3.2.3).
    private static func isSpecial(_ byte: UInt8) -> Bool { "()<>[]:;@\\,.\"".utf8.contains(byte) }
}

extension Substring {
    fileprivate func dropLastByte() -> Substring { Substring(utf8.dropLast()) }
}

extension StringProtocol {
    /// Whether all characters are ASCII.
    package var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

/// The encoding of text in header fields that are ASCII (RFC 2047), which leaves ASCII letters readable.
enum EncodedWord {
    /// The maximum length of a word: a line has at most 76 characters, including the name of the field (RFC 2047 §2).
    private static let maximumLength = 62

    /// Returns a text as encoded words, each on its own line.
    static func encode(_ text: String) -> String {
        let (start, end) = ("=?utf-8?Q?", "?=")
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            // RFC 2047 §5 (3): no character is divided between two words.
            let piece = String(scalar).utf8.map(encode).joined()
            if start.utf8.count + word.utf8.count + piece.utf8.count + end.utf8.count > maximumLength {
                words.append(start + word + end)
                word = ""
            }
            word += piece
        }
        words.append(start + word + end)
        return words.joined(separator: "\r\n ")
    }

    /// RFC 2047 §4.2 and §5 (3): the characters that a phrase may hold unencoded; a space is an underscore.
    private static func encode(_ byte: UInt8) -> String {
        if byte == 0x20 { return "_" }
        return byte.isASCIIAlphanumeric || "!*+-/".utf8.contains(byte)
            ? String(UnicodeScalar(byte)) : QuotedPrintable.escape(byte)
    }
}
