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
import Testing

@Suite struct IssuerJWTVerifierTests {
    // RFC 8414 §3.1 and §5, OpenID Connect Discovery §4.1.
    @Test(arguments: [
        ("https://id.example.com", "/.well-known/openid-configuration"),
        ("https://id.example.com", "/.well-known/oauth-authorization-server"),
        ("https://id.example.com/", "/.well-known/openid-configuration"),
        ("https://id.example.com/realms/notes", "/realms/notes/.well-known/openid-configuration"),
        ("https://id.example.com/realms/notes", "/.well-known/oauth-authorization-server/realms/notes"),
        ("https://id.example.com/realms/notes", "/.well-known/openid-configuration/realms/notes"),
    ])
    func `A verifier of an issuer finds the keys by the issuer's metadata, wherever it is`(
        issuer: String, place: String
    )
        async throws
    {
        let issuer = try PublishedIssuer(issuer, at: place)
        let verifier = try issuer.verifier()
        #expect(issuer.paths.isEmpty)
        try await expectEqual(verifier.verify(issuer.token()).subject, "ada")
        expectEqual(issuer.paths.suffix(2).first, place)
    }

    @Test(arguments: [
        "https://id.example.com/", "https://ID.example.com", "https://evil.example", "https://id.example.com:443", "",
    ])
    func `A verifier of an issuer takes no keys from the metadata of another issuer`(stated: String) async throws {
        let issuer = try PublishedIssuer()
        issuer.publish { $0["issuer"] = .string(stated) }
        let verifier = try issuer.verifier()
        let error = await #expect(throws: AuthError.keysUnavailable) { try await verifier.verify(issuer.token()) }
        expectEqual(error?.cause as? OAuthError, .issuerMismatch)
        // It is the operator's matter, not the client's.
        try await expectEqual(issuer.status(of: issuer.token(), verifier), .serviceUnavailable)
        #expect(!issuer.paths.contains("/keys"))
    }

    @Test(arguments: ["http://id.example.com/keys", "http://127.0.0.1/keys", "https://127.0.0.1/keys", "keys", nil])
    func `A verifier of an issuer takes no keys from an address that others control`(keys: String?) async throws {
        let issuer = try PublishedIssuer()
        issuer.publish { $0["jwks_uri"] = keys.map { .string($0) } }
        await #expect(throws: AuthError.keysUnavailable) { try await issuer.verifier().verify(issuer.token()) }
        #expect(issuer.paths.allSatisfy { $0.hasPrefix("/.well-known/") })
    }

    @Test(arguments: ["http://id.example.com", "ftp://id.example.com", "id.example.com"])
    func `A verifier of an issuer is not made for one without https`(issuer: String) throws {
        let url = try #require(URL(string: issuer))
        #expect(throws: HTTPError.self) { try RemoteJWTVerifier(issuer: url, audience: "https://api.example.com") }
    }

    @Test(
        arguments: [
            ["iss": "https://other.example.com"], ["iss": "https://id.example.com/"], ["iss": .null],
            ["aud": "https://other.example.com"], ["aud": .null], ["aud": []], ["exp": 1], ["exp": .null],
        ] as [JSONObject])
    func `A verifier of an issuer refuses a token of another issuer, for another audience, or of the past`(
        claims: JSONObject
    ) async throws {
        let issuer = try PublishedIssuer()
        await #expect(throws: JOSEError.self) { try await issuer.verifier().verify(issuer.token(claims)) }
    }

    // MARK: Algorithms

    @Test func `A verifier of an issuer accepts the algorithms of the metadata and of the published keys`() async throws
    {
        let issuer = try PublishedIssuer(algorithm: .rs256)
        try await expectEqual(issuer.verifier().verify(issuer.token()).subject, "ada")
        // An issuer may sign access tokens with another algorithm than ID tokens, as Latchwork's server does.
        try issuer.rotate(.es256)
        try await expectEqual(issuer.verifier().verify(issuer.token()).subject, "ada")
        issuer.publish { $0["id_token_signing_alg_values_supported"] = nil }
        try await expectEqual(issuer.verifier().verify(issuer.token()).subject, "ada")
    }

