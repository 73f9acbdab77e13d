// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// RFC 7523 §2.2 and §3, OpenID Connect Core §9.
@Suite struct ClientAssertionTests {
    private static func site(
        _ way: Way = .inProcess, _ clients: KeyClient..., in folder: TemporaryFolder? = nil,
        storedAt location: String? = nil, change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        try await Site(way, in: folder, storedAt: location) {
            $0.clients =
                clients.map(\.registration) + [
                    OAuthClient(id: "phone", grants: [.password, .refreshToken]),
                    OAuthClient(id: "reports", isConfidential: true, grants: [.password, .clientCredentials]),
                ]
            $0.clientSecretDigests = ["reports": ClientSecret.digest]
            change(&$0)
        }
    }

    // MARK: Accepted assertions

    @Test(arguments: Way.allCases)
    func `A client's assertion authenticates it at each endpoint, for the issuer or that endpoint`(way: Way)
        async throws
    {
        let client = try KeyClient()
        let site = try await Self.site(way, client) { $0.certificateURL = "https://mtls.example.com/id/" }
        let issuer = try #require(site.identity.issuer)
        let token = try await site.clientCredentials(try client.assertion(for: site)).accessToken
        try expectEqual(JWT(unverified: token).claims.string("client_id"), "service")
        for (path, form) in [
            ("/oauth/token", ["grant_type": "client_credentials"]), ("/oauth/introspect", ["token": token]),
            ("/oauth/revoke", ["token": "x"]), ("/oauth/device_authorization", ["scope": "files:read"]),
        ] {
            let audiences: [JSONValue] = [
                .string(issuer), .string("\(issuer)/oauth/token"), .string(issuer + path),
                // RFC 8705 §5: the aliases.
                "https://mtls.example.com/id/oauth/token", .string("https://mtls.example.com/id\(path)"),
                .array([.string("https://other.example"), .string(issuer)]),
            ]
            for audience in audiences {
                var fields = form.map { ($0.key, $0.value) }
                fields += [
                    ("client_assertion_type", KeyClient.type),
                    ("client_assertion", try client.assertion(for: site, ["aud": audience])),
                ]
                let response = try await site.post(path, form: FormEncoding.encode(fields))
                expectEqual(response.status, 200, "\(path) \(audience) \(response.text)")
            }
        }
        await site.close()
    }

