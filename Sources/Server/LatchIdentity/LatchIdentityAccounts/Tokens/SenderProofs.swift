// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
package import LatchHTTP
package import LatchIdentityStorage
import LatchJOSE
import LatchServer

/// The proofs of requests that their sender has the key or the certificate that tokens are bound to (RFC 9449, RFC 8705).
///
/// A used proof is remembered by this process only, as long as it is valid. A copy of it opens nothing at another one:
/// codes, refresh tokens and client assertions are for one use, and an access token has to be stolen, too.
package struct SenderProofs: Sendable {
    private let accessTokens: AccessTokenIssuer
    private let verifier: DPoPVerifier
    private let nonces: DPoPNonces
    /// The base URL of the endpoints for clients with certificates, and its authority; nil for none.
    private let alias: (url: String, authority: String)?

    /// - Parameters:
    ///   - pepper: The root key, which all nodes share, and so the nonces.
    ///   - certificateURL: The base URL of the endpoints for clients with certificates; nil for none.
    package init(
        accessTokens: AccessTokenIssuer, pepper: SymmetricKey, certificateURL: String? = nil, clock: WallClock
    ) {
        self.accessTokens = accessTokens
        nonces = DPoPNonces(pepper.derived(for: "latch dpop nonce"), .seconds(300), clock)
        alias = certificateURL.flatMap { url in PublicURL.authority(of: url).map { (url, $0) } }
        // A memory replaces the nonces that a verifier otherwise requires after its start.
        verifier = DPoPVerifier(clock: clock) { _, _ in true }
    }

    /// The algorithms of proofs (RFC 9449 §5.1).
    package var algorithms: [String] { verifier.algorithms.map(\.rawValue) }

    /// The nonce for the next proof (RFC 9449 §8).
    package var nonce: String { nonces.current }

    /// Returns what the tokens of a client are bound to: what its request proves, as far as the client is registered
    /// for it.
    ///
    /// - Throws: `IdentityError.proofRequired`, `.certificateRequired`, and the errors of ``key(of:by:)``.
    package func binding(of request: HTTPRequest, for client: OAuthClient) throws(IdentityError) -> TokenBinding {
        let binding = TokenBinding(
            key: try key(of: request, by: client),
            certificate: client.bindsTokensToCertificate ? request.thumbprint : nil)
        guard binding.key != nil || !client.requiresProofs else { throw .proofRequired }
        guard binding.certificate != nil || !client.bindsTokensToCertificate else { throw .certificateRequired }
        return binding
    }

    /// Returns the thumbprint of the key that a request for tokens proves; nil for a request without a proof.
    ///
    /// - Throws: `IdentityError.invalidProof`, `.staleProofNonce`, `.notReady`.
    package func key(of request: HTTPRequest, by client: OAuthClient) throws(IdentityError) -> String? {
        guard request.fields[.dpop] != nil else { return nil }
        let url = try url(of: request)
        let proof: DPoPProof
        do throws(AuthError) { proof = try verifier.verify(request, at: url) } catch {
            throw .invalidProof(error.message)
        }
        try requireNonce(in: proof, of: client)
        return proof.thumbprint
    }

    /// Requires a recent nonce in a proof if its client has to use them (RFC 9449 §8 and §9).
    ///
    /// - Throws: `IdentityError.staleProofNonce`.
    func requireNonce(in proof: DPoPProof, of client: OAuthClient) throws(IdentityError) {
        guard !client.needsProofNonces || nonces.accepts(proof.nonce) else {
            throw .staleProofNonce(next: nonces.current)
        }
    }

    /// Requires that a request proves what its token is bound to.
    ///
    /// - Parameters:
    ///   - binding: The `cnf` of the token.
    ///   - url: The URL that the client has called; nil for the one of the request.
    /// - Returns: The proof; nil for a token without a key.
    /// - Throws: `IdentityError.invalidToken` for a token with the wrong scheme (RFC 9449 §7.1) or without its
    ///   certificate (RFC 8705 §3), `.invalidProof`.
    func require(
        _ binding: TokenBinding, of token: HTTPFields.AccessToken, in request: HTTPRequest, to url: String? = nil
    ) throws(IdentityError) -> DPoPProof? {
        guard token.isBound == (binding.key != nil),
            binding.certificate == nil || binding.certificate == request.thumbprint
        else { throw token.refusal }
        guard let thumbprint = binding.key else { return nil }
        let url = if let url { url } else { try self.url(of: request) }
        do throws(AuthError) { return try verifier.verify(request, at: url, token: (token.text, thumbprint)) } catch {
            throw .invalidProof(error.message)
        }
    }

    /// The URL that a client used: a proxy may have removed the path of the issuer.
    private func url(of request: HTTPRequest) throws(IdentityError) -> String {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let isAlias = alias.map { $0.authority == request.authority.lowercasedASCII() } ?? false
        return (isAlias ? alias?.url ?? issuer : issuer).withoutFinalSlash + request.pathWithoutQuery
    }
}

/// What a request for tokens adds to the conditions of its grant.
package struct TokenConditions: Sendable {
    /// The resource servers that the request names (RFC 8707 §2.2).
    package let resources: [String]
    /// What the request has proved, and the tokens are bound to.
    package let binding: TokenBinding
    /// The rights that the request names (RFC 9396 §6); nil for all of the grant.
    package let authorization: AuthorizationDetails?

    package init(
        resources: [String] = [], binding: TokenBinding = TokenBinding(), authorization: AuthorizationDetails? = nil
    ) {
        self.resources = resources
        self.binding = binding
        self.authorization = authorization
    }
}

extension HTTPRequest {
    /// The thumbprint of the certificate that the sender has proved (RFC 8705 §3.1); nil for none.
    fileprivate var thumbprint: String? { clientCertificate.map { CertificateThumbprint.of($0.der) } }
}
