// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestSupport
import Testing

/// The relying-party modules of the OpenID Foundation's conformance suite, each against a provider that misbehaves in
/// exactly that way; Documentation/Conformance.md lists them.
@Suite struct RelyingPartyTests {
    /// Plays a sign-in: the page, the user, and the way back.
    private func signIn(
        _ provider: ScriptedProvider, _ request: AuthorizationRequest = AuthorizationRequest(),
        _ configure: (inout OAuthConfiguration) -> Void = { _ in }
    ) async throws -> TokenResponse {
        let client = provider.client(configure)
        return try await client.finish(provider.approve(try await client.begin(request)))
    }

    /// Expects that a deviation of the ID token ends the sign-in, and no other session of the user.
    private func expectRefusal(
        _ error: OAuthError = .invalidIDToken, _ deviate: (inout ScriptedProvider.Deviations) -> Void
    ) async throws {
        let provider = try ScriptedProvider()
        provider.deviate(deviate)
        await #expect(throws: error) { try await signIn(provider) }
        #expect(provider.requests(to: "/revoke").isEmpty)
    }

    // MARK: Basic

    @Test func `A relying party (oidcc-client-test) completes a code flow`() async throws {
        let provider = try ScriptedProvider()
        let response = try await signIn(provider)
        #expect(response.tokens.idToken != nil)
        #expect(response.tokens.refresh != nil)
        expectEqual(provider.paths, ["/.well-known/openid-configuration", "/jwks", "/token"])
    }

    @Test func `A relying party (nonce-invalid) refuses another nonce`() async throws {
        try await expectRefusal { $0.claims = { $0["nonce"] = "other" } }
    }

    @Test func `A relying party (nonce-invalid) refuses a missing nonce`() async throws {
        try await expectRefusal { $0.claims = { $0["nonce"] = nil } }
    }

