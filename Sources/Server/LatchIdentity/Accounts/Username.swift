// SPDX-License-Identifier: Apache-2.0

/// A login name in addition to the e-mail address, as typed and in its canonical form.
package struct Username: Sendable, Hashable {
    /// The name as typed.
    package let text: String
    /// The canonical form: the name in lower case.
    package let key: String

    /// Parses a name, without surrounding white space.
    ///
    /// Only ASCII, so that no two different names look alike; and no `@`, so that no name is an address.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    package init(_ typed: String) throws(IdentityError) {
        let text = typed.trimmingSpace()
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { throw .invalidUsername }
        self.init(text: String(text), key: text.lowercased())
    }

    /// Creates a stored name.
    package init(text: String, key: String) {
        self.text = text
        self.key = key
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
