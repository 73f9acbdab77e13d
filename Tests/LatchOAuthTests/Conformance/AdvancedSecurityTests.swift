// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

/// The client modules of FAPI 2.0 and of OpenID Connect's logout profiles, each against a provider that misbehaves in
/// exactly that way.
@Suite struct AdvancedSecurityTests {
    private func registration() throws -> ClientRegistration {
        ClientRegistration(clientID: "notes", key: try Key.generate(.es256))
    }

    /// FAPI 2.0: pushed requests, bound tokens, assertions of a key.
    private func signIn(
        _ provider: ScriptedProvider, _ key: DPoPKey, _ request: AuthorizationRequest = AuthorizationRequest(),
        _ configure: (inout OAuthConfiguration) -> Void = { _ in }
    ) async throws -> TokenResponse {
        let client = provider.client {
            $0.pushesRequests = true
            configure(&$0)
        }
        return try await client.finish(provider.approve(try await client.begin(request, boundTo: key)))
    }

    private func key(_ provider: ScriptedProvider) throws -> DPoPKey {
        try DPoPKey.generate(clock: provider.clock.wallClock())
    }

    // MARK: FAPI 2.0

    @Test
    func `A high-security client (happy-path) pushes the request, binds the code and the tokens to a key`() async throws
    {
        let provider = try ScriptedProvider(registration())
        let client = provider.client { $0.pushesRequests = true }
        let attempt = try await client.begin(boundTo: key(provider))
        // RFC 9126 §4: the browser carries a reference and nothing else.
        let parameters = ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")
        expectEqual(parameters.keys.sorted(), ["client_id", "request_uri"])
        let tokens = try await client.finish(provider.approve(attempt)).tokens
        expectEqual(tokens.tokenType, .dpop)
        let push = try #require(provider.requests(to: "/par").first)
        #expect(push.fields["DPoP"] != nil)
        expectEqual(ScriptedProvider.parameters(push.body.text ?? "")["dpop_jkt"], tokens.key?.thumbprint)
    }

    @Test func `A high-security client (required-push) pushes if the server requires it`() async throws {
        let provider = try ScriptedProvider(registration())
        provider.deviate { $0.metadata = { $0["require_pushed_authorization_requests"] = true } }
        let client = provider.client()
        _ = try await client.finish(provider.approve(try await client.begin()))
        expectEqual(provider.requests(to: "/par").count, 1)
    }

    @Test
    func `A high-security client (dpop-nonce) repeats a request with the nonce that the server requires`() async throws
    {
        let nonces = DPoPNonces()
        let provider = try ScriptedProvider(registration(), nonces: nonces)
        _ = try await signIn(provider, key(provider))
        // The nonce is learnt at the first endpoint of the origin, and used at the next.
        expectEqual(provider.requests(to: "/par").count, 2)
        expectEqual(provider.requests(to: "/token").count, 1)
    }

    @Test
    func `A high-security client (dpop-downgrade) refuses bearer tokens if bound ones were requested`() async throws {
        let provider = try ScriptedProvider(registration())
        provider.deviate { $0.tokenResponse = { $0["token_type"] = "Bearer" } }
        await #expect(throws: OAuthError.unacceptableTokenType) { try await signIn(provider, key(provider)) }
    }

    @Test func `A high-security client (token-type-case) compares the type without case`() async throws {
        let provider = try ScriptedProvider(registration())
        provider.deviate { $0.tokenResponse = { $0["token_type"] = "dpOp" } }
        try await expectEqual(signIn(provider, key(provider)).tokens.tokenType, .dpop)
    }

    @Test func `A high-security client (missing-scope) takes the requested scopes as granted`() async throws {
        let provider = try ScriptedProvider(registration())
        provider.deviate { $0.tokenResponse = { $0["scope"] = nil } }
        let response = try await signIn(provider, key(provider))
        expectEqual(response.grantedScopes, .signIn)
    }

