// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
package import LatchAuth
import LatchCore
import LatchHTTP

extension TokenEndpoint {
    /// Renews, at the token endpoint (RFC 6749 §6) or where the provider does it by JSON.
    package func renew(_ tokens: Tokens, idempotencyKey: String? = nil) async throws -> TokenResponse {
        guard let refresh = tokens.refresh else { throw OAuthError.noRefreshToken }
        let proof = RequestProof(idempotencyKey: idempotencyKey, key: tokens.key)
        guard let url = provider.jsonRenewalEndpoint else {
            return try await obtain(RefreshGrant(refreshToken: refresh, granted: tokens.grantedScopes), proof)
        }
        return try await renewByJSON(refresh, granted: tokens.grantedScopes, at: url, proof)
    }

    /// Renews where the backend takes `{"refresh_token": …}`.
    ///
    /// The token is all that is sent there, so a refusal with words and without a code is one of the token.
    private func renewByJSON(
        _ refresh: String, granted: Scopes?, at url: URL, _ proof: RequestProof
    ) async throws -> TokenResponse {
        let body = HTTPBody(JSONValue.object(["refresh_token": .string(refresh)]).serialized())
        do {
            let response = try await send(
                body, [.contentType: "application/json"], to: url, proof, hiding: [refresh])
            return try read(response, expecting: granted, keeping: refresh, boundTo: proof.key)
        } catch let error as OAuthError
            where error == .refused && error.status == .badRequest && error.isWordsOnly
        {
            throw error.reclassified(as: .invalidGrant)
        }
    }
}
