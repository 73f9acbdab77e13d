// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import TestTags
import Testing

@testable import LatchIdentity

/// OpenID Connect Discovery §2, RFC 7033.
@Suite struct WebFingerTests {
    private static let relation = "http://openid.net/specs/connect/1.0/issuer"

    private func find(_ site: Site, _ items: [(String, String)]) async throws -> Response {
        try await site.get("/.well-known/webfinger?\(FormEncoding.encode(items))")
    }

    @Test(
        .tags(.accountEnumeration),
        arguments: [
            "acct:ada@id.latch.example", "acct:nobody@id.latch.example", "acct:ada@ID.Latch.Example",
            "https://id.latch.example", "https://id.latch.example/", "https://id.latch.example:8443/ada?x#y",
            "https://ada@id.latch.example/",
        ])
    func `Each resource of the issuer's host has the issuer, whether there is an account or not`(resource: String)
        async throws
    {
        let site = try await Site { $0.issuer = Site.issuer }
        try await site.signUp("ada@id.latch.example")
        let answer = try await find(site, [("resource", resource), ("rel", Self.relation)])
        #expect(answer.status == 200 && answer.field(.contentType) == "application/jrd+json")
        expectEqual(answer.string("subject"), resource)
        expectEqual(answer.json["links"], [["rel": .string(Self.relation), "href": .string(Site.issuer)]])
        expectEqual(answer.field("Access-Control-Allow-Origin"), "*")
        expectEqual(answer.field(.cacheControl), "public, max-age=300")
        await site.close()
    }

    @Test(
        arguments: [
            "acct:ada@example.com", "acct:ada@id.latch.example.evil.example", "acct:id.latch.example",
            "acct:ada@", "acct:@id.latch.example", "acct:a@b@id.latch.example",
            "https://id.latch.example@evil.example/", "https://evil.example/id.latch.example", "id.latch.example",
            "mailto:ada@id.latch.example", "://id.latch.example",
        ])
    func `A resource of another host has no issuer here`(resource: String) async throws {
        let site = try await Site { $0.issuer = Site.issuer }
        let answer = try await find(site, [("resource", resource)])
        #expect(answer.status == 404 && !answer.text.contains("evil"), "\(answer.text)")
        await site.close()
    }

    @Test func `A request names one resource, and the relations that it wants`() async throws {
        let site = try await Site { $0.issuer = Site.issuer }
        let account = ("resource", "acct:ada@id.latch.example")
        try await expectEqual(find(site, []).status, 400)
        try await expectEqual(find(site, [("resource", "")]).status, 400)
        try await expectEqual(find(site, [account, account]).status, 400)
        let links = { (items: [(String, String)]) in try await find(site, [account] + items).json["links"]?.arrayValue }
        try await expectEqual(links([])?.count, 1)
        try await expectEqual(links([("rel", "other"), ("rel", Self.relation)])?.count, 1)
        try await expectEqual(links([("rel", "other")])?.count, 0)
        await site.close()
    }
}
