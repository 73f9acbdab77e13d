// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import PortableFoundation

/// A user's account as the store keeps it; its description is the id alone.
package struct Account: Sendable, Hashable {
    /// The stored status of an account; only `active` accounts may log in.
    package enum Status: String, Sendable, CaseIterable {
        case active, disabled, suspended, banned
        /// Deleted but restorable by the operator; hidden, and its address stays taken.
        case deleted
    }

    /// A UUID of version 7 (RFC 9562 §5.7), the `sub` of the account's tokens; it never changes.
    package let id: String
    package var email: EmailAddress
    /// A second login name; it holds no `@`, so that it cannot be confused with another account's address.
    package var username: Username?
    /// The name as the user typed it; at most 200 bytes, without control characters.
    package var name: String?
    /// The password's hash in PHC form; nil if the account has no password.
    package var passwordHash: String?
    /// The time of the last password change, which only moves forward, so that a login can detect a concurrent reset.
    package var passwordChangedAt: Date
    /// The time at which the user proved to receive mails at the address; nil until then.
    package var emailVerifiedAt: Date?
    /// Role words, as scope tokens are (RFC 6749 §3.3), for the services that read the tokens.
    package var roles: [String] = []
    /// Permission words, finer than roles; this server reads them only for `:admin` scopes.
    package var permissions: [String] = []
    package var status = Status.active
    /// The time at which whoever reads the mailbox also proved the password, or set it; nil until then.
    ///
    /// An address can be verified without it: an app that holds a mailed token alone shows that somebody reads the mails,
    /// and not that this is who chose the password.
    package var ownerProvedAt: Date?
    /// A number that the store increases with each change of password, address, verification, status and second factor, so
    /// that a decision that was made before such a change is not carried out after it.
    package var credentialVersion = 0
    package let createdAt: Date
    /// The texts of the app's own fields at the registration.
    package var attributes: [String: String] = [:]
    /// The terms that the owner has accepted at the registration; nil for none.
    package var acceptedTerms: AcceptedTerms?

    /// The refusal that an owner gets who has proved whose account it is; nil if the account is active.
    var closure: IdentityError? {
        switch status {
        case .active: nil
        case .suspended: .accountSuspended
        case .disabled, .banned, .deleted: .accountClosed
        }
    }

    /// The status as the user service reports it.
    package var reportedStatus: AccountStatus { AccountStatus(status, isVerified: emailVerifiedAt != nil) }
}

extension Account {
    /// Creates an account without a password and with an unverified address.
    package init(id: String, email: EmailAddress, createdAt: Date) {
        self.init(id: id, email: email, passwordChangedAt: createdAt, createdAt: createdAt)
    }
}

extension Account: Redacting {
    package var description: String { "Account(\(id))" }
}