    @Test(arguments: ["expires_in", "refresh_token", "scope"])
    func `A high-security client (missing-member) tolerates a response without optional members`(name: String)
        async throws
    {
        let provider = try ScriptedProvider(registration())
        provider.deviate { $0.tokenResponse = { $0[name] = nil } }
        #expect(try await signIn(provider, key(provider)).tokens.idToken != nil)
    }

    @Test func `A high-security client (extra-members) ignores unknown members`() async throws {
        let provider = try ScriptedProvider(registration())
        provider.deviate { deviations in
            deviations.tokenResponse = { $0["unknown"] = ["a": [1]] }
            deviations.claims = { $0["unknown"] = ["b": true] }
        }
        #expect(try await signIn(provider, key(provider)).extra["unknown"] != nil)
    }

    @Test func `A high-security client (missing-access-token) refuses a response without one`() async throws {
        let provider = try ScriptedProvider(registration())
        provider.deviate { $0.tokenResponse = { $0["access_token"] = nil } }
        await #expect(throws: OAuthError.invalidResponse) { try await signIn(provider, key(provider)) }
    }

    @Test
    func `Client assertions are short-lived, unique and addressed to the issuer (client-assertion)`()
        async throws
    {
        let provider = try ScriptedProvider(registration())
        _ = try await signIn(provider, key(provider))
        let requests = provider.requests(to: "/par") + provider.requests(to: "/token")
        let assertions = try requests.map { request in
            let text = ScriptedProvider.parameters(request.body.text ?? "")["client_assertion"]
            return try JWT(unverified: try #require(text)).claims
        }
        expectEqual(assertions.map { $0.string("aud") }, ["https://id.example.com", "https://id.example.com"])
        expectEqual(Set(assertions.compactMap(\.id)).count, 2)
        #expect(assertions.allSatisfy { $0.expiry == $0.issuedAt?.addingTimeInterval(60) })
    }

    @Test func `A high-security client (signed-request) sends its parameters in a request object`() async throws {
        let provider = try ScriptedProvider(registration())
        var request = AuthorizationRequest()
        request.contextClasses = ["phr"]
        let client = provider.client { $0.signsRequests = true }
        let attempt = try await client.begin(request)
        let parameters = ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")
        expectEqual(parameters.keys.sorted(), ["client_id", "request", "response_type", "scope"])
        #expect(try await client.finish(provider.approve(attempt)).tokens.idToken != nil)
    }

    @Test func `A high-security client (acr) refuses a weaker authentication than requested`() async throws {
        let provider = try ScriptedProvider(registration())
        var request = AuthorizationRequest()
        request.contextClasses = ["phr", "mfa"]
        #expect(try await signIn(provider, key(provider), request).tokens.idToken != nil)
        provider.deviate { $0.claims = { $0["acr"] = "pwd" } }
        await #expect(throws: OAuthError.insufficientAuthentication) {
            try await signIn(provider, key(provider), request)
        }
    }

