// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchServer

/// The authentication of clients at the OAuth endpoints (RFC 6749 §2.3).
package struct ClientAuthentication: Sendable {
    package let clients: OAuthClients
    package let limits: RateLimits

    package init(clients: OAuthClients, limits: RateLimits) {
        self.clients = clients
        self.limits = limits
    }

    /// Returns the client that the request's credentials authenticate, or the server's own client if it names none.
    ///
    /// RFC 6749 §2.3.1: by HTTP Basic or in the content, but not by both (attack J3).
    ///
    /// - Throws: `IdentityError.invalidClient`, the same for every cause; `.invalidInput`; `.tooManyAttempts`.
    package func client(of request: HTTPRequest, _ parameters: OAuthParameters) throws(IdentityError) -> OAuthClient {
        var (id, secrets) = (parameters["client_id"], Set(parameters["client_secret"].map { [$0] } ?? []))
        if let field = request.fields[.authorization], ClientCredentials.isBasic(field) {
            guard secrets.isEmpty else {
                throw .invalidInput(
                    "the client sent its credentials both in Authorization and in the form", hint: "Send them once.")
            }
            guard let pair = ClientCredentials(basic: field), id ?? pair.id == pair.id else { throw .invalidClient }
            (id, secrets) = (pair.id, pair.secrets)
        }
        // A secret can be guessed like a password, so it has the same limit. A right one costs no attempt.
        let attempts =
            secrets.isEmpty ? [] : [limits.clientSecret(of: id ?? "", address: request.requestOrigin.address)]
        try limits.take(attempts)
        guard let client = clients.authenticated(id: id, secrets: secrets) else { throw .invalidClient }
        limits.refund(attempts)
        if let page = request.pageAccess, client.pageOrigins.contains(page.origin) { page.give() }
        return client
    }
}
