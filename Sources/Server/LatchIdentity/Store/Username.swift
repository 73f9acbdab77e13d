// SPDX-License-Identifier: Apache-2.0

/// A name to log in with, beside the e-mail address: as it was typed, and the form by which two of them are the same.
package struct Username: Sendable, Hashable {
    /// As it was typed.
    package let text: String
    /// The name in lower case.
    package let key: String

    /// Reads a name, without the white space around it.
    ///
    /// ASCII alone, so that no two names look alike and differ; and no `@`, so that no name is somebody's address.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    package init(_ typed: String) throws(IdentityError) {
        let text = typed.trimmingSpace()
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { throw .invalidUsername }
        self.init(text: String(text), key: text.lowercased())
    }

    /// A name that the store gave out again.
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

extension IdentityError {
    static let invalidUsername = IdentityError.invalidInput(
        "'username' is not one", hint: "Use up to 64 of a–z, 0–9, '.', '-' and '_', or the e-mail address itself.")
}
