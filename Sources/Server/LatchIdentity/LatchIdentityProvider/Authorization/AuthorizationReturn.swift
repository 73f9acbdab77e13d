// SPDX-License-Identifier: Apache-2.0

import LatchIdentityAccounts

/// The return of a browser to the client, with the response to its authorization request.
package struct AuthorizationReturn: Sendable {
    /// The way in which the client gets the parameters.
    package enum Mode: String, Codable, Sendable, CaseIterable {
        /// In the query of the redirect URI (RFC 6749 §4.1.2).
        case query
        /// In a form that the browser posts (OAuth 2.0 Form Post Response Mode §2).
        case formPost = "form_post"
    }

    package let redirect: String
    /// The parameters, with the request's state and the issuer (RFC 9207 §2).
    package let parameters: [(name: String, value: String)]
    package let mode: Mode

    init(_ parameters: [(String, String)], to redirect: String, state: String?, issuer: String, mode: Mode?) {
        self.redirect = redirect
        self.parameters = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        self.mode = mode ?? .query
    }

    /// The redirect URI with the parameters.
    package var url: String { AppRedirect.url(redirect, parameters) }
}
