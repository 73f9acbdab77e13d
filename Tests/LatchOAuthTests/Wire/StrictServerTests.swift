// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// Servers that are strict, slow or odd in ways that the specifications allow, or that real ones have.
@Suite struct StrictServerTests {
    private func key() throws -> Key { try Key.generate(.es256) }

    // MARK: Metadata

    @Test(.timeLimit(.minutes(1)))
    func `A server that moves an endpoint has its metadata fetched again after a day`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let old = try await client.server().userInfoEndpoint
        let path = "/.well-known/openid-configuration"
        provider.clock.advance(by: .seconds(86_399))
        _ = try await client.server()
        expectEqual(provider.requests(to: path).count, 1)
        // While it cannot be fetched, nothing is lost, and it is not asked at every turn.
        let failure = HTTPResponse(status: .serviceUnavailable)
        provider.deviate { $0.response = { $0.pathWithoutQuery == path ? failure : nil } }
        provider.clock.advance(by: .seconds(2))
        while provider.requests(to: path).count < 2 { try await expectEqual(client.server().userInfoEndpoint, old) }
        provider.deviate {
            $0.response = { _ in nil }
            $0.metadata = { $0["userinfo_endpoint"] = "https://id.example.com/v2/userinfo" }
        }
        try await expectEqual(client.server().userInfoEndpoint, old)
        provider.clock.advance(by: .seconds(601))
        try await eventually { try await client.server().userInfoEndpoint != old }
        expectEqual(provider.requests(to: path).count, 3)
    }

    @Test func `A server that loses its keys issues tokens that are not used`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let callback = try provider.approve(try await client.begin())
        // The keys of the first sign-in are known; the new one cannot be fetched.
        _ = try await client.finish(callback)
        let next = try provider.approve(try await client.begin())
        try provider.rotate()
        provider.clock.advance(by: .seconds(120))
        provider.deviate { $0.response = { $0.path == "/jwks" ? HTTPResponse(status: .serviceUnavailable) : nil } }
        await #expect(throws: AuthError.keysUnavailable) { try await client.finish(next) }
        #expect(provider.requests(to: "/revoke").isEmpty)
    }

    /// Some issuers know one grant for each user and client: a revocation there ends the user's sessions on all devices.
    @Test
    func `A server gets a revocation of a refused ID token's tokens only if that ends one sign-in`() async throws {
        let provider = try ScriptedProvider()
        provider.deviate {
            $0.metadata = { $0["latch_client_id"] = "latch" }
            $0.claims = { $0.issuer = "https://other.example.com" }
        }
        await #expect(throws: OAuthError.issuerMismatch) {
            let client = provider.client()
            return try await client.finish(provider.approve(try await client.begin()))
        }
        expectEqual(provider.requests(to: "/revoke").count, 2)
    }

    @Test func `A server that refuses a refresh until claims are met has them on its page`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let session = Session(client: client, store: InMemoryTokenStore())
        try await session.signIn(try await client.finish(provider.approve(try await client.begin())).tokens)
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        let refusal: JSONValue = [
            "error": "invalid_grant", "suberror": "basic_action", "claims": .string(claims),
        ]
        provider.deviate {
            $0.response = { request in
                guard request.path == "/token" else { return nil }
                return HTTPResponse(status: .badRequest, body: HTTPBody(refusal.serialized()))
            }
        }
        provider.clock.advance(by: .seconds(3_600))
        let error = await #expect(throws: AuthError.stepUpRequired) { try await session.credential() }
        let request = AuthorizationRequest(satisfying: try #require(error?.requirement))
        let page = try await client.begin(request).url.query(percentEncoded: true) ?? ""
        expectEqual(ScriptedProvider.parameters(page)["claims"], claims)
    }

    // MARK: Client authentication

    @Test func `A server that requires a nonce gets a new assertion of the client with it`() async throws {
        let provider = try ScriptedProvider(
            ClientRegistration(clientID: "notes", key: try key()), nonces: DPoPNonces())
        let client = provider.client()
        let attempt = try await client.begin(boundTo: try DPoPKey.generate(clock: provider.clock.wallClock()))
        _ = try await client.finish(provider.approve(attempt))
        expectEqual(provider.requests(to: "/token").count, 2)
    }

    @Test(arguments: [
        (ClientRegistration.AssertionAudience.issuer, "https://id.example.com"),
        (.tokenEndpoint, "https://id.example.com/token"),
    ])
    func `A strict, slow or odd server gets an assertion for the audience that it demands`(
        audience: ClientRegistration.AssertionAudience, expected: String
    ) async throws {
        var registration = ClientRegistration(clientID: "notes", key: try key())
        registration.assertionAudience = audience
        let sent = Mutex<String?>(nil)
        let endpoint = TokenEndpoint(
            server: AuthorizationServer(
                issuer: ScriptedProvider.issuer, tokenEndpoint: ScriptedProvider.issuer.appending(path: "token")),
            registration: registration,
            transport: ClosureHandler { request in
                let assertion = ScriptedProvider.parameters(request.body.text ?? "")["client_assertion"] ?? ""
                sent.withLock { $0 = try? JWT(unverified: assertion).claims.string("aud") }
                return .json(["access_token": "a"])
            })
        _ = try await endpoint.tokens(for: ClientCredentialsGrant())
        #expect(sent.withLock { $0 } == expected)
    }

    @Test func `A server that refuses another user is not taken to refuse this one`() async throws {
        let endpoint = TokenEndpoint(
            server: .latchwork(at: ScriptedProvider.issuer), registration: ClientRegistration(clientID: "notes"),
            transport: ClosureHandler { _ in HTTPResponse(status: .unauthorized) })
        await #expect(throws: OAuthError.unauthorized) { try await endpoint.tokens(for: ClientCredentialsGrant()) }
        await #expect(throws: OAuthError.unauthorized) { try await endpoint.revoke("token") }
        await #expect(throws: OAuthError.invalidGrant) {
            try await endpoint.tokens(for: PasswordGrant(username: "ada", password: "wrong"))
        }
    }

    @Test(arguments: [#"{"error":"gateway_quota_exceeded"}"#, #"{"error":"unauthorized"}"#])
    func `A strict, slow or odd server ends no session by a code of a gateway`(body: String) async throws {
        let endpoint = TokenEndpoint(
            server: .latchwork(at: ScriptedProvider.issuer),
            transport: ClosureHandler { _ in HTTPResponse(status: .unauthorized, body: HTTPBody(body)) })
        let tokens = Tokens(access: "a", refresh: "r", expiry: Date(timeIntervalSince1970: 1))
        let session = Session(tokenEndpoint: endpoint, store: InMemoryTokenStore(tokens))
        await #expect(throws: OAuthError.unauthorized) { try await session.credential() }
        expectEqual(session.currentState.credential?.refresh, "r")
    }

    @Test(arguments: ["", "<html>No</html>", #"{"detail":"Invalid client or token"}"#])
    func `A strict, slow or odd server ends no session by a refusal without a code`(body: String) async throws {
        let endpoint = TokenEndpoint(
            server: .latchwork(at: ScriptedProvider.issuer),
            registration: ClientRegistration(clientID: "notes", key: try key()),
            transport: ClosureHandler { _ in HTTPResponse(status: .unauthorized, body: HTTPBody(body)) })
        let tokens = Tokens(access: "a", refresh: "r", expiry: Date(timeIntervalSince1970: 1))
        let session = Session(tokenEndpoint: endpoint, store: InMemoryTokenStore(tokens))
        let error = await #expect(throws: OAuthError.unauthorized) { try await session.credential() }
        expectEqual(error?.isDoubtfulEnd, false)
        expectEqual(session.currentState.credential?.refresh, "r")
    }

    @Test(arguments: ["", "<html>No</html>", #"{"message":"Missing API key"}"#, #"{"error":"unauthorized"}"#])
    func `A strict, slow or odd server leaves the end open by a refusal that a gateway can have written`(body: String)
        async throws
    {
        let endpoint = TokenEndpoint(
            server: .latchwork(at: ScriptedProvider.issuer), registration: ClientRegistration(clientID: "notes"),
            transport: ClosureHandler { _ in HTTPResponse(status: .unauthorized, body: HTTPBody(body)) })
        let error = await #expect(throws: OAuthError.unauthorized) {
            try await endpoint.refresh(Tokens(access: "a", refresh: "r"))
        }
        expectEqual(error?.isDoubtfulEnd, true)
    }

    @Test func `A strict, slow or odd server cannot have an error repeat a token`() async throws {
        let text = #"{"error":"invalid_client","error_description":"bad assertion eyJhbGciOiJFUzI1NiJ9.e30.c2ln"}"#
        let endpoint = TokenEndpoint(
            server: .latchwork(at: ScriptedProvider.issuer),
            registration: ClientRegistration(clientID: "notes", key: try key()),
            transport: ClosureHandler { _ in HTTPResponse(status: .unauthorized, body: HTTPBody(text)) })
        let error = await #expect(throws: OAuthError.self) {
            try await endpoint.tokens(for: ClientCredentialsGrant())
        }
        #expect(error == .invalidClient && error?.issuerMessage == nil)
    }

    // MARK: Time and place

    @Test(.timeLimit(.minutes(1)), arguments: ["/token", "/.well-known/openid-configuration", "/jwks"])
    func `A strict, slow or odd server cannot keep a client waiting by a response without an end`(path: String)
        async throws
    {
        let server = Server(
            handler: ClosureHandler { request in
                guard request.pathWithoutQuery != path else {
                    let stream = HTTPBodyStream(once: {
                        try await Task.sleep(for: .milliseconds(20))
                        return [0x20]
                    })
                    return HTTPResponse(status: .ok, body: HTTPBody(stream))
                }
                return .json([
                    "issuer": .string("http://\(request.authority)"), "keys": [],
                    "token_endpoint": .string("http://\(request.authority)/token"),
                    "jwks_uri": .string("http://\(request.authority)/jwks"), "access_token": "a",
                    "id_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                ])
            })
        let address = try await server.start()
        defer { Task { await server.shutdown(grace: Duration.zero) } }
        let issuer = try #require(URL(string: "http://127.0.0.1:\(address.port)"))
        let client = AuthorizationClient(
            OAuthConfiguration(issuer: issuer, clientID: "notes"), timeout: .milliseconds(300))
        await #expect {
            try await client.tokens(for: ClientCredentialsGrant())
        } throws: { error in
            error as? HTTPError == .timeout || error as? AuthError == .keysUnavailable
        }
    }

    @Test func `A strict, slow or odd server can have a web page at the metadata address of another`() async throws {
        let provider = try ScriptedProvider()
        provider.deviate { deviations in
            deviations.response = { request in
                switch String(request.pathWithoutQuery) {
                case "/.well-known/openid-configuration":
                    HTTPResponse(status: .ok, fields: [.contentType: "text/html"], body: HTTPBody("<!doctype html>"))
                case "/.well-known/oauth-authorization-server":
                    .json([
                        "issuer": "https://id.example.com", "token_endpoint": "https://id.example.com/token",
                        "authorization_endpoint": "https://id.example.com/authorize",
                    ])
                default: nil
                }
            }
        }
        try await expectEqual(provider.client().server().authorizationEndpoint?.path(), "/authorize")
    }

    @Test func `A strict, slow or odd server cannot redirect calls to this machine`() async throws {
        let provider = try ScriptedProvider()
        provider.deviate { $0.metadata = { $0["token_endpoint"] = "http://127.0.0.1:631/token" } }
        await #expect(throws: OAuthError.invalidMetadata) { try await provider.client().server() }
    }

    @Test
    func `A strict, slow or odd server has its keys fetched through the interceptors, like everything else`()
        async throws
    {
        let provider = try ScriptedProvider()
        let seen = Mutex<[String]>([])
        var configuration = provider.configuration
        configuration.redirectURI = ScriptedProvider.redirectURI
        let client = AuthorizationClient(
            configuration, transport: provider,
            interceptors: [PathRecorder { path in seen.withLock { $0.append(path) } }],
            clock: provider.clock.wallClock())
        _ = try await client.finish(provider.approve(try await client.begin()))
        expectEqual(seen.withLock { $0 }, ["/.well-known/openid-configuration", "/jwks", "/token"])
    }

    // MARK: Tokens

    @Test func `A strict, slow or odd server can issue a token that is not an access token`() async throws {
        let type = "urn:ietf:params:oauth:token-type:saml2"
        let endpoint = TokenEndpoint(
            server: .latchwork(at: ScriptedProvider.issuer),
            transport: ClosureHandler { _ in
                .json(["access_token": "PEFzc2VydGlvbi8-", "issued_token_type": .string(type), "token_type": "N_A"])
            })
        let exchange = TokenExchangeGrant(subject: .access("a"), requestedType: type)
        let response = try await endpoint.tokens(for: exchange)
        expectEqual(response.issuedTokenType, type)
        var request = HTTPRequest(authority: "api.example.com", path: "/")
        #expect(throws: AuthError.unknownTokenType) { try response.tokens.authorize(&request) }
        await #expect(throws: OAuthError.unacceptableTokenType) {
            try await endpoint.tokens(for: TokenExchangeGrant(subject: .access("a")))
        }
    }

    @Test func `A strict, slow or odd server also has its ID tokens verified for other grants`() async throws {
        let provider = try ScriptedProvider()
        let session = Session(client: provider.client(), store: InMemoryTokenStore())
        let response = try await session.signIn(with: ClientCredentialsGrant(scopes: ["openid"]))
        #expect(response.tokens.idToken != nil)
        provider.deviate { $0.claims = { $0.audience = ["somebody else"] } }
        await #expect(throws: OAuthError.invalidIDToken) {
            try await session.signIn(with: ClientCredentialsGrant(scopes: ["openid"]))
        }
    }

    @Test
    func `A strict, slow or odd server does not delay the storage of refreshed tokens by its keys`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let store = InMemoryTokenStore<Tokens>()
        try await store.save(client.finish(provider.approve(try await client.begin())).tokens)
        provider.clock.advance(by: .seconds(3_600))
        // Another launch of the program, which does not know the keys yet.
        let session = Session(client: provider.client(), store: store)
        let before = provider.paths.count
        _ = try await session.credential()
        expectEqual(Array(provider.paths[before...]), ["/.well-known/openid-configuration", "/jwks", "/token"])
        // A key that nobody has seen before is not fetched while the new tokens wait.
        let unknown = try key()
        provider.deviate { $0.sign = { try JWT.sign($0, with: unknown) } }
        provider.clock.advance(by: .seconds(3_600))
        let first = try #require(store.load()?.idToken)
        _ = try await session.credential()
        expectEqual(provider.paths.last, "/token")
        expectEqual(store.load()?.idToken, first)
    }

    @Test
    func `A strict, slow or odd server has tokens of another user revoked, if that ends one sign-in`() async throws {
        let provider = try ScriptedProvider()
        provider.deviate { $0.metadata = { $0["latch_client_id"] = "latch" } }
        let client = provider.client()
        let session = Session(client: client, store: InMemoryTokenStore())
        try await session.signIn(try await client.finish(provider.approve(try await client.begin())).tokens)
        provider.deviate { $0.claims = { $0.subject = "eve" } }
        provider.clock.advance(by: .seconds(3_600))
        await #expect(throws: AuthError.reauthenticationRequired) { try await session.credential() }
        #expect(!provider.requests(to: "/revoke").isEmpty)
    }

    // MARK: Users

    private func userInfo(
        _ configure: (inout OAuthConfiguration) -> Void = { _ in },
        _ respond: @escaping @Sendable (ScriptedProvider) throws -> String
    ) async throws -> Claims {
        let provider = try ScriptedProvider()
        let client = provider.client(configure)
        let tokens = try await client.finish(provider.approve(try await client.begin())).tokens
        provider.deviate { deviations in
            deviations.response = { request in
                guard request.pathWithoutQuery == "/userinfo", let text = try? respond(provider) else { return nil }
                return HTTPResponse(
                    status: .ok, fields: [.contentType: "application/jwt"], body: HTTPBody(text))
            }
        }
        return try await client.userInfo(of: tokens)
    }

    @Test(arguments: [["notes"], [], nil])
    func `A strict, slow or odd server can sign its user info, without an expiry`(audience: [String]?) async throws {
        let claims = try await userInfo { provider in
            var claims: Claims = ["sub": "ada", "name": "Ada", "iss": "https://id.example.com"]
            claims.audience = audience ?? []
            return try JWT.sign(claims, with: provider.key)
        }
        expectEqual(claims.string("name"), "Ada")
    }

    @Test(arguments: ["aud", "iss", "sub"])
    func `A strict, slow or odd server cannot send signed user info of another user, client or server`(wrong: String)
        async throws
    {
        await #expect(throws: OAuthError.self) {
            try await userInfo { provider in
                var claims: Claims = ["sub": "ada", "aud": "notes", "iss": "https://id.example.com"]
                claims[wrong] = "https://evil.example"
                return try JWT.sign(claims, with: provider.key)
            }
        }
    }

    @Test func `A strict, slow or odd server can encrypt its user info, without a signature`() async throws {
        let key = try EncryptionKey.generate(.ecdhESA256KW)
        let configure: (inout OAuthConfiguration) -> Void = { $0.decryptionKeys = [key] }
        let provider = try ScriptedProvider()
        provider.deviate { deviations in
            deviations.sign = { claims in
                let signed = try JWT.sign(claims, with: provider.key)
                return try JWE.encrypt(Array(signed.utf8), for: key, using: .a256GCM, header: ["cty": "JWT"])
            }
            deviations.response = { request in
                guard request.pathWithoutQuery == "/userinfo",
                    let text = try? JWE.encrypt(
                        Array(#"{"sub":"ada","name":"Ada"}"#.utf8), for: key, using: .a256GCM)
                else { return nil }
                return HTTPResponse(status: .ok, fields: [.contentType: "application/jwt"], body: HTTPBody(text))
            }
        }
        let client = provider.client(configure)
        let tokens = try await client.finish(provider.approve(try await client.begin())).tokens
        try await expectEqual(client.userInfo(of: tokens).string("name"), "Ada")
    }

    @Test func `A strict, slow or odd server encrypts logout tokens as it encrypts ID tokens`() async throws {
        let provider = try ScriptedProvider()
        let key = try EncryptionKey.generate(.ecdhESA256KW)
        let client = provider.client { $0.decryptionKeys = [key] }
        var claims: Claims = [
            "sub": "ada", "jti": "1", "aud": "notes", "iss": "https://id.example.com",
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        claims.issuedAt = provider.clock.now
        claims.expiry = provider.clock.now.addingTimeInterval(120)
        let signed = try JWT.sign(claims, with: provider.key)
        await #expect(throws: OAuthError.invalidLogoutToken) {
            try await client.endedSession(ofLogoutToken: signed)
        }
        let token = try JWE.encrypt(Array(signed.utf8), for: key, using: .a256GCM, header: ["cty": "JWT"])
        try await expectEqual(client.endedSession(ofLogoutToken: token).subject, "ada")
    }

    // MARK: Attempts

    @Test func `A strict, slow or odd server does not cause the loss of attempts in the store`() async throws {
        let provider = try ScriptedProvider()
        let secrets = InMemorySecretStore()
        for name in ["authorization.server", "latch.authorization.notes"] {
            secrets.write(Array("somebody else's".utf8), for: name)
        }
        _ = try await provider.client(attempts: secrets).begin()
        provider.clock.advance(by: .seconds(7_200))
        _ = try await provider.client(attempts: secrets).begin()
        expectEqual(secrets.names().count, 3)
        #expect(secrets.read("authorization.server") != nil)
        #expect(secrets.read("latch.authorization.notes") != nil)
    }
}

/// An interceptor that reports the path of each request.
private struct PathRecorder: Interceptor {
    let report: @Sendable (String) -> Void

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        report(String(request.pathWithoutQuery))
        return try await next.respond(to: request)
    }
}
