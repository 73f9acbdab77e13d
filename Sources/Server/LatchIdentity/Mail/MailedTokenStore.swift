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

    /// Uses up the token and marks its address as verified; returns nil if the token is not valid.
    func verifyEmail(byToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account?

    /// Uses up the token, sets the password and signs out all devices; returns nil if the token is not valid.
    func resetPassword(
        byToken digest: [UInt8], hash: String, at now: Date
    ) async throws(IdentityError) -> PasswordChange?

    /// Inserts a pending change of address, which replaces an earlier one, and its mails.
    func insert(_ change: EmailChange, mails: [OutboxMail]) async throws(IdentityError)

    /// Confirms one end of a change of address, and completes the change once both ends are confirmed.
    ///
    /// - Returns: The account of the token; nil if the token is not valid.
    func confirmEmail(byToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account?
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
