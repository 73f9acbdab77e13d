// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// The clients of the store over HTTP, for administrators.
@Suite(.tags(.adminAuthorization)) struct ClientAdministrationRouteTests {
    private static let wiki: JSONObject = [
        "id": "wiki", "confidential": true, "grants": ["authorization_code"],
        "redirects": ["https://wiki.example/back"], "id_token_signed_response_alg": "ES256",
    ]

    /// The access token of an account with a role.
    private func session(_ site: Site, _ role: Role, _ email: String) async throws -> String {
        let account = try await site.signUp(email)
        _ = try await site.identity.administration.setRole(of: account.id, to: role)
        return try await site.logIn(email).access
    }

    @Test func `A super administrator registers, reads, changes and removes clients, and makes secrets`() async throws {
        let site = try await Site()
        let token = try await session(site, .superAdmin, "root@example.com")
        let made = try await site.call(.post, "/api/admin/clients", bearer: token, .object(Self.wiki))
        #expect(made.status == 201 && made.field(.cacheControl) == "no-store")
        let secret = made.string("client_secret")
        #expect(secret.hasPrefix("cs1."))
        let list = try await site.get("/api/admin/clients", bearer: token)
        #expect(list.json["clients"]?.arrayValue?.map { $0["id"] } == ["wiki"] && !list.text.contains(secret))
        try await expectEqual(site.get("/api/admin/clients?after=wiki", bearer: token).json["clients"], [])
        var members = Self.wiki
        members["trusted"] = true
        let changed = try await site.call(.put, "/api/admin/clients/wiki", bearer: token, .object(members))
        #expect(changed.json["trusted"] == true && changed.json["client_secret"] == nil)
        let rotated = try await site.call(
            .post, "/api/admin/clients/wiki/secret", bearer: token, ["overlap": 60])
        #expect(rotated.string("client_secret") != secret && rotated.json["secrets"]?.arrayValue?.count == 2)
        let invalid: JSONValue = ["overlap": -1]
        try await expectEqual(site.call(.post, "/api/admin/clients/wiki/secret", bearer: token, invalid).status, 400)
        try await expectEqual(site.call(.delete, "/api/admin/clients/wiki", bearer: token).status, 204)
        try await expectEqual(site.get("/api/admin/clients/wiki", bearer: token).status, 404)
        await site.close()
    }

    @Test func `Other accounts change no clients, and an administrator reads them`() async throws {
        let site = try await Site { $0.recentAuthentication = .seconds(60) }
        for (role, reads) in [(Role.user, 403), (.moderator, 403), (.admin, 200)] {
            let token = try await session(site, role, "\(role)@example.com")
            try await expectEqual(site.get("/api/admin/clients", bearer: token).status, reads)
            try await expectEqual(site.call(.post, "/api/admin/clients", bearer: token, .object(Self.wiki)).status, 403)
            try await expectEqual(site.call(.delete, "/api/admin/clients/wiki", bearer: token).status, 403)
        }
        try await expectEqual(site.get("/api/admin/clients").status, 401)
        // The session of a super administrator may be unattended.
        let token = try await session(site, .superAdmin, "root@example.com")
        site.clock.advance(by: 61)
        try await expectEqual(site.call(.post, "/api/admin/clients", bearer: token, .object(Self.wiki)).status, 401)
        await site.close()
    }

    @Test func `A member that cannot be used is refused with its name`() async throws {
        let site = try await Site()
        let token = try await session(site, .superAdmin, "root@example.com")
        for (name, value) in [
            ("unknown", true), ("grants", ["x"]), ("redirects", []), ("id", "a b"), ("confidential", "yes"),
        ] as [(String, JSONValue)] {
            var members = Self.wiki
            members[name] = value
            let response = try await site.call(.post, "/api/admin/clients", bearer: token, .object(members))
            #expect(response.status == 400 && !response.text.isEmpty, "\(name): \(response.text)")
        }
        await site.close()
    }

    @Test func `A super administrator makes, lists and revokes initial tokens, and no list shows one`() async throws {
        let site = try await Site { $0.registration = .token }
        let token = try await session(site, .superAdmin, "root@example.com")
        let path = "/api/admin/initial-tokens"
        let made = try await site.call(.post, path, bearer: token, ["uses": 3, "lifetime": 60])
        #expect(made.status == 201 && made.field(.cacheControl) == "no-store" && made.number("uses") == 3)
        let other = try await site.call(.post, path, bearer: token, [:])
        let list = try await site.get(path, bearer: token)
        expectEqual(list.json["initial_tokens"]?.arrayValue?.map { $0["id"] }, [other.json["id"], made.json["id"]])
        #expect(!list.text.contains(made.string("initial_access_token")) && list.field(.cacheControl) == "no-store")
        func register(_ text: String) async throws -> Int {
            try await site.post(
                "/oauth/register", ["redirect_uris": ["https://wiki.example/back"]],
                fields: [.authorization: "Bearer \(text)"]
            ).status
        }
        try await expectEqual(register(made.string("initial_access_token")), 201)
        let used = try await site.get(path, bearer: token).json["initial_tokens"]?.arrayValue
        expectEqual(used?.map { $0["uses"] }, [1, 2])
        try await expectEqual(site.call(.delete, path + "/" + made.string("id"), bearer: token).status, 204)
        try await expectEqual(site.call(.delete, path + "/" + made.string("id"), bearer: token).status, 404)
        try await expectEqual(register(made.string("initial_access_token")), 401)
        // The client that has registered with it stays.
        try await expectEqual(site.identity.clients.list().count, 1)
        for content in [["uses": 0], ["uses": 100_001], ["lifetime": 59], ["uses": "3"]] as [JSONValue] {
            try await expectEqual(site.call(.post, path, bearer: token, content).status, 400)
        }
        site.clock.advance(by: 86_401)
        let later = try await site.logIn("root@example.com").access
        try await expectEqual(site.get(path, bearer: later).json["initial_tokens"], [])
        let events = try await site.identity.audit.records(limit: 50).map(\.event)
        #expect(events.contains("client.tokenCreated") && events.contains("client.tokenRevoked"))
        await site.close()
    }

    @Test(arguments: [(Role.user, 403), (.moderator, 403), (.admin, 200)])
    func `Other accounts make and revoke no initial tokens, and an administrator reads them`(
        role: Role, reads: Int
    ) async throws {
        let site = try await Site()
        let token = try await session(site, role, "\(role)@example.com")
        let made = try await site.identity.clients.makeInitialToken(uses: 1, lifetime: .seconds(60), by: "a test").token
        let path = "/api/admin/initial-tokens"
        try await expectEqual(site.get(path, bearer: token).status, reads)
        try await expectEqual(site.call(.post, path, bearer: token, [:]).status, 403)
        try await expectEqual(site.call(.delete, path + "/" + made.id, bearer: token).status, 403)
        try await expectEqual(
            site.call(.post, "/api/admin/clients/wiki/registration-token", bearer: token, [:]).status, 403)
        try await expectEqual(site.identity.clients.initialTokens().map(\.id), [made.id])
        await site.close()
    }

    @Test func `A replaced registration access token ends, and the new one manages the client`() async throws {
        let site = try await Site { $0.registration = .open }
        let token = try await session(site, .superAdmin, "root@example.com")
        let registered = try await site.post("/oauth/register", ["redirect_uris": ["https://wiki.example/back"]])
        let id = registered.string("client_id")
        let path = "/api/admin/clients/\(id)/registration-token"
        let replaced = try await site.call(.post, path, bearer: token)
        #expect(replaced.status == 200 && replaced.field(.cacheControl) == "no-store")
        let (old, new) = (registered.string("registration_access_token"), replaced.string("registration_access_token"))
        try await expectEqual(site.get("/oauth/register/\(id)", bearer: old).status, 401)
        try await expectEqual(site.get("/oauth/register/\(id)", bearer: new).status, 200)
        _ = try await site.call(.post, "/api/admin/clients", bearer: token, .object(Self.wiki))
        try await expectEqual(site.call(.post, "/api/admin/clients/wiki/registration-token", bearer: token).status, 409)
        try await expectEqual(site.call(.post, "/api/admin/clients/none/registration-token", bearer: token).status, 404)
        await site.close()
    }
}
