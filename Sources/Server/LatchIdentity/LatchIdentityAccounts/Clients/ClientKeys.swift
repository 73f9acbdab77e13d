// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
package import LatchFoundation
package import LatchIdentityStorage
package import LatchJOSE

extension SignatureAlgorithm {
    /// The algorithms of clients' assertions: those with a private key.
    package static let ofAssertions: [SignatureAlgorithm] = [
        .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .eddsa,
    ]
}

extension OAuthClient {
    /// Whether the client may authenticate by a method.
    package func permits(_ method: AuthenticationMethod) -> Bool {
        if let authenticationMethod { return method == authenticationMethod }
        return isConfidential ? method == .secretBasic || method == .secretPost : method == .none
    }

    /// Whether the client authenticates with a secret.
    package var hasSecret: Bool { permits(.secretBasic) || permits(.secretPost) }

    /// Whether the client authenticates with a key.
    package var hasKey: Bool { permits(.privateKeyJWT) }

    /// Whether the client authenticates with a certificate.
    package var hasCertificate: Bool { permits(.tlsClientAuth) || permits(.selfSignedTLSClientAuth) }

    /// Whether requests of the client must show a certificate.
    package var needsCertificate: Bool { hasCertificate || bindsTokensToCertificate }

    /// The algorithms of the keys of the server that sign for the client.
    package var signers: Set<SignatureAlgorithm> {
        let ofUsers = signsUsersIn ? [idTokenAlgorithm, userInfoAlgorithm ?? idTokenAlgorithm, signerOfResponses] : []
        return Set(ofUsers + [introspectionAlgorithm].compactMap(\.self))
    }

    /// The algorithm of signed authorization responses: RS256 for a client that registers itself without a word of it
    /// (JARM §3), and that of ID tokens for one of the operator's.
    package var signerOfResponses: SignatureAlgorithm {
        responseAlgorithm ?? (registersItself ? .rs256 : idTokenAlgorithm)
    }

    /// Returns whether a session has the factors that the client requires of its users.
    package func accepts(factorAt: Date?) -> Bool { !requiresFactor || factorAt != nil }

    /// Returns whether the client takes users who have signed in this way; nil for an unknown way.
    package func accepts(_ way: SignInWay?) -> Bool { signInWays.map { $0.contains { $0 == way } } ?? true }

    /// Whether the client may get tokens for itself, without an account.
    package var actsForItself: Bool { grants.contains(.clientCredentials) || grants.contains(.jwtBearer) }

    /// Returns the client's keys.
    ///
    /// - Throws: `IdentityError.unusableSetting` if the client could not authenticate with them as it is registered, or
    ///   if a key is secret.
    func checkedKeys() throws(IdentityError) -> KeySet {
        do throws(WordError) { return try publicKeys() } catch {
            throw .unusableSetting("clients", "the client '\(id)' \(error.reason)")
        }
    }

    /// Returns the client's keys in `jwks`; none if they are at its `jwks_uri`.
    func publicKeys() throws(WordError) -> KeySet {
        try requireUseOfKeys()
        if jwksURI != nil {
            // OpenID Connect Registration §2: they must not be used together.
            guard jwks == nil else { throw problem("has both 'jwks' and 'jwks_uri'") }
            return KeySet()
        }
        guard let jwks else { return KeySet() }
        guard let list = jwks["keys"]?.arrayValue, !list.isEmpty else {
            throw problem("has a 'jwks' that is not a set of keys, such as {\"keys\": [{\"kty\": \"EC\", …}]}")
        }
        // A token without the ID of its key is tried with each of them.
        guard list.count <= (registersItself ? 8 : 50) else { throw problem("has too many keys in its 'jwks'") }
        var keys: [Key] = []
        for (index, value) in list.enumerated() {
            let place = "in its 'jwks', number \(index + 1) of \(list.count)"
            guard let jwk = value.objectValue else { throw problem("has something other than a key \(place)") }
            guard jwk["kty"] != "oct", Self.secretMembers.allSatisfy({ jwk[$0] == nil }) else {
                // Each reader of the configuration could have signed with it.
                throw problem("has a secret key \(place): replace that key, and list only public ones")
            }
            guard jwk["use"] != "enc" else { continue }
            do throws(JOSEError) { keys.append(try Key(jwk: jwk)) } catch {
                throw problem("has a key \(place) that cannot be used: \(error.message)")
            }
        }
        guard !(hasKey || grants.contains(.jwtBearer)) || keys.contains(where: isUsable) else {
            throw problem("has no key in 'jwks' that can sign its assertions")
        }
        return KeySet(keys)
    }

