// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchServer
import Testing

/// Tokens as real providers issue them, at a guard with rules.
@Suite struct AccessTokenRulesTests {
    private static let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let entra = AccessTokenRules.microsoft(tenants: [tenant], audiences: ["notes-id", "api://notes"])
    private static let cognito = AccessTokenRules.cognito(region: "eu-central-1", userPool: "pool", clients: ["app"])
    private static let auth0 = AccessTokenRules(issuers: ["https://example.auth0.com/"], audiences: ["https://api"])
    private static let pool: JSONValue = "https://cognito-idp.eu-central-1.amazonaws.com/pool"
    private static let first: JSONValue = .string("https://sts.windows.net/\(tenant)/")
    private static let second: JSONValue = .string("https://login.microsoftonline.com/\(tenant)/v2.0")

    /// Returns the status of a guard's response to a token.
    private func status(
        _ members: JSONObject, _ rules: AccessTokenRules, type: String? = "JWT", changes: Int? = nil
    ) async throws -> HTTPStatus {
        let key = try Key.generate(.es256)
        var claims = Claims(members)
        claims.subject = "ada"
        claims.expiry = .now.addingTimeInterval(600)
        let keys = try RemoteKeySet(
            url: try url("https://id.test/keys"), transport: ClosureHandler { _ in .json(KeySet([key]).jwks()) })
        let verifier = RemoteJWTVerifier(keys: keys, algorithms: [.es256], accepting: rules)
        var router = Router()
        router.group(prefix: "/notes", interceptors: [AccessTokenInterceptor(verifier)]) {
            $0.get("/") { _ in "notes" }
        }
        var request = HTTPRequest(authority: "api.test", path: "/notes")
        request.fields[.authorization] = "Bearer \(try JWT.sign(claims, with: key, type: type))"
        // A verifier of keys at hand decides alike.
        let local = JWTVerifier(keys: KeySet([key]), algorithms: [.es256], accepting: rules)
        let token = try JWT.sign(claims, with: key, type: type)
        let response = try await router.respond(to: request)
        expectEqual(response.status == .ok, (try? local.verify(token)) != nil)
        return response.status
    }

    /// A token's claims, and the rules of the guard.
    struct Sample: Sendable, CustomTestStringConvertible {
        let claims: JSONObject
        let rules: AccessTokenRules

        init(_ claims: JSONObject, _ rules: AccessTokenRules) { (self.claims, self.rules) = (claims, rules) }

        var testDescription: String { claims.map { "\($0.key): \($0.value)" }.joined(separator: ", ") }
    }

    private static let accepted: [Sample] = [
        Sample(["iss": first, "aud": "api://notes", "appid": "app", "scp": "read"], entra),
        Sample(["iss": second, "aud": "notes-id", "azp": "app", "azpacr": "0", "scp": "read"], entra),
        // An app that calls itself.
        Sample(["iss": second, "aud": "notes-id", "azp": "notes-id", "azpacr": "1", "roles": ["read"]], entra),
        Sample(["iss": pool, "client_id": "app", "token_use": "access", "scope": "read"], cognito),
        Sample(
            [
                "iss": "https://example.auth0.com/", "aud": ["https://api", "https://example.auth0.com/userinfo"],
                "azp": "app",
            ], auth0
        ),
        // Keycloak before its version 24.
        Sample(
            [
                "iss": "https://example.auth0.com/", "aud": "https://api", "typ": "Bearer", "nonce": "n",
                "azp": "https://api",
            ], auth0
        ),
    ]

    @Test(arguments: accepted)
    func `Rules for access tokens accept the access tokens of a provider`(sample: Sample) async throws {
        try await expectEqual(status(sample.claims, sample.rules), .ok)
    }

