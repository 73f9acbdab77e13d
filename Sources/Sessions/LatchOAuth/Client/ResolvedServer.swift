// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE

/// A server with the values that are derived from its metadata.
struct ResolvedServer: Sendable {
    let server: AuthorizationServer
    let endpoint: TokenEndpoint
    /// The verifier; nil if the server publishes no keys, and the configuration names none.
    let idTokens: IDTokenVerifier?

    /// Verifies an ID token, and returns it in its signed form.
    func verifiedToken(
        _ token: String, _ expectations: IDTokenExpectations
    ) async throws -> (signed: String, claims: Claims) {
        guard let verifier = idTokens else { throw OAuthError.keysNotPublished }
        let signed = try verifier.opened(token)
        return (signed, try await verifier.claims(of: signed, expectations))
    }

    /// - Parameter known: Keys that were fetched earlier; they are used if the server still names the same URL.
    init(
        _ server: AuthorizationServer, _ client: AuthorizationClient, transport: any Handler,
        reusing known: RemoteKeySet? = nil
    ) throws {
        let configuration = client.configuration
        self.server = server
        endpoint = client.endpoint(at: server)
        let clientID = configuration.registration.clientID ?? ""
        let algorithms = configuration.idTokenAlgorithms ?? Self.algorithms(of: server)
        let clock = client.clock
        var keys: RemoteKeySet?
        var verifier: (@Sendable (_ audience: String?, _ requiresExpiry: Bool) -> TokenVerifier)?
        if let algorithm = algorithms.first(where: { $0.isMAC }) {
            // Core §3.1.3.7, rule 8: the client secret is the key.
            guard let key = configuration.registration.secretKey(for: algorithm) else {
                throw OAuthError.unsuitableClientKey
            }
            verifier = { audience, requiresExpiry in
                .shared(
                    JWTVerifier(
                        keys: KeySet([key]), algorithms: [algorithm], audience: audience,
                        requiresExpiry: requiresExpiry, clock: clock))
            }
        } else if let url = server.keySetURL {
            var policy = RemoteKeyPolicy()
            policy.timeout = client.timeout ?? policy.timeout
            let published =
                if let known, known.url == url { known } else {
                    try RemoteKeySet(
                        url: url, transport: transport.nested(in: client.interceptors), policy: policy, clock: clock)
                }
            keys = published
            verifier = { audience, requiresExpiry in
                .published(
                    RemoteJWTVerifier(
                        keys: published, algorithms: algorithms, issuer: nil, audience: audience,
                        requiresExpiry: requiresExpiry, clock: clock))
            }
        }
        // If the metadata at a name states one tenant's issuer, tokens of other tenants are not accepted.
        let stated = server.metadata["issuer"]?.stringValue ?? configuration.issuer.absoluteString
        let template = IssuerTemplate(of: configuration.issuer).flatMap {
            server.metadata.isEmpty || stated == $0.text ? $0 : nil
        }
        let decryptionKeys = configuration.decryptionKeys
        let decrypter = JWEDecrypter(
            keys: KeySet(encryptionKeys: decryptionKeys), algorithms: decryptionKeys.map(\.algorithm),
            contentEncryption: [.a256GCM, .a128GCM, .a256CBCHS512, .a128CBCHS256])
        idTokens = verifier.map { [keys] verifier in
            IDTokenVerifier(
                clientID: clientID, issuer: stated, otherIssuers: configuration.quirks.otherIssuers,
                template: template, clock: clock,
                decrypter: decryptionKeys.isEmpty ? nil : decrypter, tokens: verifier(clientID, true),
                userInfo: { verifier($0, false) }, keys: keys)
        }
    }

    /// Returns the asymmetric algorithms that the server names, never `none`.
    ///
    /// If the server names none, it is RS256, which every server supports (OpenID Connect Discovery §3).
    private static func algorithms(of server: AuthorizationServer) -> [SignatureAlgorithm] {
        let named = (server.supported("id_token_signing_alg_values_supported") ?? []).map {
            SignatureAlgorithm(rawValue: $0)
        }
        let usable = named.filter(SignatureAlgorithm.asymmetric.contains)
        return usable.isEmpty ? [.rs256] : usable
    }
}

extension SignatureAlgorithm {
    /// The algorithms whose key can be published.
    fileprivate static let asymmetric: [SignatureAlgorithm] = [
        .es256, .es384, .es512, .eddsa, .ps256, .ps384, .ps512, .rs256, .rs384, .rs512,
    ]

    /// Whether the key is a shared secret.
    fileprivate var isMAC: Bool { [.hs256, .hs384, .hs512].contains(self) }
}
