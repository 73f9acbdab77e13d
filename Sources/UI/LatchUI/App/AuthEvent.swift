// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchAuth

/// An action of the user in the screens of an ``AuthModel``, for an app's analytics and logs; it contains no secret.
public enum AuthEvent: Hashable, Sendable {
    /// A way to sign in.
    public enum Way: Hashable, Sendable {
        /// A password, perhaps with a code of the second factor.
        case password
        /// A code by email, perhaps with a code of the second factor.
        case code
        case passkey
        /// The page of a provider.
        case provider(IdentityProvider)
    }

    /// The user has signed in; not sent for a stored session that is restored at the start.
    case signedIn(by: Way)
    /// The user has created an account, and is not signed in yet.
    case signedUp(email: String)
    /// The user or the server has ended the session.
    case signedOut(SignedOutReason)
    /// The account is deleted.
    case deleted
    /// A signed-out user has left the sign-in.
    case cancelled
    /// A request of a screen has failed; its route contains at most an email address.
    case failed(AuthRoute?, ScreenFailure)
}
