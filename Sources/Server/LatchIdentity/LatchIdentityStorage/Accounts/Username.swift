// SPDX-License-Identifier: Apache-2.0

import LatchCore

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

    /// Parses a name that a user chooses.
    ///
    /// - Parameter current: The present name of the account, which it may keep.
    /// - Throws: `IdentityError.invalidInput`, also for a name in the form of another account's substitute.
    package init(choosing typed: String, insteadOf current: Username? = nil) throws(IdentityError) {
        try self.init(typed)
        guard key == current?.key || !isSubstitute else { throw .reservedUsername }
    }

    private static let substitutePrefix = "user-"
    /// The number of hexadecimal digits, of which 62 bits are random.
    private static let substituteDigits = 16

    /// Returns the name by which relying parties know an account without a user name, such as `user-80000123456789ab`.
    ///
    /// Some of them accept no user without `preferred_username`. It is never a part of the address: the owner of
    /// `admin@evil.example` would be `admin` there.
    ///
    /// - Parameter accountID: A UUID, whose last digits are random.
    package static func substitute(for accountID: String) -> String {
        let digits = accountID.utf8.filter { $0 != UInt8(ascii: "-") }
        return substitutePrefix + String(decoding: digits.suffix(substituteDigits), as: UTF8.self)
    }

    private var isSubstitute: Bool {
        let rest = key.utf8.dropFirst(Self.substitutePrefix.utf8.count)
        return key.utf8.starts(with: Self.substitutePrefix.utf8) && rest.count == Self.substituteDigits
            && rest.allSatisfy { Hex.value(of: $0) != nil }
    }
}
