// SPDX-License-Identifier: Apache-2.0

/// A login name in addition to the email address, as typed and in its canonical form.
package struct Username: Sendable, Hashable {
    /// The name as typed.
    package let text: String
    /// The canonical form: the name in lower case.
    package let key: String

    package init(text: String, key: String) {
        self.text = text
        self.key = key
    }
}

extension Username {
    /// Parses a name, without surrounding white space.
    ///
    /// It is ASCII, so that two different names never look alike. It contains no `@`, so that it is never an address.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    package init(_ typed: String) throws(IdentityError) {
        let text = typed.trimmingSpace()
        guard text.isWord(maximum: 64, also: "-._") else { throw .invalidUsername }
        self.init(text: String(text), key: text.lowercased())
    }
}
