// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchFoundation

/// A user's account as the store keeps it.
///
/// Its description contains only the id.
package struct Account: Sendable, Hashable {
    /// The stored status of an account.
    ///
    /// Only `active` accounts may sign in.
    package enum Status: String, Sendable, CaseIterable {
        case active, disabled, suspended, banned
        /// Deleted, but the operator can restore it.
        ///
        /// The account is hidden, and its address stays taken.
        case deleted

        /// The statuses that an administrator sets.
        package static let settable: [Status] = [.active, .disabled, .suspended, .banned]
    }

    /// A UUID of version 7 (RFC 9562 §5.7), the `sub` of the account's tokens.
    ///
    /// It never changes.
    package let id: String
    /// The address; nil for a guest, and for a former guest who signs in with a passkey or a provider only.
    package var email: EmailAddress?
    /// A second login name.
    ///
    /// It contains no `@`, so it cannot be confused with another account's address.
    package var username: Username?
    /// The name as the user typed it; at most 200 bytes, without control characters.
    package var name: String?
    /// The password's hash in PHC form; nil if the account has no password.
    package var passwordHash: String?
    /// The time of the last password change.
    ///
    /// It only moves forward, so that a login can detect a concurrent reset.
    package var passwordChangedAt: Date
    /// The time at which the user proved that they receive email at the address; nil until then.
    package var emailVerifiedAt: Date?
    /// Role words for the services that read the tokens, with the syntax of scope tokens (RFC 6749 §3.3).
    package var roles: [String] = []
    /// Permission words, finer than roles.
    ///
    /// This server reads them only for `:admin` scopes.
    package var permissions: [String] = []
    package var status = Status.active
    /// The time at which a reader of the mailbox also proved or set the password; nil until then.
    ///
    /// An address can be verified without it. A mailed token that comes without the password proves only that a user
    /// reads the email, not that this user chose the password.
    package var ownerProvedAt: Date?
    /// A version number that the store increases with each change of password, address, verification, status and second
    /// factor.
    ///
    /// A decision that was made before such a change is then not carried out after it.
    package var credentialVersion = 0
    package let createdAt: Date
    /// The values of the operator's apps by name, also those that the configuration no longer names.
    package var attributes: [String: JSONValue] = [:]
    /// The terms that the owner accepted at the registration; nil for none.
    package var acceptedTerms: AcceptedTerms?
    /// The identifier of the account in the system that it was imported from; nil for others.
    package var foreignID: String?
    /// The phone number; nil for none.
    ///
    /// It is data about the user, and neither a way to sign in nor a factor (decision 0138). Accounts can share it.
    package var phone: PhoneNumber?
    /// The time at which the owner proved the number, here or in the system that the account was imported from; nil until
    /// then.
    package var phoneVerifiedAt: Date?
    /// The earliest time at which housekeeping can remove the account of a guest, who has nothing to sign in with.
    ///
    /// Nil for all other accounts.
    package var guestUntil: Date?

    package init(
        id: String, email: EmailAddress?, username: Username? = nil, name: String? = nil, passwordHash: String? = nil,
        passwordChangedAt: Date, emailVerifiedAt: Date? = nil, roles: [String] = [], permissions: [String] = [],
        status: Status = Status.active, ownerProvedAt: Date? = nil, credentialVersion: Int = 0, createdAt: Date,
        attributes: [String: JSONValue] = [:], acceptedTerms: AcceptedTerms? = nil, foreignID: String? = nil,
        guestUntil: Date? = nil
    ) {
        self.id = id
        self.email = email
        self.username = username
        self.name = name
        self.passwordHash = passwordHash
        self.passwordChangedAt = passwordChangedAt
        self.emailVerifiedAt = emailVerifiedAt
        self.roles = roles
        self.permissions = permissions
        self.status = status
        self.ownerProvedAt = ownerProvedAt
        self.credentialVersion = credentialVersion
        self.createdAt = createdAt
        self.attributes = attributes
        self.acceptedTerms = acceptedTerms
        self.foreignID = foreignID
        self.guestUntil = guestUntil
    }

    /// Whether the account has nothing to sign in with, and ends with its sessions (decision 0136).
    package var isGuest: Bool { guestUntil != nil }

    /// The name that identifies the account in lists and in the programs of its user: the address if it has one.
    package var label: String { email?.text ?? username?.text ?? name ?? (isGuest ? "Guest" : preferredUsername) }

    /// The lower-case texts that the owner can sign in with.
    package var loginKeys: [String] { [email?.key, username?.key].compactMap(\.self) }

    /// The text by which limits count what goes to the owner.
    package var ownerKey: String { email?.key ?? id }

    /// Returns the address.
    ///
    /// - Throws: `IdentityError.addressRequired` for an account without one.
    package func requireAddress() throws(IdentityError) -> EmailAddress {
        guard let email else { throw .addressRequired }
        return email
    }

    /// Whether the owner of the address has proved both the address and the credentials.
    package var isOwnersAddress: Bool { emailVerifiedAt != nil && ownerProvedAt != nil }

    /// The error for a user who has proved that they own the account; nil if the account is active.
    package var closure: IdentityError? {
        switch status {
        case .active: nil
        case .suspended: .accountSuspended
        case .disabled, .banned, .deleted: .accountClosed
        }
    }

    /// The user name, or the substitute that relying parties get (`preferred_username`).
    package var preferredUsername: String { username?.text ?? Username.substitute(for: id) }

    /// Returns the attributes after a change, in which null removes one.
    package func attributes(changedBy changes: [String: JSONValue]) -> [String: JSONValue] {
        var attributes = attributes
        for (name, value) in changes {
            // A literal nil would be the JSON value.
            if value.isNull { attributes.removeValue(forKey: name) } else { attributes[name] = value }
        }
        return attributes
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