    /// Requires that the client is registered for what it needs keys for, and has some.
    private func requireUseOfKeys() throws(WordError) {
        guard authenticationMethod.map({ ($0 != .none) == isConfidential }) ?? true else {
            throw problem("has a 'token_endpoint_auth_method' that contradicts its 'confidential'")
        }
        guard hasKey || assertionAlgorithm == nil else {
            throw problem("needs token_endpoint_auth_method private_key_jwt for 'token_endpoint_auth_signing_alg'")
        }
        guard hasKey || hasCertificate || securityProfile == nil else {
            throw problem("needs token_endpoint_auth_method private_key_jwt or tls_client_auth for 'security_profile'")
        }
        guard permits(.tlsClientAuth) == (certificateName != nil) else {
            throw problem(
                "needs one name of its certificate, such as 'tls_client_auth_san_dns', for tls_client_auth, and only for it"
            )
        }
        guard jwks == nil, jwksURI == nil else { return }
        guard !hasKey, !permits(.selfSignedTLSClientAuth) else {
            throw problem("needs its public keys in 'jwks' or 'jwks_uri' for \(authenticationMethod?.rawValue ?? "")")
        }
        guard !grants.contains(.jwtBearer) else {
            throw problem("needs its public keys in 'jwks' or 'jwks_uri' for the grant \(GrantType.jwtBearer.rawValue)")
        }
        guard !requiresRequestObjects, requestObjectAlgorithm == nil else {
            throw problem("needs its public keys in 'jwks' or 'jwks_uri' for request objects")
        }
    }

    /// The algorithms of the client's assertions.
    package var assertionAlgorithms: [SignatureAlgorithm] {
        algorithms(assertionAlgorithm)
    }

    /// The algorithms of the client's request objects.
    package var requestObjectAlgorithms: [SignatureAlgorithm] { algorithms(requestObjectAlgorithm) }

    /// Returns the registered algorithm, or all that the client may use.
    private func algorithms(_ registered: SignatureAlgorithm?) -> [SignatureAlgorithm] {
        let all = registered.map { [$0] } ?? SignatureAlgorithm.ofAssertions
        // FAPI 2.0 Security Profile §5.4.1.
        return securityProfile == nil ? all : all.filter { [.ps256, .es256, .eddsa].contains($0) }
    }

    /// Returns the time for which a replaced refresh token of the client works.
    ///
    /// FAPI 2.0 Security Profile §5.3.2.1 wants that the client can retry with it: it is bound to the client's keys.
    func replayWindow(_ configured: Duration) -> Duration {
        securityProfile == nil ? configured : max(configured, .seconds(90))
    }

    /// The client with what its profile and its protected applications require.
    package var profiled: OAuthClient {
        var client = protecting
        guard let securityProfile else { return client }
        (client.requiresPKCE, client.requiresPushedRequests) = (true, true)
        // FAPI 2.0 Security Profile §5.3.2.1: one of both.
        if !client.bindsTokensToCertificate { client.requiresProofs = true }
        // Its ID tokens cannot be those that a client has by default.
        if client.idTokenAlgorithm == .rs256 { client.idTokenAlgorithm = .es256 }
        client.responseAlgorithm = client.responseAlgorithm ?? client.idTokenAlgorithm
        client.introspectionAlgorithm = client.introspectionAlgorithm ?? client.idTokenAlgorithm
        for path in [\OAuthClient.responseAlgorithm, \.userInfoAlgorithm, \.introspectionAlgorithm]
        where client[keyPath: path] == .rs256 {
            client[keyPath: path] = .es256
        }
        if securityProfile == .fapi2MessageSigning { client.requiresRequestObjects = true }
        return client
    }

    /// The members of a key that only its owner knows (RFC 7518 §6).
    private static let secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    private func isUsable(_ key: Key) -> Bool {
        guard key.canVerify else { return false }
        return assertionAlgorithms.contains { key.fits($0) }
    }

    private func problem(_ reason: String) -> WordError { WordError(reason: reason) }
}