    @Test
    func `A high-security client (max-age) refuses an authentication that is too old, or of unknown age`() async throws
    {
        let provider = try ScriptedProvider(registration())
        var request = AuthorizationRequest()
        request.maximumAge = .seconds(300)
        #expect(try await signIn(provider, key(provider), request).tokens.idToken != nil)
        provider.deviate {
            $0.claims = { $0["auth_time"] = .integer(($0.int("auth_time").map { Int64($0) } ?? 0) - 3_600) }
        }
        await #expect(throws: OAuthError.insufficientAuthentication) {
            try await signIn(provider, key(provider), request)
        }
        provider.deviate { $0.claims = { $0["auth_time"] = nil } }
        await #expect(throws: OAuthError.invalidIDToken) { try await signIn(provider, key(provider), request) }
    }

    @Test func `A high-security client (rich-authorization) sends details that scopes cannot express`() async throws {
        var detail = AuthorizationDetail(type: "payment")
        detail.locations = ["https://bank.example"]
        detail["amount"] = "12.50"
        var request = AuthorizationRequest()
        request.authorizationDetails = [detail]
        request.resources = ["https://bank.example", "https://other.example"]
        let url = try await ScriptedProvider().client().begin(request).url
        let parameters = ScriptedProvider.parameters(url.query(percentEncoded: true) ?? "")
        let sent = try JSONValue(parsing: parameters["authorization_details"] ?? "")
        expectEqual(sent, [["type": "payment", "locations": ["https://bank.example"], "amount": "12.50"]])
        expectEqual(url.absoluteString.split(separator: "resource=").count, 3)
    }

    @Test func `A high-security client (encrypted-id-token) decrypts, and refuses one that is not encrypted`()
        async throws
    {
        let provider = try ScriptedProvider()
        let key = try EncryptionKey.generate(.ecdhESA256KW)
        let isEncrypted = Mutex(true)
        provider.deviate { deviations in
            deviations.sign = { claims in
                let signed = try JWT.sign(claims, with: provider.key)
                guard isEncrypted.withLock({ $0 }) else { return signed }
                return try JWE.encrypt(
                    Array(signed.utf8), for: key, using: .a256GCM, header: ["cty": "JWT"])
            }
        }
        let configure: (inout OAuthConfiguration) -> Void = { $0.decryptionKeys = [key] }
        let client = provider.client(configure)
        let tokens = try await client.finish(provider.approve(try await client.begin())).tokens
        try expectEqual(JWT(unverified: try #require(tokens.idToken)).claims.subject, "ada")
        try await expectEqual(client.userInfo(of: tokens).subject, "ada")
        isEncrypted.withLock { $0 = false }
        let url = try provider.approve(try await client.begin())
        await #expect(throws: OAuthError.invalidIDToken) { try await client.finish(url) }
        let other = provider.client { $0.decryptionKeys = [(try? EncryptionKey.generate(.ecdhESA256KW)) ?? key] }
        isEncrypted.withLock { $0 = true }
        let foreign = try provider.approve(try await other.begin())
        await #expect(throws: OAuthError.invalidIDToken) { try await other.finish(foreign) }
    }

    // MARK: PKCE, mix-up, code injection

    @Test func `A high-security client (pkce) presents the verifier of the attempt`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let attempt = try await client.begin()
        let response = try provider.approve(attempt)
        let parameters = ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")
        expectEqual(parameters["code_challenge_method"], "S256")
        _ = try await client.finish(response)
        let form = ScriptedProvider.parameters(provider.requests(to: "/token").first?.body.text ?? "")
        expectEqual(form["code_verifier"]?.utf8.count, 43)
        expectNotEqual(form["code_verifier"], parameters["code_challenge"])
    }

    @Test func `A high-security client (code-injection) cannot use the code of another attempt`() async throws {
        let provider = try ScriptedProvider()
        let (client, other) = (provider.client(), provider.client())
        let stolen = ScriptedProvider.parameters(
            try provider.approve(try await other.begin()).query(percentEncoded: true) ?? "")
        provider.deviate { deviations in
            deviations.callback = { $0[0].1 = stolen["code"] ?? "" }
        }
        let url = try provider.approve(try await client.begin())
        await #expect(throws: OAuthError.invalidGrant) { try await client.finish(url) }
    }

    @Test func `A high-security client (mix-up) sends no code of one server to another`() async throws {
        let (honest, evil) = (try ScriptedProvider(), try ScriptedProvider())
        let attempts = InMemorySecretStore()
        let client = honest.client(attempts: attempts)
        let url = try honest.approve(try await client.begin())
        let other = AuthorizationClient(
            OAuthConfiguration(
                issuer: try #require(URL(string: "https://evil.example")), registration: honest.registration),
            attempts: attempts, transport: evil, clock: honest.clock.wallClock())
        evil.deviate { $0.metadata = { $0["issuer"] = "https://evil.example" } }
        await #expect(throws: OAuthError.stateMismatch) { try await other.finish(url) }
        #expect(evil.requests(to: "/token").isEmpty)
        // It has not cost the honest one its attempt.
        #expect(try await client.finish(url).tokens.idToken != nil)
    }

    @Test
    func `A high-security client (restart) accepts a response in another launch of the program, for an hour`()
        async throws
    {
        let provider = try ScriptedProvider()
        let secrets = InMemorySecretStore()
        let urls = [
            try provider.approve(try await provider.client(attempts: secrets).begin()),
            try provider.approve(try await provider.client(attempts: secrets).begin()),
        ]
        #expect(try await provider.client(attempts: secrets).finish(urls[1]).tokens.idToken != nil)
        provider.clock.advance(by: .seconds(3_700))
        await #expect(throws: OAuthError.stateMismatch) {
            try await provider.client(attempts: secrets).finish(urls[0])
        }
    }

    @Test func `A high-security client (redirect-uri) refuses a response that was sent elsewhere`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let url = try provider.approve(try await client.begin()).absoluteString
        for target in [
            "https://notes.example.com/callback2", "https://notes.example.com.evil/callback", "app:/callback",
        ] {
            let moved = try #require(URL(string: url.replacing("https://notes.example.com/callback", with: target)))
            await #expect(throws: (any Error).self) { try await client.finish(moved) }
        }
        #expect(provider.requests(to: "/token").isEmpty)
    }

    // MARK: Logout

    @Test func `A high-security client (rp-initiated-logout) leads to the page with the ID token`() async throws {
        let provider = try ScriptedProvider()
        let url = try await provider.client().signOutURL(
            for: Tokens(access: "a", idToken: "id"), redirectingTo: ScriptedProvider.redirectURI, state: "s")
        expectEqual(url.path(), "/logout")
        expectEqual(
            ScriptedProvider.parameters(url.query(percentEncoded: true) ?? ""),
            [
                "id_token_hint": "id", "client_id": "notes", "state": "s",
                "post_logout_redirect_uri": "https://notes.example.com/callback",
            ])
    }

    @Test(.tags(.logoutTokenForgery))
    func `A high-security client (backchannel-logout) ends the session that the token names, once`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let token = try provider.logoutToken()
        let ended = try await client.endedSession(ofLogoutToken: token)
        #expect((ended.subject, ended.sessionID) == ("ada", "s1"))
        await #expect(throws: OAuthError.invalidLogoutToken) { try await client.endedSession(ofLogoutToken: token) }
    }

    private typealias Change = @Sendable (inout Claims) -> Void

    private static let brokenLogouts: [(String, Change)] = [
        ("no event", { $0["events"] = nil }),
        ("wrong event", { $0["events"] = ["http://schemas.openid.net/event/other": [:]] }),
        ("event of another type", { $0["events"] = ["http://schemas.openid.net/event/backchannel-logout": 1] }),
        ("nonce", { $0["nonce"] = "n" }),
        (
            "no subject and no session",
            {
                $0["sub"] = nil
                $0["sid"] = nil
            }
        ),
        ("no identifier", { $0["jti"] = nil }),
        ("no time", { $0["iat"] = nil }),
        ("no expiry", { $0["exp"] = nil }),
        ("other audience", { $0.audience = ["other"] }),
        ("expired", { $0.expiry = $0.issuedAt?.addingTimeInterval(-60) }),
    ]

    @Test(.tags(.logoutTokenForgery), arguments: brokenLogouts.indices)
    func `A high-security client (backchannel-logout-invalid) refuses a malformed token`(index: Int) async throws {
        let provider = try ScriptedProvider()
        let token = try provider.logoutToken { Self.brokenLogouts[index].1(&$0) }
        await #expect(throws: OAuthError.invalidLogoutToken, "\(Self.brokenLogouts[index].0)") {
            try await provider.client().endedSession(ofLogoutToken: token)
        }
    }

    @Test(.tags(.logoutTokenForgery))
    func `A high-security client (backchannel-logout-iss) refuses a token of another issuer`() async throws {
        let provider = try ScriptedProvider()
        let token = try provider.logoutToken { $0.issuer = "https://evil.example" }
        await #expect(throws: OAuthError.issuerMismatch) {
            try await provider.client().endedSession(ofLogoutToken: token)
        }
    }

    @Test(.tags(.logoutTokenForgery))
    func `A high-security client (backchannel-logout-typ) refuses an access token, and another key's signature`()
        async throws
    {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let token = try provider.logoutToken(type: "at+jwt")
        await #expect(throws: OAuthError.invalidLogoutToken) { try await client.endedSession(ofLogoutToken: token) }
        let forged = try ScriptedProvider()
        let other = try forged.logoutToken()
        await #expect(throws: OAuthError.invalidLogoutToken) { try await client.endedSession(ofLogoutToken: other) }
    }

    @Test func `A high-security client (frontchannel-logout) reads the session, and refuses another issuer`() throws {
        let client = try ScriptedProvider().client()
        let url = try #require(URL(string: "https://notes.example.com/out?iss=https://id.example.com&sid=s1"))
        try expectEqual(client.endedSession(ofFrontChannel: url)?.sessionID, "s1")
        let evil = try #require(URL(string: "https://notes.example.com/out?iss=https://evil.example&sid=s1"))
        #expect(throws: OAuthError.issuerMismatch) { try client.endedSession(ofFrontChannel: evil) }
    }

    // MARK: Device code

    @Test
    func `A high-security client (device-code) waits as long as the server says, and longer if too fast`() async throws
    {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let authorization = try await client.beginOnAnotherDevice()
        expectEqual(authorization.userCode, "WDJB-MJHT")
        let task = Task { try await client.finish(authorization).tokens }
        await expectEqual(provider.clock.wakeNext(), .seconds(5))
        await expectEqual(provider.clock.wakeNext(), .seconds(5))
        await expectEqual(provider.clock.wakeNext(), .seconds(10))
        #expect(try await task.value.idToken != nil)
    }

    // Report 15 in Documentation/PublicReports.md.
    @Test(
        arguments: [
            (#""interval":"12","expires_in":"30""#, 12, 30), (#""interval":12.0,"expires_in":30.5"#, 12, 30.5),
            (#""interval":null,"expires_in":"soon""#, 5, 600), (#""interval":"-1","expires_in":"1e9""#, 5, 600),
        ] as [(String, Double, Double)])
    func `A high-security client (device-code-numbers) reads numbers that are written as texts`(
        members: String, interval: Double, life: Double
    ) async throws {
        let provider = try ScriptedProvider()
        provider.deviate { deviations in
            deviations.response = { request in
                guard request.pathWithoutQuery == "/device" else { return nil }
                return HTTPResponse(
                    status: .ok,
                    body: HTTPBody(
                        #"{"device_code":"d","user_code":"U","verification_uri":"https://id.example.com/d",\#(members)}"#
                    ))
            }
        }
        let client = provider.client()
        let authorization = try await client.beginOnAnotherDevice()
        expectEqual(authorization.expiry.timeIntervalSince(provider.clock.now), life)
        let task = Task { try await client.finish(authorization) }
        await provider.clock.sleeper(for: .seconds(interval) ... .seconds(interval))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A high-security client (device-code-cancelled) ends with the task`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let authorization = try await client.beginOnAnotherDevice()
        let task = Task { try await client.finish(authorization) }
        await provider.clock.sleeper(for: .seconds(5) ... .seconds(5))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: Introspection

    @Test func `A high-security client (introspection) distinguishes an active token from any other`() async throws {
        let provider = try ScriptedProvider()
        let endpoint = try await provider.client().tokenEndpoint()
        try await expectEqual(endpoint.introspect("good")?.subject, "ada")
        try await expectNil(endpoint.introspect("bad"))
    }
}
