// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct BadInputTests {
    static let routes = [
        "/api/auth/clients/login", "/api/auth/refresh-token", "/api/auth/logout", "/api/clients/register",
        "/api/auth/clients/register", "/api/auth/verify-email", "/api/auth/resend-verification",
        "/api/auth/forgot-password", "/api/auth/reset-password",
    ]

    static let malformed: [[UInt8]] = [
        Array("{".utf8), Array("nonsense".utf8), Array("[]".utf8), Array("null".utf8), Array(#"{"email":}"#.utf8),
        Array(#"{"email":"a","email":"b"}"#.utf8), Array(#"{"a":1} trailing"#.utf8),
        [0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x7D],
        Array((String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)).utf8),
    ]

    static let wrongTypes: [(String, JSONValue)] = [
        ("/api/auth/clients/login", ["email": 1, "password": "x"]),
        ("/api/auth/clients/login", ["email": "a@example.com", "password": ["x"]]),
        ("/api/auth/clients/login", ["email": "a@example.com"]),
        ("/api/auth/clients/login", ["email": nil, "password": nil]),
        ("/api/auth/refresh-token", ["refreshToken": 7]),
        ("/api/auth/logout", ["refreshToken": [:]]),
        ("/api/clients/register", ["email": "a@example.com", "password": true]),
        ("/api/clients/register", ["email": "a@example.com", "password": "Secret123!", "name": 5]),
        ("/api/clients/register", ["password": "Secret123!"]),
        ("/api/auth/forgot-password", ["email": ["$ne": nil]]),
        ("/api/auth/forgot-password", [:]),
        ("/api/auth/reset-password", ["token": ["$gt": ""], "password": "Secret123!"]),
        ("/api/auth/reset-password", ["token": "x"]),
        ("/api/auth/verify-email", ["token": 1.5]),
    ]

    /// The number of rows of each table that a request of these routes could change, read from the file.
    private func rows(of site: Site) throws -> [String: Int] {
        let tables = ["account", "account_details", "device", "one_time_token", "email_change", "mail", "audit"]
        let connection = try SQLiteConnection(path: site.folder.file(), access: .readOnly)
        return try Dictionary(
            uniqueKeysWithValues: tables.map { ($0, try connection.number("SELECT count(*) FROM \($0)")) })
    }

    @Test(arguments: routes)
    func `Bad input that is not a JSON object is 400 with a message, and changes nothing`(path: String) async throws {
        let site = try await Site()
        let before = try rows(of: site)
        for bytes in Self.malformed {
            let answer = try await site.send(
                .post, path, fields: [.contentType: "application/json"], body: HTTPBody(bytes))
            expectEqual(answer.status, 400)
            expectEqual(answer.message?.isEmpty, false)
            #expect(answer.field(.requestID) != nil)
        }
        await site.identity.services.mails.flush()
        try expectEqual(rows(of: site), before)
        #expect(site.mailer.messages.isEmpty)
    }

    @Test(arguments: routes)
    func `Bad input of another content type is 415`(path: String) async throws {
        let site = try await Site()
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense"] {
            let answer = try await site.send(
                .post, path, fields: [.contentType: type], body: HTTPBody(#"{"email":"a@example.com"}"#))
            expectEqual(answer.status, 415)
            #expect(answer.json["hint"] != nil)
        }
        try await expectEqual(site.send(.post, path, body: HTTPBody("{}")).status, 415)
    }

    @Test(arguments: routes)
    func `Bad input that is larger than necessary is 413`(path: String) async throws {
        let site = try await Site()
        let answer = try await site.post(path, ["email": .string(String(repeating: "a", count: 70_000))])
        expectEqual(answer.status, 413)
        #expect(answer.message != nil)
    }

    @Test(arguments: wrongTypes)
    func `Bad input of the wrong type is 400 and names the member`(path: String, body: JSONValue) async throws {
        let site = try await Site()
        let answer = try await site.post(path, body)
        expectEqual(answer.status, 400)
        expectEqual(answer.string("code"), "invalidInput")
        expectEqual(answer.message?.contains("'"), true)
    }

    @Test(arguments: Way.allCases)
    func `Bad input with unknown members is accepted without them`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let answer = try await site.post(
            "/api/auth/clients/login",
            ["email": "ada@example.com", "password": .string(Site.password), "tenantId": "t", "x": [[1], nil]])
        expectEqual(answer.status, 200)
        await site.close()
    }

    @Test func `Bad input in SQL is only text`() async throws {
        let site = try await Site()
        try await site.signUp()
        for text in ["' OR 1=1 --", "ada@example.com'; DROP TABLE account; --", "ada@example.com\u{0}"] {
            try await expectEqual(site.logIn(text).status, 401)
        }
        try await expectEqual(site.logIn().status, 200)
    }

    @Test(arguments: Way.allCases)
    func `Bad input to an unknown path, or with another method, gets the right status`(way: Way) async throws {
        let site = try await Site(way)
        try await expectEqual(site.get("/nowhere").status, 404)
        let answer = try await site.get("/api/auth/clients/login")
        expectEqual(answer.status, 405)
        expectEqual(answer.field("Allow")?.contains("POST"), true)
        await site.close()
    }

    @Test func `Bad input during a failure of the store is 503 without its paths`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        await site.identity.services.store.close()
        let answer = try await site.renew(login.refresh)
        expectEqual(answer.status, 503)
        #expect(!answer.text.contains(site.folder.path))
    }

    @Test(.tags(.storeFailure))
    func `Bad input on a full disk is 503 with a message, and committed data stays`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        let store = site.identity.services.store
        try await store.write { db throws(IdentityError) -> Void in
            try db.run("PRAGMA max_page_count = \(try db.number("PRAGMA page_count"))")
        }
        var statuses = Set<Int>()
        for number in 0..<60 {
            let answer = try await site.post(
                "/api/clients/register",
                [
                    "email": .string("user\(number)@example.com"), "password": "Secret123!",
                    "name": .string(String(repeating: "n", count: 200)),
                ])
            statuses.insert(answer.status)
            guard answer.status == 503 else { continue }
            expectEqual(answer.string("code"), "storeFull")
            #expect(answer.json["hint"] != nil)
        }
        #expect(statuses.contains(503))
        // A renewal changes a row in place and needs no new page.
        try await expectEqual(site.renew(login.refresh).status, 200)
        try await store.write { db throws(IdentityError) -> Void in
            try db.run("PRAGMA max_page_count = 100000")
        }
        try await expectEqual(site.logIn().status, 200)
    }
}
