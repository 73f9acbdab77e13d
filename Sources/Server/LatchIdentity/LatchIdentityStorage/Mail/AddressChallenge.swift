// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
package import LatchFoundation

/// A mailed code that a user has to enter, identified by its email.
///
/// The code is derived from the ID and the pepper, and is not stored. Only the browser that asked for it knows the ID.
package struct AddressChallenge: Sendable, Hashable {
    /// The time within which the code must be entered, from the last email with it.
    package static let lifetime: TimeInterval = 600
    /// The number of wrong codes that end the challenge.
    ///
    /// A code has six digits.
    static let maximumFailures = 5

    /// The result of entering a code.
    package enum Answer: Sendable, Hashable {
        /// The code is right, and the address of the account is now verified.
        case verified(Account)
        case wrong
        /// A wrong code that has ended the challenge.
        case lastWrong
        /// The challenge had expired, was used, or had too many wrong codes before.
        case ended
    }

    /// The ID of the first email with the code.
    package let id: String
    /// The account, if the identity of a sign-in through a provider already has one.
    package var accountID: String?
    package let expiresAt: Date

    package init(id: String, accountID: String? = nil, expiresAt: Date) {
        self.id = id
        self.accountID = accountID
        self.expiresAt = expiresAt
    }

    /// Returns the ID of the code that is mailed beside a link, by the digest of the link's token.
    ///
    /// The store keeps the digest as long as the link works, and not the ID of the email.
    package static func id(ofToken digest: [UInt8]) -> String { Hex.encode(digest) }
}

extension AddressChallenge: Redacting {}

/// A request for an email with a code, by the form of a page.
package struct CodeRequest: Sendable {
    /// The email of a new code; its ID is that of the challenge.
    package let mail: OutboxMail
    /// The time from which the code ends.
    package let expiresAt: Date
    /// The challenge whose code is sent again if it still can be entered; nil to send a new one.
    package let earlier: String?
    /// The digest by which the form is used up.
    package let form: [UInt8]
    /// The time from which the form is invalid anyway.
    package let formExpiresAt: Date

    package init(mail: OutboxMail, expiresAt: Date, earlier: String?, form: [UInt8], formExpiresAt: Date) {
        (self.mail, self.expiresAt, self.earlier) = (mail, expiresAt, earlier)
        (self.form, self.formExpiresAt) = (form, formExpiresAt)
    }
}
