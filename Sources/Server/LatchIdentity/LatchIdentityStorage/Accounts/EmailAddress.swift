// SPDX-License-Identifier: Apache-2.0

/// An email address, as typed and in its canonical form.
///
/// Addresses are ASCII (RFC 5321 §4.1.2). An international domain is written in its xn-- form (RFC 5890 §2.3.2.1). So
/// two different addresses never look alike, and an address cannot inject a line break or NUL into an email.
package struct EmailAddress: Sendable, Hashable {
    /// The address as typed, to which email is sent.
    package let text: String
    /// The canonical form: the address in lower case.
    ///
    /// RFC 5321 §2.4 permits a case-sensitive local part, but no host in use has one.
    package let key: String

    package init(text: String, key: String) {
        self.text = text
        self.key = key
    }
}

extension EmailAddress {
    /// Parses an address, without surrounding white space.
    ///
    /// - Throws: `IdentityError.invalidEmail`.
    package init(_ typed: String) throws(IdentityError) {
        let text = typed.trimmingSpace()
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { throw .invalidEmail }
        // RFC 5321 §4.5.3.1: the lengths. §4.1.2: a dot-string and a domain. Quoted strings are obsolete in practice,
        // and address literals are not supported. RFC 5322 §3.2.3: the characters of an atom.
        guard text.utf8.count <= 254, Self.isDotted(text[..<at], maximum: 64, also: "-!#$%&'*+/=?^_`{|}~"),
            Self.isDotted(text[text.utf8.index(after: at)...], maximum: 255, also: "-")
        else { throw .invalidEmail }
        self.init(text: String(text), key: text.lowercased())
    }

    /// Returns whether a part is one or more words with single dots between them (RFC 5322 §3.2.3).
    private static func isDotted(_ part: Substring, maximum: Int, also others: String) -> Bool {
        part.utf8.count <= maximum
            && part.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy { Substring($0).isWord(maximum: maximum, also: others) }
    }
}
