// SPDX-License-Identifier: Apache-2.0

/// An e-mail address, as typed and in its canonical form.
///
/// Addresses are ASCII (RFC 5321 §4.1.2); an international domain is written in its xn-- form (RFC 5890 §2.3.2.1). So
/// no two different addresses look alike, and none can inject a line break or NUL into a mail.
package struct EmailAddress: Sendable, Hashable {
    /// The address as typed, to which mail is sent.
    package let text: String
    /// The canonical form: the address in lower case.
    ///
    /// RFC 5321 §2.4 permits a case-sensitive local part; no host in use has one.
    package let key: String

    /// Parses an address, without surrounding white space.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    package init(_ typed: String) throws(IdentityError) {
        let text = typed.trimmingSpace()
        guard let at = text.lastIndex(of: "@") else { throw .invalidEmail }
        let local = text[..<at].utf8
        let domain = text[text.index(after: at)...].utf8
        // RFC 5321 §4.5.3.1: the lengths; §4.1.2: dot-string (quoted strings are obsolete in practice and refused).
        guard (1...64).contains(local.count), (1...255).contains(domain.count), text.utf8.count <= 254,
            Self.isDotted(local, allowing: Self.isLocalByte), Self.isDotted(domain, allowing: Self.isDomainByte)
        else { throw .invalidEmail }
        self.text = String(text)
        key = text.lowercased()
    }

    /// Creates a stored address.
    package init(text: String, key: String) {
        self.text = text
        self.key = key
    }

    /// Returns whether a part is one or more atoms with single dots between them (RFC 5322 §3.2.3).
    private static func isDotted(_ part: Substring.UTF8View, allowing isAllowed: (UInt8) -> Bool) -> Bool {
        part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.allSatisfy(isAllowed) }
    }

    /// Returns whether a byte is atext (RFC 5322 §3.2.3).
    private static func isLocalByte(_ byte: UInt8) -> Bool {
        isDomainByte(byte) || "!#$%&'*+/=?^_`{|}~".utf8.contains(byte)
    }

    /// Returns whether a byte is a letter, a digit or a hyphen (RFC 5321 §4.1.2); address literals are not supported.
    private static func isDomainByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
        default: false
        }
    }
}

extension String {
    /// Returns the text without surrounding spaces, tabs and line ends.
    func trimmingSpace() -> Substring {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}
