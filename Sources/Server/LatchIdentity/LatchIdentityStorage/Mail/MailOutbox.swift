// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// An email that the store keeps until the mail server has accepted it.
///
/// It holds the recipient and the purpose, but no text. The token of its link is derived from its ID at each attempt,
/// so that a reader of the store has no links.
package struct OutboxMail: Sendable, Hashable {
    /// The purpose of an email, which determines its text.
    package enum Purpose: String, Sendable, CaseIterable {
        case verifyEmail, resetPassword, newAddress, oldAddress, addressChanging, factorAdded, factorRemoved,
            signInAdded,
            signInRemoved, passkeyAdded, passkeyRemoved
        /// A code for the page of a sign-in through a provider.
        case addressCode
        /// The email that replaces a code if another account has the address.
        case addressTaken
        /// A notice of an account that a sign-in through a provider has created with an unverified address.
        case signedUp
        /// A notice of a new password, to an account that had one.
        case passwordChanged
        /// An invitation, with a link that sets the first password.
        case invitation
        /// A code for the page of a sign-up.
        case signUpCode
        /// The email that replaces this code if the address has an account.
        case signUpTaken
        /// A code for the page of a sign-in.
        case signInCode
        /// A notice that the owner has requested the deletion of the account.
        case deletionRequested
        /// A notice of a sign-in on a device, or from a network, that the account did not use before.
        case newDevice
        /// A notice of a new API key, to the administrator whom it acts for.
        case apiKeyAdded
        /// A notice to the earlier address of an account, which an administrator has replaced.
        case addressChanged
        /// A code for the page of an owner who has lost the second factor.
        case factorRecoveryCode
        /// A notice that the second factor will be removed after a waiting time.
        case factorRecoveryBegun
        /// The second notice, a day before the removal.
        case factorRecoverySoon

        /// The purpose of the one-time token that the email carries; nil for no token or another kind.
        package var token: OneTimeToken.Purpose? {
            switch self {
            case .verifyEmail: .verifyEmail
            case .resetPassword, .invitation: .resetPassword
            case .newAddress, .oldAddress, .addressChanging, .factorAdded, .factorRemoved, .signInAdded, .signInRemoved,
                .passkeyAdded, .passkeyRemoved, .addressCode, .addressTaken, .signedUp, .passwordChanged, .signUpCode,
                .signUpTaken, .signInCode, .deletionRequested, .newDevice, .apiKeyAdded, .addressChanged,
                .factorRecoveryCode, .factorRecoveryBegun, .factorRecoverySoon:
                nil
            }
        }

        /// Whether the email tells an owner of a change of the credentials; a full outbox must not refuse the change.
        package var isNotice: Bool {
            switch self {
            case .factorAdded, .factorRemoved, .signInAdded, .signInRemoved, .passkeyAdded, .passkeyRemoved,
                .passwordChanged, .deletionRequested, .apiKeyAdded, .addressChanged, .factorRecoveryBegun,
                .factorRecoverySoon:
                true
            case .verifyEmail, .resetPassword, .invitation, .newAddress, .oldAddress, .addressChanging, .addressCode,
                .addressTaken, .signedUp, .signUpCode, .signUpTaken, .signInCode, .newDevice, .factorRecoveryCode:
                false
            }
        }

        /// Whether the email says when, and on which device, the request was made that caused it.
        package var describesCause: Bool {
            isNotice || [.newDevice, .resetPassword, .oldAddress, .addressChanging].contains(self)
        }
    }

    /// The source of the token and of the Message-ID; it appears in no email and no log.
    package let id: String
    package let purpose: Purpose
    package let recipient: EmailAddress
    /// The account; nil if the email was requested by address, which may have no account.
    package let accountID: String?
    package let createdAt: Date
    /// The number of attempts, including the current one.
    package let attempts: Int
    package let cause: MailCause

    /// Creates an email, by default without attempts and for no known request.
    package init(
        _ purpose: Purpose, to recipient: EmailAddress, accountID: String? = nil, id: String, at now: Date,
        attempts: Int = 0, causedBy cause: MailCause = MailCause()
    ) {
        self.id = id
        self.purpose = purpose
        self.recipient = recipient
        self.accountID = accountID
        createdAt = now
        self.attempts = attempts
        self.cause = purpose.describesCause ? cause : MailCause(language: cause.language)
    }

    /// The challenge whose code the email carries: that of the first email with it.
    package var challengeID: String { String(Substring(id.utf8.prefix { $0 != UInt8(ascii: ".") })) }

    /// Returns the email with the code of an earlier one, and with a separate Message-ID.
    ///
    /// Mail servers drop an email whose Message-ID they have seen.
    func carryingCode(of challengeID: String) -> OutboxMail {
        OutboxMail(
            purpose, to: recipient, accountID: accountID, id: "\(challengeID).\(id)", at: createdAt, causedBy: cause)
    }
}

/// The request that caused an email, as far as its recipient learns of it.
package struct MailCause: Sendable, Hashable {
    /// The language of the request; nil for the server's default language.
    package var language: String?
    /// The address of the client; nil for an unknown one.
    package var address: String?
    /// The User-Agent field, shortened.
    package var userAgent: String?

    package init(language: String? = nil, address: String? = nil, userAgent: String? = nil) {
        (self.language, self.address, self.userAgent) = (language, address, userAgent)
    }

    /// Returns the cause in the owner's preferred language; unchanged for an owner without one.
    func preferring(_ preferred: String) -> MailCause {
        preferred.isEmpty ? self : MailCause(language: preferred, address: address, userAgent: userAgent)
    }
}

/// An email of the outbox, as administrators see it.
///
/// It has no ID, from which the token of its link is derived.
package struct WaitingMail: Sendable, Hashable {
    /// The purpose, also one of a later version of the server.
    package let purpose: String
    package let recipient: String
    package let createdAt: Date
    package let nextAttemptAt: Date
    package let attempts: Int
}

/// A worker's claim of the next mail: its lease and the expiry of the mailed links.
package struct MailClaim: Sendable {
    package let now: Date
    /// The time until which no other worker takes the email.
    package let leaseEnd: Date
    /// The expiry of verification and reset links; it counts from the attempt, so that a late email has a valid link.
    package let verificationEnd: Date
    package let resetEnd: Date
    /// Whether the server has passwords; without them, no email sets one.
    package let hasPasswords: Bool
    /// Returns the SHA-256 digest of the token of an email.
    package let digest: @Sendable (_ id: String) -> [UInt8]

    package init(
        now: Date, leaseEnd: Date, verificationEnd: Date, resetEnd: Date, hasPasswords: Bool = true,
        digest: @escaping @Sendable (_ id: String) -> [UInt8]
    ) {
        self.now = now
        self.leaseEnd = leaseEnd
        self.verificationEnd = verificationEnd
        self.resetEnd = resetEnd
        self.hasPasswords = hasPasswords
        self.digest = digest
    }
}

/// An email taken from the outbox.
package struct ClaimedMail: Sendable, Hashable {
    package let mail: OutboxMail
    /// The address to send to; nil if no account needs the email, so that nothing is sent.
    package let recipient: EmailAddress?
    /// The identity providers that the account can sign in through.
    ///
    /// The notice of a new password lists them, since the new password does not affect them.
    package var providers: [String] = []
}

/// The number of the emails in the outbox, and the time of the oldest one that is due soon.
package struct MailBacklog: Sendable, Hashable {
    package let count: Int
    /// The creation time of the oldest email whose next attempt is soon; nil without such an email.
    package let oldest: Date?
}
