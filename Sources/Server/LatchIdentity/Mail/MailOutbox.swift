// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// A mail that was promised to a user, kept in the store until the mail server has accepted it.
///
/// It holds the recipient and the purpose and no text: the token of its link is derived from its id at each attempt, so that
/// a reader of the store has no links.
package struct OutboxMail: Sendable, Hashable {
    /// The purpose of a mail, which determines its text.
    package enum Purpose: String, Sendable, CaseIterable {
        case verifyEmail, resetPassword, newAddress, oldAddress, addressChanging, factorAdded, factorRemoved,
            signInAdded,
            signInRemoved, passkeyAdded, passkeyRemoved
        /// A code for the page of a sign-in through a provider.
        case addressCode
        /// The mail in place of a code where another account has the address.
        case addressTaken
        /// A notice of an account that a sign-in through a provider has created with an address that is not verified.
        case signedUp
        /// A notice of a new password, to an account that had one.
        case passwordChanged
        /// An invitation, with a link that sets the first password.
        case invitation

        /// The purpose of the one-time token that the mail carries; nil if its token is of another kind, or it has none.
        package var token: OneTimeToken.Purpose? {
            switch self {
            case .verifyEmail: .verifyEmail
            case .resetPassword, .invitation: .resetPassword
            case .newAddress, .oldAddress, .addressChanging, .factorAdded, .factorRemoved, .signInAdded, .signInRemoved,
                .passkeyAdded, .passkeyRemoved, .addressCode, .addressTaken, .signedUp, .passwordChanged:
                nil
            }
        }

        /// Whether the mail tells an owner of a change of the credentials: a full outbox must not refuse the change.
        package var isNotice: Bool {
            switch self {
            case .factorAdded, .factorRemoved, .signInAdded, .signInRemoved, .passkeyAdded, .passkeyRemoved,
                .passwordChanged:
                true
            case .verifyEmail, .resetPassword, .invitation, .newAddress, .oldAddress, .addressChanging, .addressCode,
                .addressTaken, .signedUp:
                false
            }
        }
    }

    /// The source of the token and of the Message-ID; it stands in no mail and no log.
    package let id: String
    package let purpose: Purpose
    package let recipient: EmailAddress
    /// The account; nil if the mail was requested by an address, which may have none.
    package let accountID: String?
    package let createdAt: Date
    /// The number of attempts, including the current one.
    package let attempts: Int
    /// The language of the request that caused the mail; nil for one of the operator's commands or of an earlier version.
    package let language: String?

    /// Creates a mail, by default without attempts and in the language of the request that is being handled.
    package init(
        _ purpose: Purpose, to recipient: EmailAddress, accountID: String? = nil, id: String, at now: Date,
        attempts: Int = 0, language: String? = PageContext.languageOfRequest
    ) {
        self.id = id
        self.purpose = purpose
        self.recipient = recipient
        self.accountID = accountID
        createdAt = now
        self.attempts = attempts
        self.language = language
    }
}

/// The lease and the link expiries with which a worker claims a mail.
package struct MailClaim: Sendable {
    package let now: Date
    /// The time until which no other worker takes the mail.
    package let leaseEnd: Date
    /// The ends of links that verify and reset; they count from the attempt, so that a late mail has a valid link.
    package let verificationEnd: Date
    package let resetEnd: Date
    /// Returns the SHA-256 digest of the token of a mail.
    package let digest: @Sendable (_ id: String) -> [UInt8]
}

/// A mail taken from the outbox.
package struct ClaimedMail: Sendable, Hashable {
    package let mail: OutboxMail
    /// The address to send to; nil if there is nothing to send, since no account needs the mail.
    package let recipient: EmailAddress?
    /// The identity providers through which the account can be signed in to, for the notice of a new password, which leaves
    /// them as they are.
    package var providers: [String] = []
}

/// The number of the mails in the outbox, and the age of the oldest that is due soon.
package struct MailBacklog: Sendable, Hashable {
    package let count: Int
    /// The time of the oldest mail whose next attempt is soon; nil if there is none.
    package let oldest: Date?
}
