// SPDX-License-Identifier: Apache-2.0

/// An e-mail address: as it was typed, and the form by which two of them are the same account.
///
/// Addresses are ASCII (RFC 5321 §4.1.2); an international domain is written in its xn-- form (RFC 5890 §2.3.2.1). So no
/// two addresses look alike and differ, and none of them can carry a line break or NUL into a mail.
package struct EmailAddress: Sendable, Hashable {
    /// As it was typed, which is how mail is addressed.
    package let text: String
    /// The address in lower case.
    ///
    /// RFC 5321 §2.4 lets a host tell cases apart in the local part; none in use does.
    package let key: String

    /// Reads an address, without the white space around it.
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

    /// An address that the store gave out again.
    package init(text: String, key: String) {
        self.text = text
        self.key = key
    }

    /// One or more atoms with single dots between them (RFC 5322 §3.2.3): no dot at an end, no two in a row.
    private static func isDotted(_ part: Substring.UTF8View, allowing isAllowed: (UInt8) -> Bool) -> Bool {
        part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.allSatisfy(isAllowed) }
    }

    /// RFC 5322 §3.2.3: atext.
    private static func isLocalByte(_ byte: UInt8) -> Bool {
        isDomainByte(byte) || "!#$%&'*+/=?^_`{|}~".utf8.contains(byte)
    }

    /// Letters, digits and hyphens (RFC 5321 §4.1.2); literals in brackets are refused, for mail to a number is never
    /// wanted.
    private static func isDomainByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
        default: false
        }
    }
}

extension String {
    /// Without the spaces, tabs and line ends around it.
    func trimmingSpace() -> Substring {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}
