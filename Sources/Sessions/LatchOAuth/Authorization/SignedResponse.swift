// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchJOSE

extension AuthorizationClient {
    /// Returns the response in a signed one (JARM §2.4); returns another response unchanged.
    ///
    /// Everyone can send a response, so an unknown key causes a request for keys only after a pause.
    ///
    /// - Throws: `OAuthError.issuerMismatch` and `invalidAuthorizationResponse`; `AuthError.keysUnavailable` if the
    ///   server's keys cannot be fetched.
    func opened(_ response: AuthorizationResponse) async throws -> AuthorizationResponse {
        guard let token = response.token else { return response }
        guard let verifier = try await resolved().idTokens else { throw OAuthError.keysNotPublished }
        return try response.opened(with: await verifier.responseClaims(of: token))
    }
}

extension IDTokenVerifier {
    /// Returns the claims of a signed response (JARM §2.4).
    fileprivate func responseClaims(of token: String) async throws -> Claims {
        let verified: JWT
        do { verified = try await responses.verify(token) } catch let error as JOSEError {
            throw OAuthError.invalidAuthorizationResponse(OAuthError.clause(of: error))
        }
        guard !verified.header.isOfOtherType else {
            throw OAuthError.invalidAuthorizationResponse("it is a token of another type")
        }
        try checkIssuer(verified.claims)
        return verified.claims
    }
}

extension JOSEHeader {
    /// Whether a token states that it is an access token, a logout token or a security event.
    ///
    /// The same keys sign them, and this client may be their audience (RFC 8725 §3.11).
    var isOfOtherType: Bool { ["at+jwt", "logout+jwt", "secevent+jwt"].contains(where: isOfType) }
}
