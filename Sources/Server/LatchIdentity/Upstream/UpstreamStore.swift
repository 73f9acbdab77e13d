// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The storage of sign-ins through identity providers.
package protocol UpstreamStore: Sendable {
    /// Returns the account that an identity is linked to, of any status; nil if there is none.
    func account(linkedTo identity: UpstreamIdentity) async throws(IdentityError) -> Account?

    /// Inserts an account that was signed up through a provider, and links it, in one transaction.
    ///
    /// - Parameter mail: A mail to its address, if the account is new.
    /// - Returns: The account that the identity is linked to, the given one unless another request was faster.
    /// - Throws: `IdentityError.alreadyExists` if the address is taken.
    func insert(
        _ account: Account, linkedTo identity: UpstreamIdentity, mail: OutboxMail?
    ) async throws(IdentityError) -> Account

    /// Inserts a challenge, and the mail with its code.
    ///
    /// - Throws: `IdentityError.overloaded` if too many mails wait.
    func insert(_ challenge: AddressChallenge, mail: OutboxMail) async throws(IdentityError)

    /// Answers a challenge: the right code verifies the address of the identity's account, which is inserted and linked if
    /// the identity has none; a wrong one is counted.
    ///
    /// - Throws: `IdentityError.alreadyExists` if another account has the address meanwhile.
    func answer(
        _ challengeID: String, isRight: Bool, for account: Account, linkedTo identity: UpstreamIdentity, at now: Date
    ) async throws(IdentityError) -> AddressChallenge.Answer

    /// Links an identity to an account, and mails its owner.
    ///
    /// - Parameter device: The signed-in device that links it.
    /// - Throws: `IdentityError.linkedElsewhere`, `.alreadyLinked` if the account has another identity of the provider,
    ///   `.invalidToken` if the account has changed since it was read, or the device has been signed out.
    func link(
        _ identity: UpstreamIdentity, to account: Account, on device: [UInt8], at now: Date
    ) async throws(IdentityError)

    /// Removes the link of an account to a provider, and mails its owner.
    ///
    /// - Parameters:
    ///   - device: The signed-in device that removes it, and stays signed in.
    ///   - ways: The ways to sign in that the configuration permits.
    /// - Throws: `IdentityError.notLinked`, `.lastSignIn` if the account has no password and no other such link,
    ///   `.invalidToken` if it has changed since it was read, or the device has been signed out.
    func unlink(
        _ provider: String, from account: Account, on device: [UInt8], among ways: SignInWays, at now: Date
    ) async throws(IdentityError)

    /// Returns the links of an account, by provider.
    func links(of accountID: String) async throws(IdentityError) -> [UpstreamLink]

    /// Records that an attempt was answered.
    ///
    /// - Parameters:
    ///   - digest: The digest of its state.
    ///   - end: The time from which the attempt is not valid anyway.
    /// - Returns: False if it was answered before.
    func spend(attempt digest: [UInt8], until end: Date) async throws(IdentityError) -> Bool

    /// Inserts a code.
    func insert(_ code: SignInCode) async throws(IdentityError)

    /// Removes and returns a code; nil if there is none for the purpose, or it has expired.
    func takeSignInCode(
        _ digest: [UInt8], for purpose: SignInCode.Purpose, at now: Date
    ) async throws(IdentityError) -> SignInCode?
}

/// A link of an account to an identity at a provider.
package struct UpstreamLink: Sendable, Hashable {
    package let identity: UpstreamIdentity
    package let linkedAt: Date
}

/// A code that an app exchanges for the result of a sign-in through a provider, stored by the digest of its text.
package struct SignInCode: Sendable, Hashable {
    /// The purpose that the sign-in was begun for.
    package enum Purpose: String, Sendable {
        /// Tokens of the account.
        case signIn
        /// A link to the account of the app's session.
        case link
        /// A recent authentication of the app's session.
        case reauthentication
    }

    /// The time within which the app exchanges the code; RFC 6749 §4.1.2 recommends ten minutes at most.
    static let lifetime: TimeInterval = 60

    package let digest: [UInt8]
    package let purpose: Purpose
    package let identity: UpstreamIdentity
    /// The account that is signed in; nil for a link and for a session that exists.
    package var accountID: String?
    /// The version of the account's credentials on which the sign-in was decided.
    package var credentialVersion = 0
    /// The app's challenge (RFC 7636 §4.2).
    package let codeChallenge: String
    /// The time at which the second factor was proved; nil if the account has none.
    package var factorAt: Date?
    /// The time at which the user authenticated.
    package let authenticatedAt: Date
    package let expiresAt: Date
}

extension SignInCode: Redacted {}

/// A code that was mailed to the address of a sign-in through a provider, by the id of its mail.
///
/// The code itself is derived from that id and is not stored; only the browser that signed in knows the id.
package struct AddressChallenge: Sendable, Hashable {
    /// The time within which the code is typed.
    static let lifetime: TimeInterval = 600
    /// The number of wrong codes that end it: a code has eight digits.
    static let maximumFailures = 5

    /// The result of typing a code.
    package enum Answer: Sendable, Hashable {
        /// The code is right; the account has the address, verified.
        case verified(Account)
        case wrong
        /// It has expired, was used, or had too many wrong codes.
        case ended
    }

    /// The id of the mail.
    package let id: String
    /// The account, if the identity has one already.
    package var accountID: String?
    package let expiresAt: Date
}

extension AddressChallenge: Redacted {}
