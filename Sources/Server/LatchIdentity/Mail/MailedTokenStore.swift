// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The storage of mailed tokens and of pending changes of address.
package protocol MailedTokenStore: Sendable {
    /// Inserts the token; earlier ones of the same account and purpose end.
    func insert(_ token: OneTimeToken) async throws(IdentityError)

    /// Returns the account of a valid token without using the token up.
    func account(
        forToken digest: [UInt8], purpose: OneTimeToken.Purpose, at now: Date
    ) async throws(IdentityError) -> Account?

    /// Returns the account of a valid token of a verification, or of the new end of a change of address, without using the
    /// token up.
    func account(forVerificationToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account?

    /// Returns the account of a valid token of the old end of a change of address, without using the token up.
    func account(forOldAddressToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account?

    /// Returns the address that an account is to get; nil if no change is pending.
    func requestedAddress(of accountID: String) async throws(IdentityError) -> EmailAddress?

    /// Ends a change of address by the token of its old end, and signs out all devices, one of which requested it.
    ///
    /// - Returns: False if the token is not valid.
    func refuseEmailChange(byToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Bool

    /// Uses up the token and marks its address as verified; the first time, this ends what was set on the account before.
    ///
    /// - Returns: The account after the change; nil if the token or the proof is not valid.
    func verifyEmail(
        byToken digest: [UInt8], with proof: OwnerProof, at now: Date
    ) async throws(IdentityError) -> Account?

    /// Uses up the token, sets the password and signs out all devices; returns false if the token is not valid.
    ///
    /// On an account whose address was never verified, this ends all that was set before, as a verification does.
    func resetPassword(
        byToken digest: [UInt8], hash: String, at now: Date
    ) async throws(IdentityError) -> Bool

    /// Inserts a pending change of address, which replaces an earlier one, and its mails.
    ///
    /// - Parameter device: The device that asks for it; nil for none.
    /// - Returns: False if the account's credentials have changed since `account` was read, or the device is signed out.
    func insert(
        _ change: EmailChange, for account: Account, by device: Device?, mails: [OutboxMail], at now: Date
    ) async throws(IdentityError) -> Bool

    /// Confirms one end of a change of address, and completes the change once both ends are confirmed.
    ///
    /// - Returns: The account after the change; nil if the token or the proof is not valid.
    func confirmEmail(
        byToken digest: [UInt8], with proof: OwnerProof, at now: Date
    ) async throws(IdentityError) -> Account?
}

/// The proof that whoever uses a mailed token owns the account, and not only reads the mails of its address.
package enum OwnerProof: Sendable {
    /// The token alone: an app vouches for its user.
    case none
    /// A signed-in device of the account, by its id; where it is not required, any other one counts as no proof.
    case device([UInt8], isRequired: Bool)
    /// The password, verified against this value of the account.
    case password(Account)
    /// A new password, as a hash: it replaces the one that somebody else may have set.
    case newPassword(hash: String)
    /// A sign-in through a provider, by an identity that is linked to the account.
    case identity(UpstreamIdentity)

    /// Whether the password of the account belongs to the reader of the mails.
    var isOfPassword: Bool {
        switch self {
        case .none, .device, .identity: false
        case .password, .newPassword: true
        }
    }

    /// The device that made the proof.
    var deviceID: [UInt8]? {
        guard case .device(let id, _) = self else { return nil }
        return id
    }

    /// The linked identity that made the proof.
    var identity: UpstreamIdentity? {
        guard case .identity(let identity) = self else { return nil }
        return identity
    }

    /// Whether the token must not be used without the device.
    var requiresDevice: Bool {
        guard case .device(_, let isRequired) = self else { return false }
        return isRequired
    }

    /// Returns whether the proof holds for the account as it is now.
    func isValid(for account: Account) -> Bool {
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
    /// The address the token was mailed to; it proves nothing about another one.
    package let emailKey: String
    /// The time of creation, for the operator; only ``expiresAt`` counts.
    package let createdAt: Date
    /// The time from which the token is invalid.
    package let expiresAt: Date
}

/// A pending change of an account's address, which both the old and the new address must confirm (attack E9).
///
/// The new address shows that the user controls it, the old one that the user owns the account: an attacker at an open
/// session controls neither mailbox.
package struct EmailChange: Sendable, Hashable {
    package let accountID: String
    /// The new address.
    package let email: EmailAddress
    /// The address that is replaced; the change is void if the account has another one by then.
    package let oldEmailKey: String
    /// The SHA-256 digest of the token mailed to the old address; nil once confirmed, or if that address was never
    /// verified and so proves nothing.
    package let oldDigest: [UInt8]?
    /// The SHA-256 digest of the token mailed to the new address; nil once confirmed.
    package let newDigest: [UInt8]?
    package let expiresAt: Date
}
