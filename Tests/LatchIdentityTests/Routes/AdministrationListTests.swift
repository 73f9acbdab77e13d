// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

/// The lists of the administration, what its requests make, and the limit of a key.
@Suite struct AdministrationListTests {
    /// A list of the administration: its path, its member, and the member that names a row.
    struct List: Sendable, CustomTestStringConvertible {
        let path, name, id: String
        var testDescription: String { path }

        static let all = [
            List(path: "users", name: "users", id: "id"), List(path: "audit", name: "entries", id: "id"),
            List(path: "mails", name: "mails", id: "recipient"), List(path: "api-keys", name: "api_keys", id: "id"),
            List(path: "clients", name: "clients", id: "id"),
        ]
    }

    /// Returns a site with several rows in each list.
    private func site() async throws -> Site {
        let site = try await Site.administered()
        let administration = site.identity.clients
        for number in 0..<5 {
            try await site.signUp("user\(number)@example.com")
            _ = try await site.key([.readUsers])
            _ = try await administration.create(OAuthClient(id: "client\(number)"), by: "the test")
        }
        // Emails of one moment, and of a later one.
        for number in 0..<5 {
            if number == 3 { site.clock.advance(by: 60) }
            try await site.identity.services.store.insert(
                OutboxMail(
                    .signedUp, to: try EmailAddress("mail\(number)@example.com"), id: "mail\(number)",
                    at: site.clock.now.addingTimeInterval(3600)))
        }
        return site
    }

    @Test(arguments: List.all)
    func `Each list is read page by page, without a missing and without a repeated row`(list: List) async throws {
        let site = try await site()
        let token = try await site.logIn(Site.root).access
        let whole = try await site.get("/api/admin/\(list.path)?limit=500", bearer: token)
        let expected = whole.json[list.name]?.arrayValue?.map { $0[list.id] ?? .null } ?? []
        #expect(expected.count >= 5 && whole.json["next"] == .null, "\(whole.text)")
        for limit in [1, 2, 3] {
            var (found, after) = ([JSONValue](), "")
            repeat {
                let page = try await site.get("/api/admin/\(list.path)?limit=\(limit)\(after)", bearer: token)
                let rows = page.json[list.name]?.arrayValue ?? []
                #expect((1...limit).contains(rows.count), "\(page.text)")
                found += rows.map { $0[list.id] ?? .null }
                after = page.json["next"]?.stringValue.map { "&after=\($0)" } ?? ""
            } while !after.isEmpty && found.count < 100
            expectEqual(found, expected, "\(limit)")
        }
        await site.close()
    }

    @Test(arguments: List.all)
    func `A limit and a position that a list has not returned are refused`(list: List) async throws {
        let site = try await Site.administered()
        let token = try await site.logIn(Site.root).access
        for limit in ["0", "501", "x", "-1"] {
            let refused = try await site.get("/api/admin/\(list.path)?limit=\(limit)", bearer: token)
            #expect(refused.status == 400 && refused.string("field") == "limit", "\(limit): \(refused.text)")
        }
        // A position in a list by IDs is an ID.
        if list.path != "clients" {
            for after in ["x", "1.", "x.1"] where list.path != "audit" || after == "x" {
                let refused = try await site.get("/api/admin/\(list.path)?after=\(after)", bearer: token)
                #expect(refused.status == 400 && refused.string("hint") != "", "\(after): \(refused.text)")
            }
        }
        await site.close()
    }

    @Test(arguments: ["", "/auth"])
    func `Each response that something was made has its place`(below: String) async throws {
        let site = try await Site.administered { $0.issuer = "https://id.example.com\(below)" }
        let token = try await site.logIn(Site.root).access
        let key = try #require(
            try await site.get("/api/admin/keys", bearer: token).json["keys"]?.arrayValue?.first?["id"])
        for (path, content, prefix) in [
            ("users", ["email": "eve@example.com"], "users/"), ("clients", ["id": "my app"], "clients/"),
            ("clients", ["id": "wiki"], "clients/wiki"), ("initial-tokens", [:], "initial-tokens/"),
            ("keys/rotate", ["after": key], "keys"),
        ] as [(String, JSONValue, String)] {
            let made = try await site.call(.post, "/api/admin/\(path)", bearer: token, content)
            guard made.status == 201 else {
                #expect(content == ["id": "my app"], "\(made.text)")
                continue
            }
            let place = made.field("Location") ?? ""
            #expect(place.hasPrefix("\(below)/api/admin/\(prefix)"), "\(path): \(place)")
            if path == "users" || path == "clients" {
                try await expectEqual(
                    site.get(String(place.dropFirst(below.count)), bearer: token).status, 200, "\(place)")
            }
        }
        await site.close()
    }

    @Test(.tags(.hashFlood)) func `The requests of a key count together, from whatever network they come`() async throws
    {
        let site = try await Site.administered { $0.tokenLimitPerMinute = 20 }
        let (stolen, other) = (try await site.key([.readUsers]), try await site.key([.readUsers]))
        func status(_ key: String, _ network: Int) async throws -> Response {
            var request = HTTPRequest(
                method: .get, scheme: "http", authority: site.origin.authority, path: "/api/admin/users",
                fields: [.authorization: "Bearer \(key)"])
            request.context[RemoteAddress.self] = "10.\(network).0.1"
            return Response(try await site.transport.respond(to: request))
        }
        for network in 0..<20 { try await expectEqual(status(stolen, network).status, 200) }
        let refused = try await status(stolen, 20)
        expectEqual(refused.status, 429)
        expectEqual(refused.field(.retryAfter), "3")
        #expect(refused.field("RateLimit")?.hasPrefix("\"api-key\";r=0") == true)
        // Neither another key of the account, nor its session waits.
        try await expectEqual(status(other, 20).status, 200)
        try await expectEqual(site.get("/api/admin/users", bearer: site.logIn(Site.root).access).status, 200)
        site.clock.advance(by: 3)
        try await expectEqual(status(stolen, 20).status, 200)
        await site.close()
    }

    @Test func `A rotation after a theft ends the earlier keys at once`() async throws {
        let site = try await Site.administered()
        let token = try await site.key([.readServer, .writeServer])
        let session = try await site.logIn(Site.root).access
        let keys = try await site.get("/api/admin/keys", bearer: token).json["keys"]?.arrayValue
        let first = try #require(keys?.first)
        #expect(first["signs_access_tokens"] == true)
        #expect(first["public_key"]?.stringValue?.hasPrefix("-----BEGIN PUBLIC KEY-----") == true)
        let content: JSONValue = ["after": first["id"] ?? .null, "compromised": true]
        let made = try await site.call(.post, "/api/admin/keys/rotate", bearer: token, content)
        expectEqual(made.status, 201)
        let now = try await site.get("/api/admin/keys", bearer: token).json["keys"]?.arrayValue
        expectEqual(now?.first { $0["signs_access_tokens"] == true }?["id"], made.json["id"])
        try await expectEqual(site.get("/user/profile", bearer: session).status, 401)
        await site.close()
    }
}
