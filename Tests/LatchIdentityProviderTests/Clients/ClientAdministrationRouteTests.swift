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
}