    @Test(
        arguments: [
            (nil, true, false), (["PS256"], false, true), (["HS256", "none"], true, false),
            (["RS256", "PS256"], true, true),
        ] as [([String]?, Bool, Bool)])
    func `A verifier of an issuer uses an RSA key without an algorithm as the metadata says`(
        named: [String]?, rs256: Bool, ps256: Bool
    ) async throws {
        let issuer = try PublishedIssuer(algorithm: .rs256)
        issuer.publish { metadata in
            metadata["id_token_signing_alg_values_supported"] = named.map { .array($0.map { .string($0) }) }
        }
        var jwk = try issuer.key.jwkWithSecretsForStorage()
        var published = issuer.key.jwk
        published["alg"] = nil
        let keys: JSONValue = ["keys": [.object(published)]]
        for (algorithm, isAccepted) in [("RS256", rs256), ("PS256", ps256)] {
            jwk["alg"] = .string(algorithm)
            let token = try issuer.token(with: Key(jwk: jwk))
            let network = ClosureHandler { request in
                request.path == "/keys" ? .json(keys) : try await issuer.respond(to: request)
            }
            let verifier = try RemoteJWTVerifier(
                issuer: issuer.url, audience: "https://api.example.com", transport: network,
                clock: issuer.clock.wallClock())
            let status = try await issuer.status(of: token, verifier)
            expectEqual(status, isAccepted ? .ok : .unauthorized, "\(algorithm)")
        }
    }

    @Test func `A verifier of an issuer accepts only the chosen algorithms if the program chooses`() async throws {
        let issuer = try PublishedIssuer()
        let verifier = try RemoteJWTVerifier(
            issuer: issuer.url, audience: "https://api.example.com", algorithms: [.rs256], transport: issuer,
            clock: issuer.clock.wallClock())
        await #expect(throws: JOSEError.self) { try await verifier.verify(issuer.token()) }
    }

    // MARK: The cache

    @Test func `A verifier of an issuer fetches metadata and keys together, and again when they are stale`()
        async throws
    {
        let issuer = try PublishedIssuer()
        let verifier = try issuer.verifier()
        for _ in 0..<3 { _ = try await verifier.verify(issuer.token()) }
        expectEqual(issuer.paths, ["/.well-known/openid-configuration", "/keys"])
        issuer.clock.advance(by: .seconds(601))
        issuer.publish { $0["jwks_uri"] = "https://keys.example.com/new" }
        _ = try await verifier.verify(issuer.token())
        expectEqual(issuer.paths.suffix(2), ["/.well-known/openid-configuration", "/new"])
    }

    @Test func `A verifier of an issuer finds a key that is new at a new address`() async throws {
        let issuer = try PublishedIssuer()
        let verifier = try issuer.verifier()
        _ = try await verifier.verify(issuer.token())
        try issuer.rotate()
        issuer.publish { $0["jwks_uri"] = "https://keys.example.com/new" }
        issuer.clock.advance(by: .seconds(31))
        try await expectEqual(verifier.verify(issuer.token()).subject, "ada")
        expectEqual(issuer.paths.count, 4)
    }

    @Test func `A verifier of an issuer keeps its keys while the metadata cannot be fetched`() async throws {
        let issuer = try PublishedIssuer()
        let verifier = try issuer.verifier()
        _ = try await verifier.verify(issuer.token())
        issuer.publish { $0["issuer"] = "https://evil.example" }
        issuer.clock.advance(by: .seconds(601))
        try await expectEqual(verifier.verify(issuer.token()).subject, "ada")
    }

    // MARK: Scopes

    @Test func `A verifier of a foreign issuer gives its scopes no levels`() async throws {
        let issuer = try PublishedIssuer()
        let token = try issuer.token(["scope": "notes:admin"])
        let verifier = try issuer.verifier()
        try await expectEqual(issuer.status(of: token, verifier, requiring: ["notes:admin"]), .ok)
        try await expectEqual(issuer.status(of: token, verifier, requiring: ["notes:read"]), .forbidden)
        try await expectEqual(issuer.status(of: token, verifier, requiring: ["notes:read"], in: .levels), .ok)
    }

    @Test func `A verifier of Latchwork's server knows that scopes have levels`() async throws {
        let issuer = try PublishedIssuer()
        issuer.publish { $0["latch_client_id"] = "latch" }
        let token = try issuer.token(["scope": "notes:admin"])
        let verifier = try issuer.verifier()
        try await expectEqual(issuer.status(of: token, verifier, requiring: ["notes:read"]), .ok)
        let exact = ScopeHierarchy(levels: [])
        try await expectEqual(issuer.status(of: token, verifier, requiring: ["notes:read"], in: exact), .forbidden)
    }
}
