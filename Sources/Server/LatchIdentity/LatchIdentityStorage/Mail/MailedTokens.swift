// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// The proof that the user of a mailed token owns the account, and does not only read the emails of its address.
package enum OwnerProof: Sendable {
    /// Only the token: an app vouches for its user.
    case none
    /// A signed-in device of the account, by its ID; if not required, a device of another account proves nothing.
    case device([UInt8], isRequired: Bool)
    /// The password, verified against this value of the account.
    case password(Account)
    /// A new password, as a hash; it replaces a password that another user may have set.
    case newPassword(hash: String)
    /// The email itself, where no account has a password that works; it ends what another user may have set.
    case email
    /// A sign-in through a provider, by an identity that is linked to the account.
    case identity(UpstreamIdentity)

    /// Whether the account's password is known to the reader of the emails.
    var isOfPassword: Bool {
        switch self {
        case .none, .device, .email, .identity: false
        case .password, .newPassword: true
        }
    }

    /// Whether a password that any user may have chosen ends with the proof.
    var endsPassword: Bool {
        switch self {
        case .email, .identity: true
        case .none, .device, .password, .newPassword: false
        }
    }

    /// Whether the proof also ends credentials on an account whose address only a link has verified.
    var endsEverything: Bool {
        switch self {
        case .email, .newPassword: true
        case .none, .device, .password, .identity: false
        }
    }

    /// The device that made the proof.
    package var deviceID: [UInt8]? {
        guard case .device(let id, _) = self else { return nil }
        return id
    }

    /// The linked identity that made the proof.
    package var identity: UpstreamIdentity? {
        guard case .identity(let identity) = self else { return nil }
        return identity
    }

    /// Whether the token can only be used with the device.
    var requiresDevice: Bool {
        guard case .device(_, let isRequired) = self else { return false }
        return isRequired
    }

    /// Returns whether the proof holds for the account as it is now.
    package func isValid(for account: Account) -> Bool {
        guard case .password(let verified) = self else { return true }
        return verified.id == account.id && verified.credentialVersion == account.credentialVersion
    }
}

/// A mailed token that proves control of an address, stored as a digest.
package struct OneTimeToken: Sendable, Hashable {
    /// The purpose of a token.
    package enum Purpose: String, Sendable {
        case verifyEmail, resetPassword
    }

    /// The SHA-256 digest of the token's text.
    package let digest: [UInt8]
    package let accountID: String
    package let purpose: Purpose
    /// The address that the token was mailed to; it proves nothing about another address.
    package let emailKey: String
    /// The time of creation, for the operator; only ``expiresAt`` counts.
    package let createdAt: Date
    /// The time from which the token is invalid.
    package let expiresAt: Date

    package init(
        digest: [UInt8], accountID: String, purpose: Purpose, emailKey: String, createdAt: Date, expiresAt: Date
    ) {
        self.digest = digest
        self.accountID = accountID
        self.purpose = purpose
        self.emailKey = emailKey
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A pending change of an account's address, which both the old and the new address must confirm (attack E9).
///
/// The new address shows that the user controls it. The old address shows that the user owns the account: an attacker
/// with an open session controls neither mailbox.
package struct EmailChange: Sendable, Hashable {
    package let accountID: String
    package let email: EmailAddress
    /// The address that is replaced; the change is void if the account has another address by then.
    package let oldEmailKey: String
    /// The SHA-256 digest of the token mailed to the old address.
    ///
    /// Nil once confirmed, or if the old address was never verified and so proves nothing.
    package let oldDigest: [UInt8]?
    /// The SHA-256 digest of the token mailed to the new address; nil once confirmed.
    package let newDigest: [UInt8]?
    package let expiresAt: Date

    package init(
        accountID: String, email: EmailAddress, oldEmailKey: String, oldDigest: [UInt8]?, newDigest: [UInt8]?,
        expiresAt: Date
    ) {
        self.accountID = accountID
        self.email = email
        self.oldEmailKey = oldEmailKey
        self.oldDigest = oldDigest
        self.newDigest = newDigest
        self.expiresAt = expiresAt
    }
}
