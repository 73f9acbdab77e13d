// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AccountImportTests {
    private static let path = "/api/admin/users/import"
    /// The bcrypt hash of ``password``.
    private static let hash: JSONValue = "$2b$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG"
    private static let password = "correct horse battery staple"

    private func insert(
        _ records: [JSONValue], at site: Site, with key: String, isDryRun: Bool = false
    ) async throws -> Response {
        try await site.call(
            .post, Self.path, bearer: key, ["records": .array(records), "dry_run": .bool(isDryRun)])
    }

    /// A site whose users sign in through Google too.
    private static func siteWithGoogle() async throws -> Site {
        let configured = try IdentityConfiguration(values: [
            "upstreams": "google;client_id=abc", "upstream_secrets": "google=s3cret",
        ])
        return try await Site.administered {
            $0.upstreams = configured.upstreams
            $0.upstreamSecrets = configured.upstreamSecrets
        }
    }

    @Test func `A user signs in with the password of the other system, whose hash is then replaced`() async throws {
        let site = try await Site.administered()
        let key = try await site.key([.writeUsers, .readUsers])
        let record: JSONValue = [
            "foreign_id": "7", "email": "Ada@example.com", "email_verified": true, "username": "ada",
            "name": "Ada Lovelace", "roles": ["editor"], "created_at": "2020-01-02T03:04:05Z",
            "password_hash": Self.hash, "attributes": ["company": "Acme"],
        ]
        let found = try await insert([record], at: site, with: key)
        expectEqual(found.json, ["imported": 1, "known": 0, "refused": []])
        let store = site.identity.services.store
        let account = try #require(try await store.account(emailKey: "ada@example.com"))
        expectEqual(account.foreignID, "7")
        expectEqual(account.createdAt, try Date("2020-01-02T03:04:05Z", strategy: .iso8601))
        #expect(account.isOwnersAddress && account.roles == ["editor"] && account.attributes == ["company": "Acme"])
        #expect(account.passwordHash?.hasPrefix("$argon2id$") == false)
        try await expectEqual(site.logIn("ada@example.com", password: "wrong").status, 401)
        try await expectEqual(site.logIn("ada@example.com", password: Self.password).status, 200)
        let later = try await store.account(emailKey: "ada@example.com")
        expectEqual(later?.passwordHash?.hasPrefix("$argon2id$"), true)
        try await expectEqual(site.logIn("ada@example.com", password: Self.password).status, 200)
        await expectEqual(site.subjects(to: "Ada@example.com").filter { !$0.contains("New sign-in") }, [])
        await site.close()
    }

    @Test func `A second import changes nothing, and other accounts keep their values`() async throws {
        let site = try await Site.administered()
        try await site.signUp("bob@example.com")
        let key = try await site.key([.writeUsers])
        let records: [JSONValue] = [
            ["foreign_id": "1", "email": "ada@example.com", "password_hash": Self.hash],
            ["foreign_id": "2", "email": "bob@example.com", "password_hash": Self.hash],
            ["foreign_id": "3", "email": "ADA@example.com"], ["email": "eve@example.com"],
        ]
        let trial = try await insert(records, at: site, with: key, isDryRun: true)
        expectEqual(trial.json["imported"], 2)
        expectEqual(try await site.identity.services.store.account(emailKey: "ada@example.com"), nil)
        let first = try await insert(records, at: site, with: key)
        expectEqual(first.json, trial.json)
        let refused = first.json["refused"]?.arrayValue ?? []
        expectEqual(refused.map { $0["record"] }, [2, 3])
        expectEqual(
            refused.map { $0["message"] },
            ["'email' belongs to another account of the server.", "'email' is the same as in an earlier record."])
        try await expectEqual(site.logIn("bob@example.com").status, 200)
        let second = try await insert(records, at: site, with: key)
        #expect(second.json["imported"] == 0 && second.json["known"] == 1, "\(second.text)")
        await site.close()
    }

    @Test func `Accounts move to another server with everything that they sign in by`() async throws {
        let site = try await Self.siteWithGoogle()
        let key = try await site.key([.writeUsers])
        let record: JSONValue = [
            "foreign_id": "7", "email": "ada@example.com", "email_verified": true, "username": "ada",
            "name": "Ada Lovelace", "roles": ["editor"], "status": "suspended", "created_at": 1_577_934_245,
            "password_hash": Self.hash, "totp_secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
            "links": [["provider": "google", "subject": "1234", "email": "ada@gmail.com"]],
            "passkeys": [
                [
                    "id": "AAECAw", "user_handle": "BAUG", "sign_count": 3, "backup_eligible": true,
                    "public_key":
                        "pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
                ]
            ], "accepted_terms": ["version": "2026-01", "at": "2026-01-02T03:04:05Z"],
        ]
        let found = try await insert([record], at: site, with: key)
        expectEqual(found.json, ["imported": 1, "known": 0, "refused": []])
        let records = try await site.identity.services.imports.records(after: "", limit: 100).records
            .filter { $0["email"] == "ada@example.com" }
        expectEqual(records.count, 1)
        let other = try await Self.siteWithGoogle()
        let moved = try await insert(records.map { .object($0) }, at: other, with: other.key([.writeUsers]))
        expectEqual(moved.json, ["imported": 1, "known": 0, "refused": []])
        let again = try await other.identity.services.imports.records(after: "", limit: 100).records
            .filter { $0["email"] == "ada@example.com" }
        expectEqual(again, records)
        await site.close()
        await other.close()
    }

    @Test(
        arguments: [
            ("2022-03-04T05:06:07Z", 1_646_370_367), ("2022-03-04T05:06:07", 1_646_370_367),
            ("2022-03-04 05:06:07.25", 1_646_370_367), ("2022-03-04 07:06:07.123456+02", 1_646_370_367),
            ("2022-03-04T07:06:07+0200", 1_646_370_367), ("2022-03-04", 1_646_352_000), (1_646_370_367, 1_646_370_367),
            ("1646370367", 1_646_370_367), (1_646_370_367_000, 1_646_370_367), ("1646370367000", 1_646_370_367),
            (1_646_370_367.0, 1_646_370_367),
        ] as [(JSONValue, Int)])
    func `A date may be without a zone, in seconds, or in milliseconds`(text: JSONValue, seconds: Int) async throws {
        let site = try await Site.administered()
        let key = try await site.key([.writeUsers])
        let found = try await insert([["email": "ada@example.com", "created_at": text]], at: site, with: key)
        expectEqual(found.json["imported"], 1)
        let account = try await site.identity.services.store.account(emailKey: "ada@example.com")
        expectEqual(account.map { Int($0.createdAt.timeIntervalSince1970) }, seconds)
        await site.close()
    }

    @Test func `A date of a clock that is ahead counts as now`() async throws {
        let site = try await Site.administered()
        let key = try await site.key([.writeUsers])
        let seconds = Int64(noon.timeIntervalSince1970)
        let record: JSONValue = ["email": "ada@example.com", "created_at": .integer(seconds + 40_000)]
        try await expectEqual(insert([record], at: site, with: key).json["imported"], 1)
        let account = try await site.identity.services.store.account(emailKey: "ada@example.com")
        expectEqual(account?.createdAt, noon)
        await site.close()
    }

    static let unusable: [(record: JSONValue, reason: String)] = [
        (["name": "Ada"], "'email' is missing."),
        (["email": "ada"], "The email address is not valid."),
        (["email": "a@example.com", "emailVerified": true], "'emailVerified' is not a member of a record."),
        (["email": "a@example.com", "email_verified": "maybe"], "'email_verified' is not true or false."),
        (["email": "a@example.com", "status": "deleted"], "'status' is none of active, disabled, suspended, banned."),
        (["email": "a@example.com", "created_at": "yesterday"], "'created_at' is not a date such as"),
        (
            ["email": "a@example.com", "created_at": "2999-01-01T00:00:00Z"],
            "'created_at' is not between 1970 and today."
        ),
        (
            ["email": "a@example.com", "password_hash": "plain"],
            "The password hash has no format that can be imported."
        ),
        (["email": "a@example.com", "totp_secret": "short"], "'totp_secret' is not a secret of 10 to 64 bytes"),
        (["email": "a@example.com", "roles": "admin"], "An API key neither changes nor makes administrators."),
        (["email": "a@example.com", "roles": ["a b"]], "roles and permissions must be single ASCII words"),
        (
            ["email": "a@example.com", "links": [["provider": "google", "subject": "1"]]],
            "'links' name a provider that the server does not have."
        ),
        (["email": "a@example.com", "created_at": "20240102"], "'created_at' is not a date such as"),
        (
            ["email": "a@example.com", "passkeys": [["id": "AA", "public_key": "AA", "relying_party": "\u{0}"]]],
            "'passkeys' have a "
        ),
        (["email": "a@example.com", "permissions": "users:read"], "'permissions' are given by the operator only."),
        (["email": "a@example.com", "attributes": ["a b": "x"]], "'attributes' have the name 'a b'."),
        (["email": "a@example.com", "attributes": "a"], "'attributes' is not an object."),
        (
            ["email": "a@example.com", "attributes": ["a": [[[[[[[[[1]]]]]]]]]]],
            "'attributes' have a value of 'a' that has control characters, more than 4096 bytes, or too many levels."
        ),
        (
            ["email": "a@example.com", "passkeys": [["id": "AA", "public_key": "AA"]]],
            "'passkeys' have a public_key that is not a COSE key"
        ),
        (["email": "a@example.com", "foreign_id": "a\u{1}"], "'foreign_id' is longer than 200 bytes or contains"),
    ]

    @Test(arguments: unusable)
    func `A record that cannot be imported is refused with the reason, and the others are imported`(
        record: JSONValue, reason: String
    ) async throws {
        let site = try await Site.administered()
        let key = try await site.key([.writeUsers])
        let found = try await insert([record, ["email": "b@example.com"]], at: site, with: key)
        expectEqual(found.json["imported"], 1)
        let message = found.json["refused"]?.arrayValue?.first?["message"]?.stringValue
        #expect(message?.contains(reason) == true, "\(found.text)")
        await site.close()
    }

    @Test func `A record that has a link or a passkey twice does not stop the others`() async throws {
        let site = try await Self.siteWithGoogle()
        let key = try await site.key([.writeUsers])
        let link: JSONValue = ["provider": "google", "subject": "1"]
        let passkey: JSONValue = [
            "id": "AA",
            "public_key":
                "pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
        ]
        let found = try await insert(
            [
                ["email": "a@example.com", "links": [link, link]],
                ["email": "b@example.com", "passkeys": [passkey, passkey]],
                ["email": "c@example.com", "links": [link]],
            ], at: site, with: key)
        expectEqual(found.json["imported"], 1)
        expectEqual(
            found.json["refused"]?.arrayValue?.map { $0["message"] },
            ["'links' are the same twice.", "'passkeys' are the same twice."])
        await site.close()
    }

    @Test(.tags(.adminAuthorization)) func `A key that may not change accounts imports none`() async throws {
        let site = try await Site.administered()
        let key = try await site.key([.readUsers])
        try await expectEqual(insert([["email": "b@example.com"]], at: site, with: key).status, 403)
        let many = [JSONValue](repeating: ["email": "b@example.com"], count: 501)
        let writer = try await site.key([.readUsers, .writeUsers])
        try await expectEqual(insert(many, at: site, with: writer).status, 400)
        // No server sends hashes of passwords.
        try await expectEqual(site.get("/api/admin/users/export", bearer: writer).status, 404)
        await site.close()
    }
}
