// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP

extension TokenEndpoint {
    /// Deletes an access token at GitHub, which has no revocation endpoint.
    ///
    /// GitHub's API accepts no refresh token, and could only end the user's sign-ins on all devices. A refresh token
    /// expires by itself.
    ///
    /// - Throws: `OAuthError.noRevocationEndpoint` for a client without a secret, which cannot delete tokens.
    func delete(_ token: String, _ hint: TokenTypeHint?, at url: URL) async throws {
        guard let clientID = registration.clientID, let secret = registration.secret else {
            throw OAuthError.noRevocationEndpoint
        }
        guard hint != .refresh else { return }
        let body = HTTPBody(JSONValue.object(["access_token": .string(token)]).serialized())
        let credentials = Base64Alphabet.standard.encodePadded(Array("\(clientID):\(secret)".utf8))
        do {
            let response = try await send(to: url, hiding: [token, secret]) { request in
                request.method = .delete
                request.fields[.accept] = "application/vnd.github+json"
                request.fields[.authorization] = "Basic \(credentials)"
                request.fields[.contentType] = "application/json"
                request.body = body
            }
            guard response.revocationOutcome == .confirmed else {
                throw OAuthError.invalidResponse("it is neither empty nor JSON", status: response.status)
            }
        } catch let error as OAuthError where error.status == .notFound && error.issuerMessage != nil {
            // GitHub's response for an unknown token.
            return
        }
    }
}
