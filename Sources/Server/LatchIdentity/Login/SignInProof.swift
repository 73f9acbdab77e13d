// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import PortableFoundation

/// The proof of a user's identity: the account, and the means and time of the authentication.
///
/// Every sign-in has three steps:
///
/// - A proof comes from a password, a passkey, a provider's response, or a code that an earlier proof was stored for.
/// - ``SignInService/checkFactor(of:_:from:)`` adds the second factor.
/// - ``SessionService/start(_:for:scope:lifetime:from:inserting:issuing:)`` starts the session.
struct SignInProof: Sendable {
    /// The account as it was read for the proof.
    let account: Account
    /// The grant by which the user authenticated, which is the label of the metric.
    let grantType: OAuthClient.GrantType
    let authenticatedAt: Date
    /// The time at which a second factor was verified, or a passkey, which is both factors; nil without one.
    var factorAt: Date?
}

/// The policy that decides which accounts may sign in.
struct AdmissionPolicy: Sendable {
    /// Whether the address must be verified.
    let requiresVerifiedEmail: Bool

    /// Returns the reason why an account may not sign in, for its proven owner; nil if it may sign in.
    func refusal(of account: Account) -> IdentityError? {
        if let closure = account.closure { return closure }
        return account.emailVerifiedAt != nil || !requiresVerifiedEmail ? nil : .addressUnverified
    }
}