    @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .eddsa, .rs256, .ps256])
    func `A client's assertion may have each algorithm with a private key`(algorithm: SignatureAlgorithm) async throws {
        let client = try KeyClient(algorithm)
        let site = try await Self.site(.inProcess, client)
        try await expectEqual(site.clientCredentials(try client.assertion(for: site)).status, 200)
        await site.close()
    }

    @Test(arguments: ["JWT", "client-authentication+jwt", "application/client-authentication+jwt", nil])
    func `A client's assertion may have the type of one, or none, and a client_id beside it`(type: String?)
        async throws
    {
        let client = try KeyClient()
        let site = try await Self.site(.inProcess, client)
        let assertion = try client.assertion(for: site, type: type)
        try await expectEqual(site.clientCredentials(assertion, clientID: "service").status, 200)
        await site.close()
    }

    @Test func `A client's assertion tolerates clocks that differ by ten seconds`() async throws {
        let client = try KeyClient()
        let site = try await Self.site(.inProcess, client)
        let now = Int64(site.clock.now.timeIntervalSince1970)
        for (name, offset, isAccepted) in [
            ("nbf", 8, true), ("nbf", 60, false), ("iat", 8, true), ("iat", 60, false), ("exp", -8, true),
            ("exp", -60, false), ("exp", 3600, true), ("exp", 3700, false),
        ] {
            let assertion = try client.assertion(for: site, [name: .integer(now + Int64(offset))])
            let response = try await site.clientCredentials(assertion)
            expectEqual(response.status == 200, isAccepted, "\(name) \(offset)")
        }
        await site.close()
    }

    // MARK: Refused assertions

    /// A change of the claims, and a word of the description.
    private static let wrong: [(KeyValuePairs<String, JSONValue?>, String)] = [
        (["sub": "other"], "'sub'"), (["iss": "other"], "'iss'"), (["sub": nil], "registered"),
        (["iss": nil], "'iss'"), (["exp": nil], "'exp'"), (["jti": nil], "'jti'"), (["jti": ""], "'jti'"),
        (["aud": "https://other.example"], "'aud'"), (["aud": nil], "'aud'"), (["aud": []], "'aud'"),
        (["aud": ["https://other.example"]], "'aud'"), (["aud": "service"], "'aud'"),
        (["aud": "https://mtls.example.com/id/oauth/token"], "'aud'"),
        (["exp": .integer(1_000_000)], "expired"), (["exp": "soon"], "registered"), (["exp": .number(1e300)], "hour"),
        (["nbf": "now"], "registered"),
    ]

    @Test(.tags(.assertionReplay))
    func `A client's assertion needs issuer, subject, audience, times and ID, and the error names what is wrong`()
        async throws
    {
        let client = try KeyClient()
        let site = try await Self.site(.inProcess, client) { $0.loginLimitPerMinute = 100 }
        for (changes, word) in Self.wrong {
            let subject = changes.contains { $0.key == "sub" && $0.value != nil }
            let response = try await site.clientCredentials(
                try client.assertion(for: site, changes), clientID: subject ? "service" : nil)
            #expect(response.status == 401 && response.oauthError == "invalid_client", "\(changes)")
            #expect(response.string("error_description").contains(word), "\(changes) \(response.text)")
        }
        for type in ["dpop+jwt", "oauth-authz-req+jwt", "at+jwt"] {
            let response = try await site.clientCredentials(try client.assertion(for: site, type: type))
            #expect(response.oauthError == "invalid_client" && response.string("error_description").contains("'typ'"))
        }
        await site.close()
    }

    @Test(.tags(.assertionReplay, .revocationOracle))
    func `A client's assertion with another signature has the same error as one of an unknown client`() async throws {
        let client = try KeyClient()
        let site = try await Self.site(.inProcess, client) { $0.loginLimitPerMinute = 100 }
        var unknown = try KeyClient()
        unknown.id = "nobody"
        let expected = try await site.clientCredentials(try unknown.assertion(for: site))
        #expect(expected.status == 401 && expected.oauthError == "invalid_client")
        // RFC 8725 §2.1: the public key as the secret of a MAC, in each form that a server may have it.
        let publicKey = try #require(client.key.publicKey)
        let jwk = JSONValue.object(publicKey.jwk).serialized()
        let secrets = [jwk, Array(try publicKey.pem().utf8)]
        var attempts = try secrets.map { bytes in
            try client.assertion(
                for: site,
                with: Key(secret: SymmetricKey(data: bytes), algorithm: .hs256, id: client.key.id))
        }
        let parts = try client.assertion(for: site).split(separator: ".")
        attempts.append(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".\(parts[1]).")
        attempts.append("\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))")
        attempts.append(try client.assertion(for: site, with: try Key.generate(.es256)))
        attempts.append(try client.assertion(for: site, with: try Key.generate(.eddsa, id: client.key.id)))
        var secretClient = client
        secretClient.id = "reports"
        attempts.append(try secretClient.assertion(for: site))
        attempts += ["x", "a.b.c", ""].filter { !$0.isEmpty }
        for attempt in attempts {
            let response = try await site.clientCredentials(attempt)
            #expect(response.status == 401 && response.response.body == expected.response.body, "\(attempt)")
        }
        await site.close()
    }

    @Test(.tags(.assertionReplay))
    func `A client's assertion has only the algorithm that its registration names`() async throws {
        let key = try Key.generate(.rs256)
        var jwk = key.jwk
        jwk["alg"] = nil
        for (registered, status) in [(SignatureAlgorithm.ps256, 401), (.rs256, 200)] {
            let client = try KeyClient()
            let site = try await Self.site(.inProcess, client) {
                $0.clients[0].jwks = ["keys": [.object(jwk)]]
                $0.clients[0].assertionAlgorithm = registered
            }
            try await expectEqual(site.clientCredentials(try client.assertion(for: site, with: key)).status, status)
            await site.close()
        }
    }

    @Test(.tags(.doubleClientAuthentication))
    func `A client's assertion is refused beside a secret, by either way`() async throws {
        let client = try KeyClient()
        let site = try await Self.site(.inProcess, client)
        let assertion = try client.assertion(for: site)
        let form: KeyValuePairs<String, String?> = [
            "grant_type": "client_credentials", "client_assertion_type": KeyClient.type, "client_assertion": assertion,
        ]
        let basic = try await site.token(form, fields: [.authorization: ClientSecret.basic("service")])
        #expect(basic.status == 400 && basic.oauthError == "invalid_request")
        let post = try await site.token([
            "grant_type": "client_credentials", "client_assertion_type": KeyClient.type, "client_assertion": assertion,
            "client_id": "service", "client_secret": "x",
        ])
        #expect(post.status == 400 && post.oauthError == "invalid_request")
        // Neither half says anything without the other.
        try await expectEqual(site.clientCredentials(assertion, type: nil).oauthError, "invalid_request")
        let saml = "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"
        try await expectEqual(site.clientCredentials(assertion, type: saml).oauthError, "invalid_client")
        let half = try await site.token([
            "grant_type": "client_credentials", "client_id": "service", "client_assertion_type": KeyClient.type,
        ])
        expectEqual(half.oauthError, "invalid_request")
        // None of them used it up.
        try await expectEqual(site.clientCredentials(assertion).status, 200)
        await site.close()
    }

    @Test(.tags(.publicClientSecret))
    func `A client's assertion is the only proof of a client that is registered for it`() async throws {
        let client = try KeyClient()
        let site = try await Self.site(.inProcess, client)
        for secret in [nil, "", ClientSecret.text] {
            let response = try await site.token([
                "grant_type": "client_credentials", "client_id": "service", "client_secret": secret,
            ])
            #expect(response.status == 401 && response.oauthError == "invalid_client")
        }
        // A client with a secret may have keys, which do not authenticate it.
        let next = try await Self.site(.inProcess, client) { configuration in
            configuration.clients[0].authenticationMethod = nil
            configuration.clientSecretDigests["service"] = ClientSecret.digest
        }
        try await expectEqual(next.clientCredentials(try client.assertion(for: next)).oauthError, "invalid_client")
        await next.close()
        await site.close()
    }

    @Test func `A client that is registered for one method of its secret uses no other`() async throws {
        for method in [OAuthClient.AuthenticationMethod.secretBasic, .secretPost] {
            let site = try await Self.site { $0.clients[1].authenticationMethod = method }
            let basic = try await site.token(
                ["grant_type": "client_credentials"], fields: [.authorization: ClientSecret.basic("reports")])
            let post = try await site.token([
                "grant_type": "client_credentials", "client_id": "reports", "client_secret": ClientSecret.text,
            ])
            expectEqual(basic.status == 200, method == .secretBasic)
            expectEqual(post.status == 200, method == .secretPost)
            await site.close()
        }
    }

    // MARK: One use

    @Test(.tags(.assertionReplay))
    func `A client's assertion counts once, at any endpoint, also after a restart`() async throws {
        let client = try KeyClient()
        let folder = try TemporaryFolder()
        let first = try await Self.site(.inProcess, client, in: folder)
        let assertion = try client.assertion(for: first)
        try await expectEqual(first.clientCredentials(assertion).status, 200)
        let again = try await first.clientCredentials(assertion)
        #expect(again.oauthError == "invalid_client" && again.string("error_description").contains("'jti'"))
        await first.close()
        let second = try await Self.site(.inProcess, client, in: folder)
        let revocation = try await second.form(
            "/oauth/revoke",
            ["token": "x", "client_assertion_type": KeyClient.type, "client_assertion": assertion])
        expectEqual(revocation.oauthError, "invalid_client")
        await second.close()
    }

    @Test(.tags(.assertionReplay))
    func `A client's assertion is remembered for as long as it is valid, and by its client`() async throws {
        let (client, other) = (try KeyClient(), try KeyClient())
        var second = other
        second.id = "second"
        let site = try await Self.site(.inProcess, client, second)
        let end = Int64(site.clock.now.timeIntervalSince1970) + 3600
        let changes: KeyValuePairs<String, JSONValue?> = ["jti": "one", "exp": .integer(end)]
        try await expectEqual(site.clientCredentials(try client.assertion(for: site, changes)).status, 200)
        try await expectEqual(site.clientCredentials(try second.assertion(for: site, changes)).status, 200)
        site.clock.advance(by: 3609)
        try await site.identity.services.store.prune(endedBefore: site.clock.now)
        try await expectEqual(site.clientCredentials(try client.assertion(for: site, changes)).status, 401)
        await site.close()
    }

    @Test(.tags(.assertionReplay), arguments: SharedStore.all)
    func `Of sixteen concurrent uses of a client's assertion on two nodes, one succeeds`(store: SharedStore)
        async throws
    {
        let client = try KeyClient()
        let location = try await store.location()
        let site = try await Self.site(.inProcess, client, storedAt: location) { $0.loginLimitPerMinute = 100 }
        let other = try await Self.site(.inProcess, client, in: site.folder, storedAt: location) {
            $0.loginLimitPerMinute = 100
        }
        let assertion = try client.assertion(for: site)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<16 {
                group.addTask { try await (number % 2 == 0 ? site : other).clientCredentials(assertion).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(statuses.sorted(), [200] + Array(repeating: 401, count: 15))
        await other.close()
        await site.close()
    }

    @Test(.tags(.clientSecretGuessing))
    func `A client's assertion that is refused counts as a wrong secret does`() async throws {
        let client = try KeyClient()
        let site = try await Self.site(.inProcess, client) { $0.loginLimitPerMinute = 3 }
        for _ in 0..<10 { try await expectEqual(site.clientCredentials(try client.assertion(for: site)).status, 200) }
        let wrong = try Key.generate(.es256)
        for _ in 0..<3 {
            try await expectEqual(site.clientCredentials(try client.assertion(for: site, with: wrong)).status, 401)
        }
        let refused = try await site.clientCredentials(try client.assertion(for: site))
        expectEqual(refused.status, 429)
        site.clock.advance(by: 20)
        try await expectEqual(site.clientCredentials(try client.assertion(for: site)).status, 200)
        await site.close()
    }

    // MARK: Metadata and our own client

    @Test func `A client's assertion and its algorithms are in the metadata of three endpoints`() async throws {
        let site = try await Self.site()
        let json = try await site.get("/.well-known/openid-configuration").json
        for endpoint in ["token", "revocation", "introspection"] {
            let methods = json["\(endpoint)_endpoint_auth_methods_supported"]?.arrayValue ?? []
            #expect(methods.contains("private_key_jwt") && methods.contains("client_secret_basic"))
            let algorithms = json["\(endpoint)_endpoint_auth_signing_alg_values_supported"]?.arrayValue ?? []
            #expect(algorithms.contains("ES256") && algorithms.contains("PS256") && algorithms.contains("EdDSA"))
            #expect(!algorithms.contains("HS256") && !algorithms.contains("none"))
        }
        await site.close()
    }

    @Test(.tags(.realServer)) func `A client's assertion signs a user in by our own library`() async throws {
        let key = try KeyClient()
        let site = try await Self.site(.socket, key)
        try await site.signUp()
        let issuer = try #require(site.identity.issuer.flatMap(URL.init(string:)))
        var configuration = OAuthConfiguration(issuer: issuer, clientID: "service")
        configuration.registration = ClientRegistration(clientID: "service", key: key.key)
        let client = AuthorizationClient(configuration, transport: site.transport, clock: site.clock.wallClock())
        let callback = try #require(URL(string: "https://service.example/back"))
        let attempt = try await client.begin(redirectURI: callback)
        var agent = UserAgent(site)
        let page = try await agent.get("\(attempt.url.path())?\(attempt.url.query() ?? "")")
        let redirect = try await agent.signIn(page)
        let response = try await client.finish(try #require(URL(string: redirect.location)))
        try await expectEqual(client.userInfo(of: response.tokens).string("email"), "ada@example.com")
        let refreshed = try await client.tokens(
            for: RefreshGrant(refreshToken: try #require(response.tokens.refresh)))
        expectNotEqual(refreshed.tokens.access, response.tokens.access)
        await site.close()
    }
}
