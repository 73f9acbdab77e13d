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
        /// In a signed parameter `response` of the query, as the response type `code` has it (JARM §2.3.4).
        case jwt
        /// In a signed parameter `response` of the query (JARM §2.3.1).
        case signedQuery = "query.jwt"
        /// In a signed field `response` of a form (JARM §2.3.3).
        case signedFormPost = "form_post.jwt"

        /// Whether the browser posts a form.
        package var isForm: Bool { self == .formPost || self == .signedFormPost }
        /// Whether the server signs the parameters.
        var isSigned: Bool { self == .jwt || self == .signedQuery || self == .signedFormPost }
    }

    package let redirect: String
    /// The parameters, with the request's state and the issuer (RFC 9207 §2).
    package private(set) var parameters: [(name: String, value: String)]
    package let mode: Mode

    init(_ parameters: [(String, String)], to redirect: String, state: String?, issuer: String, mode: Mode?) {
        self.redirect = redirect
        self.parameters = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
        self.mode = mode ?? .query
    }

    /// Replaces the parameters by the JWT that has them as claims.
    mutating func replaceParameters(by response: String) { parameters = [("response", response)] }

    /// The redirect URI with the parameters.
    package var url: String { AppRedirect.url(redirect, parameters) }
}
