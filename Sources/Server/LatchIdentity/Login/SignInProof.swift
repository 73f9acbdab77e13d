// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import PortableFoundation

/// The proof of who a user is: the account, and by what and when the user authenticated.
///
/// Every sign-in has three steps. The first yields a proof: a password, a passkey, a provider's response, or a code for which
/// an earlier proof was stored. The second, ``SignInService/checkFactor(of:_:from:)``, adds the second factor. The third,
/// ``SessionService/start(_:for:scope:lifetime:from:inserting:issuing:)``, starts the session.
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

    /// Returns why an account may not sign in, for a user who has proved to be its owner; nil if it may.
    func refusal(of account: Account) -> IdentityError? {
        if let closure = account.closure { return closure }
        return account.emailVerifiedAt != nil || !requiresVerifiedEmail ? nil : .addressUnverified
    }
}
