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
import Testing

/// Each known provider, played by its metadata and its deviations as they are documented.
@Suite struct KnownProviderTests {
    /// A provider that serves the metadata of an issuer, or nothing, and answers at any token endpoint.
    private final class Played: Handler {
        let metadata: JSONObject?
        let tokens: JSONObject
        let keys: JSONObject?
        private let seen = Mutex<[HTTPRequest]>([])

        init(metadata: JSONObject? = nil, tokens: JSONObject = ["access_token": "a"], keys: JSONObject? = nil) {
            (self.metadata, self.tokens, self.keys) = (metadata, tokens, keys)
        }

        var requests: [HTTPRequest] { seen.withLock { $0 } }

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            seen.withLock { $0.append(request) }
            let isMetadata = request.path.contains("/.well-known/openid-configuration")
            guard let members = isMetadata ? metadata : request.method == .post ? tokens : keys else {
                return HTTPResponse(status: .notFound)
            }
            return HTTPResponse(status: .ok, body: HTTPBody(JSONValue.object(members).serialized()))
        }
    }

    private static let callback = URL(string: "https://notes.example.com/callback") ?? URL(filePath: "/")

    /// The metadata of an issuer with endpoints below it.
    private static func metadata(_ issuer: String, _ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var members: JSONObject = ["issuer": .string(issuer)]
        for (name, path) in [("authorization", "authorize"), ("token", "token"), ("end_session", "logout")] {
            members["\(name)_endpoint"] = .string("https://id.example.com/\(path)")
        }
        change(&members)
        return members
    }

    private static let published: [(String, OAuthConfiguration)] = [
        ("https://accounts.google.com", .google(clientID: "c")),
        (
            "https://login.microsoftonline.com/contoso.example/v2.0",
            .microsoft(clientID: "c", tenant: "contoso.example")
        ),
        ("https://example.eu.auth0.com/", .auth0(domain: "example.eu.auth0.com", clientID: "c", audience: "api")),
        ("https://example.okta.com/oauth2/default", .okta(domain: "example.okta.com", clientID: "c")),
        ("https://example.okta.com", .okta(domain: "example.okta.com", clientID: "c", server: nil)),
        (
            "https://sso.example.com/auth/realms/notes",
            .keycloak(at: URL(string: "https://sso.example.com/auth") ?? callback, realm: "notes", clientID: "c")
        ),
        (
            "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_x",
            .cognito(region: "eu-central-1", userPool: "eu-central-1_x", clientID: "c")
        ),
        ("https://gitlab.com", .gitlab(clientID: "c")),
        ("https://git.example.com", .gitlab(clientID: "c", host: "git.example.com")),
        ("https://discord.com", .discord(clientID: "c")),
        (
            "https://latch.example.com",
            .latchwork(at: URL(string: "https://latch.example.com") ?? callback, clientID: "c")
        ),
    ]

    @Test(arguments: published.indices)
    func `A known provider is found by its issuer`(index: Int) async throws {
        let (issuer, configuration) = Self.published[index]
        let provider = Played(metadata: Self.metadata(issuer))
        let client = AuthorizationClient(configuration, transport: provider)
        let url = try await client.begin(redirectURI: Self.callback).url
        #expect(url.absoluteString.hasPrefix("https://id.example.com/authorize?"))
        let slash = issuer.hasSuffix("/") ? "" : "/"
        expectEqual(provider.requests.first?.absoluteURL, "\(issuer)\(slash).well-known/openid-configuration")
    }

    @Test func `A known provider signs users out at its own parameters: Cognito`() async throws {
        let issuer = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_x"
        let client = AuthorizationClient(
            .cognito(region: "eu-central-1", userPool: "eu-central-1_x", clientID: "c"),
            transport: Played(metadata: Self.metadata(issuer)))
        let url = try await client.signOutURL(for: Tokens(access: "a", idToken: "id"), redirectingTo: Self.callback)
        expectEqual(
            ScriptedProvider.parameters(url.query(percentEncoded: true) ?? ""),
            ["client_id": "c", "logout_uri": Self.callback.absoluteString])
    }

    @Test func `A known provider gets its own request for a refresh token: Google`() async throws {
        let provider = Played(metadata: Self.metadata("https://accounts.google.com"))
        let client = AuthorizationClient(.google(clientID: "c"), transport: provider)
        let parameters = ScriptedProvider.parameters(
            try await client.begin(redirectURI: Self.callback).url.query(percentEncoded: true) ?? "")
        expectEqual(parameters["access_type"], "offline")
        expectEqual(parameters["scope"], "openid profile email")
    }

    @Test(arguments: [
        (
            "https://accounts.google.com",
            ["access_type": "offline", "prompt": "consent", "scope": "openid profile email"]
        ),
        ("https://github.com/login/oauth", ["scope": "read:user user:email"]),
        ("https://discord.com", ["scope": "openid identify email"]),
        ("https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_x", ["scope": "openid profile email"]),
    ])
    func `A known provider is known by its issuer, also to the command`(issuer: String, expected: [String: String])
        async throws
    {
        let url = try #require(URL(string: issuer))
        let known = try #require(OAuthConfiguration.known(issuer: url, clientID: "c", secret: nil))
        let client = AuthorizationClient(known, transport: Played(metadata: Self.metadata(issuer)))
        let page = try await client.begin(redirectURI: Self.callback).url
        let sent = ScriptedProvider.parameters(page.query(percentEncoded: true) ?? "")
        expectEqual(sent.filter { expected.keys.contains($0.key) }, expected)
        expectEqual(known.issuer.absoluteString, issuer)
        let chosen = try await client.begin(AuthorizationRequest(scopes: ["x"]), redirectURI: Self.callback).url
        expectEqual(ScriptedProvider.parameters(chosen.query(percentEncoded: true) ?? "")["scope"], "x")
    }

    @Test(arguments: [
        "https://id.example.com", "https://accounts.google.com.evil.example", "https://cognito-idp.example.com",
    ])
    func `A known provider is not any other issuer`(issuer: String) throws {
        let url = try #require(URL(string: issuer))
        expectNil(OAuthConfiguration.known(issuer: url, clientID: "c", secret: nil)?.issuer)
    }

    @Test func `A known provider can have one issuer for each tenant: Microsoft`() async throws {
        let provider = Played(
            metadata: Self.metadata("https://login.microsoftonline.com/{tenantid}/v2.0"))
        let client = AuthorizationClient(.microsoft(clientID: "c"), transport: provider)
        try await expectEqual(client.server().tokenEndpoint.path(), "/token")
        for other in ["evil", "9188040d", "{tenantid}/evil", "9188040d-6c67-4c5b-b112-36a304b66dad/v2.0/x"] {
            let wrong = Played(metadata: Self.metadata("https://login.microsoftonline.com/\(other)/v2.0"))
            await #expect(throws: OAuthError.issuerMismatch) {
                try await AuthorizationClient(.microsoft(clientID: "c"), transport: wrong).server()
            }
        }
    }

    @Test(arguments: ["consumers", "contoso.example"])
    func `A known provider states the issuer of the named directory: Microsoft`(tenant: String) async throws {
        let id = "9188040d-6c67-4c5b-b112-36a304b66dad"
        let issuer = "https://login.microsoftonline.com/\(id)/v2.0"
        let key = try Key.generate(.rs256)
        var claims: Claims = ["sub": "ada", "tid": .string(id)]
        (claims.issuer, claims.audience) = (issuer, ["c"])
        (claims.issuedAt, claims.expiry) = (.now, .now.addingTimeInterval(600))
        let metadata = Self.metadata(issuer) { $0["jwks_uri"] = "https://id.example.com/jwks" }
        let keys = KeySet([key]).jwks().objectValue ?? [:]
        for other in [id, "11111111-2222-3333-4444-555555555555"] {
            claims["tid"] = .string(other)
            claims.issuer = "https://login.microsoftonline.com/\(other)/v2.0"
            let provider = Played(
                metadata: metadata,
                tokens: ["access_token": "a", "id_token": .string(try JWT.sign(claims, with: key))],
                keys: keys)
            let client = AuthorizationClient(.microsoft(clientID: "c", tenant: tenant), transport: provider)
            let grant = AuthorizationCodeGrant(code: "c", verifier: "v", redirectURI: nil)
            if other == id {
                #expect(try await client.tokens(for: grant).tokens.idToken != nil)
            } else {
                // Signed with the same keys, and for the same client, but of another directory.
                await #expect(throws: OAuthError.issuerMismatch) { try await client.tokens(for: grant) }
            }
        }
    }

    @Test func `A known provider signs a client secret for each request: Apple`() async throws {
        let key = try Key.generate(.es256, id: "KEY1")
        // What Apple published for a day in June 2025; its tokens kept their issuer.
        let provider = Played(metadata: Self.metadata("https://account.apple.com"))
        let client = AuthorizationClient(
            .apple(clientID: "com.example.web", teamID: "TEAM", key: key), transport: provider)
        let url = try await client.begin(redirectURI: Self.callback).url
        #expect(url.absoluteString.hasPrefix("https://appleid.apple.com/auth/authorize?"))
        expectEqual(ScriptedProvider.parameters(url.query(percentEncoded: true) ?? "")["response_mode"], "form_post")
        _ = try await client.tokens(for: RefreshGrant(refreshToken: "r"))
        let form = ScriptedProvider.parameters(provider.requests.last?.body.text ?? "")
        let secret = try #require(form["client_secret"])
        let claims = try JWTVerifier(
            keys: KeySet([try #require(key.publicKey)]), algorithms: [.es256], issuer: "TEAM",
            audience: "https://appleid.apple.com"
        ).verify(secret)
        expectEqual(claims.subject, "com.example.web")
        expectEqual(provider.requests.map(\.absoluteURL), ["https://appleid.apple.com/auth/token"])
        try expectEqual(JWT(unverified: secret).header.keyID, "KEY1")
    }

    @Test func `A known provider answers errors with 200, and separates scopes by commas: GitHub`() async throws {
        let provider = Played(tokens: [
            "access_token": "gho_a", "scope": "read:user,user:email", "token_type": "bearer",
        ])
        let client = AuthorizationClient(.github(clientID: "c", secret: "s"), transport: provider)
        let url = try await client.begin(redirectURI: Self.callback).url
        #expect(url.absoluteString.hasPrefix("https://github.com/login/oauth/authorize?"))
        let response = try await client.tokens(for: AuthorizationCodeGrant(code: "c", verifier: "v", redirectURI: nil))
        expectEqual(response.grantedScopes, ["read:user", "user:email"])
        expectEqual(provider.requests.last?.absoluteURL, "https://github.com/login/oauth/access_token")
        // Its responses name this issuer (RFC 9207).
        let attempt = try await client.begin(redirectURI: Self.callback)
        let state = ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")["state"] ?? ""
        let callback = "\(Self.callback)?code=c&state=\(state)&iss=https%3A%2F%2Fgithub.com%2Flogin%2Foauth"
        try await expectEqual(client.finish(try #require(URL(string: callback))).tokens.access, "gho_a")
        let wrong = Played(tokens: ["error": "bad_verification_code", "error_description": "The code is incorrect."])
        await #expect(throws: OAuthError.invalidGrant) {
            try await AuthorizationClient(.github(clientID: "c"), transport: wrong).tokens(
                for: AuthorizationCodeGrant(code: "c", verifier: "v", redirectURI: nil))
        }
    }

    @Test func `A known provider has no nonce, and takes no verifier: LinkedIn`() async throws {
        let key = try Key.generate(.rs256)
        var claims: Claims = ["sub": "ada"]
        (claims.issuer, claims.audience) = ("https://www.linkedin.com/oauth", ["c"])
        (claims.issuedAt, claims.expiry) = (.now, .now.addingTimeInterval(600))
        let provider = Played(
            tokens: [
                "access_token": "a", "scope": "email,openid,profile",
                "id_token": .string(try JWT.sign(claims, with: key)),
            ],
            keys: KeySet([key]).jwks().objectValue)
        let client = AuthorizationClient(.linkedIn(clientID: "c", secret: "s"), transport: provider)
        let page = try await client.begin(redirectURI: Self.callback).url
        let parameters = ScriptedProvider.parameters(page.query(percentEncoded: true) ?? "")
        #expect(page.absoluteString.hasPrefix("https://www.linkedin.com/oauth/v2/authorization?"))
        #expect(parameters["nonce"] == nil && parameters["code_challenge"] == nil)
        let callback = try #require(URL(string: "\(Self.callback)?code=1&state=\(parameters["state"] ?? "")"))
        let response = try await client.finish(callback)
        expectEqual(response.idTokenClaims?.subject, "ada")
        expectEqual(response.grantedScopes, ["email", "openid", "profile"])
        let request = try #require(provider.requests.last { $0.method == .post })
        let form = ScriptedProvider.parameters(request.body.text ?? "")
        #expect(form["client_secret"] == "s" && form["code_verifier"] == nil)
        expectNil(request.fields[.authorization])
        expectEqual(request.absoluteURL, "https://www.linkedin.com/oauth/v2/accessToken")
        await #expect(throws: OAuthError.stateMismatch) { try await client.finish(callback) }
    }

    @Test func `A known provider adds a fragment to its response: Facebook`() async throws {
        let client = AuthorizationClient(.facebook(clientID: "c"), transport: Played())
        let attempt = try await client.begin(redirectURI: Self.callback)
        let state = ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")["state"] ?? ""
        let url = try #require(URL(string: "\(Self.callback)?code=c&state=\(state)#_=_"))
        #expect(attempt.isAnswered(by: url))
        try await expectEqual(client.server().tokenEndpoint.host(), "graph.facebook.com")
    }

    @Test func `A known provider posts its response: Apple`() throws {
        let response = try AuthorizationResponse(form: Array("state=s&code=c".utf8), sentTo: Self.callback)
        expectEqual(response.state, "s")
    }
}
