// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC

/// Errors of ways to sign in that the operator has turned off, for all clients or for one.
extension IdentityError {
    /// The server does not use this way to sign in.
    ///
    /// At the token endpoint the grant is one that the server does not support (RFC 6749 §5.2).
    package static let signInWayOff = IdentityError(
        code: "signInWayOff", message: "This server has turned this way to sign in off.",
        hint: "Sign in another way. The sign-in page and GET /api/auth/ways list the ways that work.",
        form: ClientForm(
            status: .forbidden, oauth: "unsupported_grant_type", oauthStatus: .badRequest, rpc: .permissionDenied))

    /// The client takes other ways to sign in than the one that the user has chosen.
    package static let signInWayRefused = IdentityError(
        code: "signInWayRefused", message: "This app needs another way to sign in.",
        hint: "Sign in as this page offers.", form: .forbidden)

    /// The account has none of the ways to sign in that the client takes.
    package static let signInWayMissing = IdentityError(
        code: "signInWayMissing", message: "Your account has no way to sign in that this app accepts.",
        hint: "Return to the app, or set up another way on the page of your account.", form: .forbidden)
}
