// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchFoundation

/// The data of a registration besides the account: the app's fields, and the terms that the user has accepted.
///
/// Authorization never depends on it, and no token contains it.
package struct Registration: Sendable, Hashable {
    /// The values of the app's own fields, by the names that the setting `signup_attributes` allows.
    package var attributes: [String: String] = [:]
    /// The version of the accepted terms; nil if the request contains none.
    package var acceptedTerms: String?

    /// Creates a registration without attributes and terms.
    package init() {}
}

extension Registration: Redacting {}

/// The terms that a user has accepted.
package struct AcceptedTerms: Sendable, Hashable {
    /// The version, as the app names it.
    package var version: String
    /// The time of the registration.
    package var acceptedAt: Date

    package init(version: String, acceptedAt: Date) {
        self.version = version
        self.acceptedAt = acceptedAt
    }
}

extension Registration {
    /// The maximum number of attributes that a server allows.
    package static let maximumCount = 20
    /// The maximum size of an attribute's text in bytes.
    package static let maximumBytes = 500
    /// The maximum size of all texts together.
    ///
    /// It is small, since each refresh reads the account, and the cache of verified tokens holds it.
    package static let maximumTotalBytes = 4000
    /// The names of a registration's other members.
    ///
    /// An error could not distinguish them from an attribute's name.
    private static let reserved: Set<String> = [
        "acceptedTerms", "attributes", "email", "emailVerified", "id", "name", "password", "permissions", "roles",
        "status", "tenantId", "username",
    ]

    /// Returns whether the text can be the name of an attribute: a letter, and up to 63 letters, digits and `_`.
    package static func isName(_ text: String) -> Bool {
        text.isWord(maximum: 64, also: "_") && text.utf8.first?.isASCIILetter == true && !reserved.contains(text)
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
