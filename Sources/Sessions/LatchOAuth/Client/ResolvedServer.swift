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
        let algorithms = ClientAlgorithms(configuration, at: server)
        let clock = client.clock
        var keys: RemoteKeySet?
        var verifier: (@Sendable (_ kind: SignedKind, _ audience: String?) -> TokenVerifier)?
        if let algorithm = algorithms.accepted(for: .idToken).first(where: { $0.isMAC }) {
            // Core §3.1.3.7, rule 8: the client secret is the key.
            guard let key = configuration.registration.secretKey(for: algorithm) else {
                throw OAuthError.unsuitableClientKey
            }
            verifier = { kind, audience in
                .shared(
                    JWTVerifier(
                        keys: KeySet([key]), algorithms: [algorithm], audience: audience,
                        requiresExpiry: kind.expires, clock: clock))
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
            verifier = { kind, audience in
                .published(
                    RemoteJWTVerifier(
                        keys: published, algorithms: algorithms.accepted(for: kind), issuer: nil, audience: audience,
                        requiresExpiry: kind.expires, clock: clock))
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
                decrypter: decryptionKeys.isEmpty ? nil : decrypter, algorithms: algorithms,
                tokens: verifier(.idToken, clientID), userInfo: { verifier(.userInfo, $0) },
                responses: verifier(.response, clientID), keys: keys)
        }
    }
}
