// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchAuth

/// Something that a person has done in the screens of an ``AuthModel``, for an app's analytics and logs; it has no secret.
public enum AuthEvent: Hashable, Sendable {
    /// A way to sign in.
    public enum Way: Hashable, Sendable {
        /// A password, perhaps with a code of the second factor.
        case password
        /// A passkey.
        case passkey
        /// The page of a provider.
        case provider(IdentityProvider)
    }

    /// The user has signed in; a stored account that is read at the start has not.
    case signedIn(by: Way)
    /// There is a new account, with which nobody is signed in yet.
    case signedUp(email: String)
    /// The session has ended: by the user, or by the server.
    case signedOut(SignedOutReason)
    /// The account is deleted.
    case deleted
    /// A signed-out user has left the sign-in.
    case cancelled
    /// A request of a screen has failed; the route has at most an address.
    case failed(AuthRoute?, ScreenFailure)
}