    private static let refused: [Sample] = [
        // Of another tenant, and of none.
        Sample(
            [
                "iss": "https://sts.windows.net/11111111-2222-3333-4444-555555555555/", "aud": "api://notes",
                "scp": "x",
            ], entra
        ),
        Sample(["iss": "https://login.microsoftonline.com/{tenantid}/v2.0", "aud": "notes-id", "scp": "x"], entra),
        Sample(["aud": "notes-id", "scp": "x"], entra),
        // For another API, for several without this one, for none.
        Sample(["iss": second, "aud": "https://graph.microsoft.com", "scp": "x"], entra),
        Sample(["iss": second, "aud": ["a", "b"], "scp": "x"], entra), Sample(["iss": second, "scp": "x"], entra),
        // ID tokens of a single page app that shares its registration with the API, with and without a nonce.
        Sample(["iss": second, "aud": "notes-id", "nonce": "n", "preferred_username": "ada", "ver": "2.0"], entra),
        Sample(["iss": second, "aud": "notes-id", "roles": ["read"], "ver": "2.0"], entra),
        Sample(["iss": "https://example.auth0.com/", "aud": "https://api"], auth0),
        Sample(["iss": "https://example.auth0.com/", "aud": "https://api", "azp": "https://api"], auth0),
        Sample(["iss": "https://example.auth0.com/", "aud": "https://api", "scope": "x", "at_hash": "h"], auth0),
        Sample(["iss": "https://example.auth0.com/", "aud": "https://api", "scope": "x", "typ": "Refresh"], auth0),
        // Cognito: an ID token, another client's, one for a resource that was not named.
        Sample(["iss": pool, "aud": "app", "token_use": "id", "client_id": "app"], cognito),
        Sample(["iss": pool, "client_id": "other", "token_use": "access"], cognito),
        Sample(["iss": pool, "token_use": "access"], cognito),
        Sample(["iss": pool, "client_id": "app", "token_use": "access", "aud": "https://other"], cognito),
        // Rules without audiences and clients accept nothing.
        Sample(
            ["iss": pool, "client_id": "app", "token_use": "access"],
            AccessTokenRules(issuers: ["\(pool.stringValue ?? "")"], audiences: [])
        ),
    ]

    @Test(arguments: refused)
    func `Rules for access tokens refuse every other token`(sample: Sample) async throws {
        try await expectEqual(status(sample.claims, sample.rules), .unauthorized)
    }

    @Test func `Rules for access tokens accept the type of RFC 9068 as proof`() async throws {
        let claims: JSONObject = ["iss": "https://example.auth0.com/", "aud": "https://api"]
        try await expectEqual(status(claims, Self.auth0, type: "at+jwt"), .ok)
        try await expectEqual(status(claims, Self.auth0, type: "application/AT+JWT"), .ok)
        try await expectEqual(status(claims, Self.auth0, type: nil), .unauthorized)
        var both = AccessTokenRules(
            issuers: ["https://example.auth0.com/"], audiences: ["https://api"], clients: ["app"])
        try await expectEqual(status(claims, both, type: "at+jwt"), .unauthorized)
        both.clients = []
        try await expectEqual(status(claims, both, type: "at+jwt"), .ok)
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }
}

/// ID tokens at a guard whose verifier requires no type.
@Suite struct UntypedGuardTests {
    private func status(_ members: JSONObject) async throws -> HTTPStatus {
        let key = try Key.generate(.es256)
        var claims = Claims(members)
        (claims.issuer, claims.subject, claims.audience) = ("https://id.test", "ada", ["notes"])
        claims.expiry = .now.addingTimeInterval(600)
        let verifier = JWTVerifier(
            keys: KeySet([key]), algorithms: [.es256], issuer: "https://id.test", audience: "notes")
        var router = Router()
        router.group(prefix: "/notes", interceptors: [AccessTokenInterceptor(verifier)]) {
            $0.get("/") { _ in "notes" }
        }
        var request = HTTPRequest(authority: "api.test", path: "/notes")
        request.fields[.authorization] = "Bearer \(try JWT.sign(claims, with: key))"
        return try await router.respond(to: request).status
    }

    @Test(
        arguments: [
            ["nonce": "n"], ["at_hash": "h"], ["scope": "read", "at_hash": "h"], ["azp": "notes"], ["token_use": "id"],
            ["typ": "ID"], ["typ": "Refresh", "scope": "read"],
            ["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]],
        ] as [JSONObject])
    func `A guard without a type refuses an ID token, a refresh token and a logout token`(claims: JSONObject)
        async throws
    {
        try await expectEqual(status(claims), .unauthorized)
    }

    @Test(
        arguments: [
            [:], ["email": "ada@example.com"], ["nonce": .null], ["nonce": "n", "scope": "read"], ["azp": "app"],
            ["azp": "notes", "scp": "read"], ["typ": "Bearer", "nonce": "n"], ["token_use": "access"], ["typ": "JWT"],
        ] as [JSONObject])
    func `A guard without a type passes a token that can be an access token`(claims: JSONObject) async throws {
        try await expectEqual(status(claims), .ok)
    }
}