    @Test func `A relying party (scope-userinfo-claims) reads the claims of the user`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let tokens = try await client.finish(provider.approve(try await client.begin())).tokens
        try await expectEqual(client.userInfo(of: tokens).string("name"), "Ada")
    }

    @Test func `A relying party (userinfo-bearer-header) sends the access token only in the field`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let tokens = try await client.finish(provider.approve(try await client.begin())).tokens
        _ = try await client.userInfo(of: tokens)
        let request = try #require(provider.requests(to: "/userinfo").first)
        expectEqual(request.fields[.authorization], "Bearer \(tokens.access)")
        expectNil(request.query)
    }

    @Test(arguments: ["other", "", nil])
    func `A relying party (userinfo-invalid-sub) refuses a response about another user`(subject: String?) async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let tokens = try await client.finish(provider.approve(try await client.begin())).tokens
        provider.deviate { $0.userInfo = { $0["sub"] = subject.map { .string($0) } } }
        await #expect(throws: OAuthError.invalidUserInfo) { try await client.userInfo(of: tokens) }
    }

    @Test func `A relying party (missing-iat) refuses a token without a time of issue`() async throws {
        try await expectRefusal { $0.claims = { $0["iat"] = nil } }
    }

    @Test func `A relying party (future-iat) refuses a token from the future`() async throws {
        try await expectRefusal { $0.claims = { $0.issuedAt = $0.issuedAt?.addingTimeInterval(3_600) } }
    }

    @Test func `A relying party (missing-sub) refuses a token without a subject`() async throws {
        try await expectRefusal { $0.claims = { $0.subject = nil } }
    }

    @Test func `A relying party (oversized-sub) refuses a subject of more than 255 characters`() async throws {
        try await expectRefusal { $0.claims = { $0.subject = String(repeating: "a", count: 256) } }
    }

    @Test func `A relying party (missing-aud) refuses a token without an audience`() async throws {
        try await expectRefusal { $0.claims = { $0["aud"] = nil } }
    }

    @Test func `A relying party (missing-iss) refuses a token without an issuer`() async throws {
        try await expectRefusal(.issuerMismatch) { $0.claims = { $0.issuer = nil } }
    }

    @Test(arguments: [
        "https://evil.example", "https://id.example.com/", "https://ID.example.com", "http://id.example.com", "",
    ])
    func `A relying party (invalid-iss) refuses a token of another issuer, which is compared as a string`(
        issuer: String
    ) async throws {
        try await expectRefusal(.issuerMismatch) { $0.claims = { $0.issuer = issuer } }
    }

    @Test(arguments: [["other"], ["notes2"], ["Notes"], []])
    func `A relying party (invalid-aud) refuses a token for another client`(audience: [String]) async throws {
        try await expectRefusal { $0.claims = { $0.audience = audience } }
    }

    @Test
    func `A relying party (invalid-secondary-aud) refuses several audiences without an authorized party`() async throws
    {
        try await expectRefusal { $0.claims = { $0.audience = ["notes", "other"] } }
    }

    @Test
    func `A relying party (multiple-aud) accepts several audiences if this client is the authorized party`()
        async throws
    {
        let provider = try ScriptedProvider()
        provider.deviate {
            $0.claims = {
                $0.audience = ["other", "notes"]
                $0["azp"] = "notes"
            }
        }
        #expect(try await signIn(provider).tokens.idToken != nil)
    }

    @Test(arguments: ["other", "notes ", " "])
    func `A relying party (invalid-azp) refuses a token that was issued to another client`(party: String) async throws {
        try await expectRefusal { $0.claims = { $0["azp"] = .string(party) } }
    }

    @Test func `A relying party (expired) refuses a token that has expired`() async throws {
        try await expectRefusal { $0.claims = { $0.expiry = $0.issuedAt?.addingTimeInterval(-3_600) } }
    }

    @Test func `A relying party (missing-exp) refuses a token that never expires`() async throws {
        try await expectRefusal { $0.claims = { $0.expiry = nil } }
    }

    @Test(arguments: ["AAAAAAAAAAAAAAAAAAAAAA", " "])
    func `A relying party (at-hash-invalid) refuses a token of another access token`(hash: String) async throws {
        try await expectRefusal { $0.claims = { $0["at_hash"] = .string(hash) } }
    }

    @Test func `A relying party (at-hash-missing) accepts a code flow's token without it`() async throws {
        let provider = try ScriptedProvider()
        provider.deviate { $0.claims = { $0["at_hash"] = nil } }
        #expect(try await signIn(provider).tokens.idToken != nil)
    }

    @Test func `A relying party (id-token-missing) refuses a response without an ID token`() async throws {
        try await expectRefusal { $0.tokenResponse = { $0["id_token"] = nil } }
    }

    // MARK: Signatures

    @Test(arguments: [SignatureAlgorithm.rs256, .es256, .ps256, .eddsa, .es384, .es512, .rs512])
    func `A relying party (id-token-sig) accepts the algorithm that the metadata names`(algorithm: SignatureAlgorithm)
        async throws
    {
        let provider = try ScriptedProvider(algorithm: algorithm)
        #expect(try await signIn(provider).tokens.idToken != nil)
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .es256])
    func `A relying party (invalid-sig) refuses a signature of another key with the same ID`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let provider = try ScriptedProvider(algorithm: algorithm)
        let forged = try Key.generate(algorithm, id: provider.key.id)
        provider.deviate { $0.sign = { try JWT.sign($0, with: forged) } }
        await #expect(throws: OAuthError.invalidIDToken) { try await signIn(provider) }
    }

    @Test(arguments: [SignatureAlgorithm.rs256, .rs512, .ps384])
    func `A relying party (jwks-without-alg) takes an RSA key for each RSA algorithm of the metadata`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let provider = try ScriptedProvider(algorithm: algorithm)
        let strip: @Sendable (inout JSONObject) -> Void = { keys in
            let list = keys["keys"]?.arrayValue ?? []
            keys["keys"] = .array(list.map { .object(($0.objectValue ?? [:]).removing("alg")) })
        }
        provider.deviate { $0.keys = strip }
        let client = provider.client()
        _ = try await client.finish(provider.approve(try await client.begin()))
        provider.deviate {
            $0.keys = strip
            $0.metadata = { $0["id_token_signing_alg_values_supported"] = ["ES256"] }
        }
        let strict = provider.client()
        let url = try provider.approve(try await strict.begin())
        await #expect(throws: OAuthError.invalidIDToken) { try await strict.finish(url) }
    }

    @Test
    func `A relying party (id-token-sig-none) refuses an unsigned token, whatever the metadata says`() async throws {
        try await expectRefusal { deviations in
            deviations.metadata = { $0["id_token_signing_alg_values_supported"] = ["none", "ES256"] }
            deviations.sign = { claims in
                let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
                return "\(header).\(Base64URL.encode(JSONValue.object(claims.members).serialized()))."
            }
        }
    }

    @Test
    func `A relying party (id-token-sig-hs256) accepts the client secret as the key if configured`() async throws {
        let secret = "0123456789abcdef0123456789abcdef"
        let registration = ClientRegistration(clientID: "notes", secret: secret)
        let provider = try ScriptedProvider(registration)
        let key = try Key(secret: SymmetricKey(data: Array(secret.utf8)))
        provider.deviate { $0.sign = { try JWT.sign($0, with: key) } }
        let response = try await signIn(provider) { $0.idTokenAlgorithms = [.hs256] }
        #expect(response.tokens.idToken != nil)
        await #expect(throws: OAuthError.invalidIDToken) { try await signIn(provider) }
    }

    @Test func `A relying party (alg-confusion) refuses a MAC whose key is the provider's public key`() async throws {
        let provider = try ScriptedProvider(algorithm: .rs256)
        let published = JSONValue.object(provider.key.publicKey?.jwk ?? [:]).serialized()
        let key = try Key(secret: SymmetricKey(data: published), id: provider.key.id)
        provider.deviate { deviations in
            deviations.metadata = { $0["id_token_signing_alg_values_supported"] = ["RS256", "HS256"] }
            deviations.sign = { try JWT.sign($0, with: key) }
        }
        await #expect(throws: OAuthError.invalidIDToken) { try await signIn(provider) }
    }

    @Test func `A relying party (kid-absent-single-jwks) finds the only key`() async throws {
        let provider = try ScriptedProvider()
        let nameless = try Key(jwk: provider.key.jwkWithSecretsForStorage().removing("kid"))
        provider.deviate { deviations in
            deviations.sign = { try JWT.sign($0, with: nameless) }
            deviations.keys = { keys in
                keys["keys"] = .array(
                    (keys["keys"]?.arrayValue ?? []).map { .object($0.objectValue?.removing("kid") ?? [:]) })
            }
        }
        #expect(try await signIn(provider).tokens.idToken != nil)
    }

    @Test func `A relying party (kid-absent-multiple-jwks) finds the key of the signature`() async throws {
        let provider = try ScriptedProvider()
        try provider.rotate(keepingOld: true)
        let nameless = try Key(jwk: provider.key.jwkWithSecretsForStorage().removing("kid"))
        provider.deviate { $0.sign = { try JWT.sign($0, with: nameless) } }
        #expect(try await signIn(provider).tokens.idToken != nil)
    }

    @Test func `A relying party (kid-twice) tries each key of an ID`() async throws {
        let provider = try ScriptedProvider()
        let other = try Key.generate(.es256, id: provider.key.id)
        provider.deviate { $0.keys = { $0["keys"] = [.object(other.jwk), .null, $0["keys"]?[0] ?? [:]] } }
        #expect(try await signIn(provider).tokens.idToken != nil)
    }

    // MARK: Discovery

    @Test func `A relying party (discovery-openid-config) finds the endpoints once for all tasks`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = try await client.server() } }
            try await group.waitForAll()
        }
        expectEqual(provider.paths, ["/.well-known/openid-configuration"])
        try await expectEqual(client.server().userInfoEndpoint?.path(), "/userinfo")
    }

    @Test(arguments: ["https://evil.example", "https://id.example.com/", "HTTPS://id.example.com", ""])
    func `A relying party (discovery-issuer-mismatch) refuses the metadata of another issuer`(issuer: String)
        async throws
    {
        let provider = try ScriptedProvider()
        provider.deviate { $0.metadata = { $0["issuer"] = .string(issuer) } }
        await #expect(throws: OAuthError.issuerMismatch) { try await signIn(provider) }
        #expect(provider.requests(to: "/token").isEmpty)
    }

    @Test(arguments: ["token_endpoint", "authorization_endpoint", "jwks_uri", "userinfo_endpoint"])
    func `A relying party (discovery-insecure) refuses metadata with an endpoint without encryption`(name: String)
        async throws
    {
        let provider = try ScriptedProvider()
        provider.deviate { $0.metadata = { $0[name] = "http://id.example.com/x" } }
        await #expect(throws: OAuthError.invalidMetadata) { try await signIn(provider) }
    }

    @Test func `A relying party (discovery-again) tries again after a failure`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        provider.deviate { $0.response = { _ in HTTPResponse(status: .serviceUnavailable) } }
        await #expect(throws: OAuthError.temporarilyUnavailable) { try await client.server() }
        provider.deviate { $0.response = { _ in nil } }
        try await expectEqual(client.server().issuer, ScriptedProvider.issuer)
    }

    @Test
    func `A relying party (discovery-oauth) finds the metadata of a server without OpenID Connect`() async throws {
        let provider = try ScriptedProvider()
        provider.deviate { deviations in
            deviations.response = { request in
                guard request.path.hasPrefix("/.well-known/") else { return nil }
                guard request.path == "/.well-known/oauth-authorization-server" else {
                    return HTTPResponse(status: .notFound)
                }
                let metadata: JSONValue = [
                    "issuer": "https://id.example.com", "token_endpoint": "https://id.example.com/token",
                ]
                return HTTPResponse(status: .ok, body: HTTPBody(metadata.serialized()))
            }
        }
        try await expectEqual(provider.client().server().tokenEndpoint.path(), "/token")
        expectEqual(provider.paths.count, 2)
    }

    // MARK: Client authentication

    @Test(arguments: [ClientRegistration.Authentication.basic, .post, .secretJWT])
    func `A relying party (client-secret) authenticates as registered`(
        method: ClientRegistration.Authentication
    ) async throws {
        let registration = ClientRegistration(
            clientID: "notes", secret: "0123456789abcdef0123456789abcdef", authentication: method)
        #expect(try await signIn(ScriptedProvider(registration)).tokens.refresh != nil)
    }

    @Test func `A relying party (private-key-jwt) authenticates with a key`() async throws {
        let registration = ClientRegistration(clientID: "notes", key: try Key.generate(.es256))
        #expect(try await signIn(ScriptedProvider(registration)).tokens.refresh != nil)
    }

    // MARK: The authorization response

    private func expectResponse(
        _ error: OAuthError, _ change: @escaping @Sendable (inout [(String, String)]) -> Void
    ) async throws {
        let provider = try ScriptedProvider()
        provider.deviate { $0.callback = change }
        await #expect(throws: error) { try await signIn(provider) }
        #expect(provider.requests(to: "/token").isEmpty)
    }

    @Test func `A relying party (state-invalid) refuses an unrequested response`() async throws {
        try await expectResponse(.stateMismatch) { $0[1].1 = "other" }
        try await expectResponse(.stateMismatch) { $0.remove(at: 1) }
        try await expectResponse(.stateMismatch) { $0 = [("error", "access_denied")] }
    }

    @Test
    func `A relying party (invalid-authorization-response-iss) refuses a response of another issuer`() async throws {
        try await expectResponse(.issuerMismatch) { $0[2].1 = "https://evil.example" }
    }

    @Test
    func `A relying party (remove-authorization-response-iss) refuses a response without the expected iss`()
        async throws
    {
        try await expectResponse(.issuerMismatch) { $0.removeLast() }
    }

    @Test func `A relying party (duplicate-parameter) refuses a response with two codes`() async throws {
        try await expectResponse(.invalidAuthorizationResponse) { $0.append(("code", "other")) }
    }

    @Test func `A relying party (code-missing) refuses a response with nothing in it`() async throws {
        try await expectResponse(.invalidAuthorizationResponse) { $0.removeFirst() }
    }

    @Test func `A relying party (implicit-leftovers) refuses tokens in the response`() async throws {
        try await expectResponse(.invalidAuthorizationResponse) { $0.append(("access_token", "a")) }
        try await expectResponse(.invalidAuthorizationResponse) { $0.append(("id_token", "a")) }
        let provider = try ScriptedProvider()
        let client = provider.client()
        let url = try provider.approve(try await client.begin())
        let fragment = try #require(URL(string: "\(url)#access_token=a&token_type=bearer"))
        await #expect(throws: OAuthError.invalidAuthorizationResponse) { try await client.finish(fragment) }
    }

    @Test func `A relying party (error-response) reports the denial of the user`() async throws {
        try await expectResponse(.accessDenied) { $0[0] = ("error", "access_denied") }
    }

    @Test func `A relying party (error-response-without-iss) also reports the denial`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        provider.deviate {
            $0.callback = { $0 = [("error", "access_denied")] + $0.filter { $0.0 == "state" } }
        }
        let url = try provider.approve(try await client.begin())
        await #expect(throws: OAuthError.accessDenied) { try await client.finish(url) }
    }

    @Test(arguments: ["login_required", "interaction_required", "consent_required", "account_selection_required"])
    func `A relying party (prompt-none) reports that the user is needed`(code: String) async throws {
        let provider = try ScriptedProvider()
        provider.deviate { $0.callback = { $0[0] = ("error", code) } }
        var request = AuthorizationRequest()
        request.isSilent = true
        await #expect(throws: OAuthError.interactionRequired) { try await signIn(provider, request) }
    }

    @Test func `A relying party replay: accepts a response once`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let url = try provider.approve(try await client.begin())
        _ = try await client.finish(url)
        await #expect(throws: OAuthError.stateMismatch) { try await client.finish(url) }
        expectEqual(provider.requests(to: "/token").count, 1)
    }

    @Test func `A relying party (replay-at-once) accepts one of many copies of a response`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let url = try provider.approve(try await client.begin())
        let count = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    do { return try await client.finish(url).tokens.idToken != nil } catch { return false }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(count, 1)
        expectEqual(provider.requests(to: "/token").count, 1)
    }

    @Test
    func `A relying party (keys-unavailable) reports it, and costs neither the attempt nor the code`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let callback = try provider.approve(try await client.begin())
        provider.deviate { $0.response = { $0.path == "/jwks" ? HTTPResponse(status: .serviceUnavailable) : nil } }
        await #expect(throws: AuthError.keysUnavailable) { try await client.finish(callback) }
        #expect(provider.requests(to: "/token").isEmpty)
        provider.deviate { $0.response = { _ in nil } }
        provider.clock.advance(by: .seconds(60))
        try await expectEqual(client.finish(callback).idTokenClaims?.subject, "ada")
    }

    @Test
    func `A relying party (reserved-parameter) lets no parameter of the program replace one of the attempt`()
        async throws
    {
        var request = AuthorizationRequest()
        request.parameters = [
            ("state", "fixed"), ("redirect_uri", "https://evil.example"), ("hd", "example.com"), ("scope", "all"),
        ]
        let url = try await ScriptedProvider().client().begin(request).url.absoluteString
        #expect(!url.contains("evil.example") && !url.contains("state=fixed") && url.contains("hd=example.com"))
        expectEqual(url.ranges(of: "scope=").count, 1)
    }
}

extension JSONObject {
    /// Returns the members but one.
    fileprivate func removing(_ name: String) -> JSONObject {
        var copy = self
        copy[name] = nil
        return copy
    }
}
