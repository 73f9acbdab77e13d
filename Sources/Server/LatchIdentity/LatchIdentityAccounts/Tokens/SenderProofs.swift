// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchHTTP
package import LatchIdentityStorage
import LatchJOSE

/// The proofs of requests that their sender has the key that tokens are bound to (RFC 9449).
///
/// A used proof is remembered by this process only, as long as it is valid. A copy of it opens nothing at another one:
/// codes, refresh tokens and client assertions are for one use, and an access token has to be stolen, too.
package struct SenderProofs: Sendable {
    private let accessTokens: AccessTokenIssuer
    private let verifier: DPoPVerifier

    package init(accessTokens: AccessTokenIssuer, clock: WallClock) {
        self.accessTokens = accessTokens
        // A memory replaces the nonces that a verifier otherwise requires after its start.
        verifier = DPoPVerifier(clock: clock) { _, _ in true }
    }

    /// The algorithms of proofs (RFC 9449 §5.1).
    package var algorithms: [String] { verifier.algorithms.map(\.rawValue) }

    /// Returns the thumbprint of the key that a request for tokens proves; nil for a request without a proof.
    ///
    /// - Throws: `IdentityError.invalidProof`, `.notReady`.
    package func key(of request: HTTPRequest) throws(IdentityError) -> String? {
        guard request.fields[.dpop] != nil else { return nil }
        let url = try url(of: request)
        do throws(AuthError) { return try verifier.verify(request, at: url).thumbprint } catch {
            throw .invalidProof(error.message)
        }
    }

    /// Requires that a request proves the key of its token; a token without a key needs no proof.
    ///
    /// - Parameters:
    ///   - thumbprint: The `cnf.jkt` of the token.
    ///   - url: The URL that the client has called; nil for the one of the request.
    /// - Throws: `IdentityError.invalidToken` for a token with the wrong scheme (RFC 9449 §7.1), `.invalidProof`.
    func require(
        _ thumbprint: String?, of token: HTTPFields.AccessToken, in request: HTTPRequest, to url: String? = nil
    ) throws(IdentityError) {
        guard token.isBound == (thumbprint != nil) else { throw token.refusal }
        guard let thumbprint else { return }
        let url = if let url { url } else { try self.url(of: request) }
        do throws(AuthError) { _ = try verifier.verify(request, at: url, token: (token.text, thumbprint)) } catch {
            throw .invalidProof(error.message)
        }
    }

    /// The URL that a client used: a proxy may have removed the path of the issuer.
    private func url(of request: HTTPRequest) throws(IdentityError) -> String {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        return issuer.withoutFinalSlash + request.pathWithoutQuery
    }
}

/// What a request for tokens adds to the conditions of its grant.
package struct TokenConditions: Sendable {
    /// The resource servers that the request names (RFC 8707 §2.2).
    package let resources: [String]
    /// The thumbprint of the key that the request has proved; nil for a bearer token.
    package let key: String?

    package init(resources: [String] = [], key: String? = nil) {
        self.resources = resources
        self.key = key
    }
}
