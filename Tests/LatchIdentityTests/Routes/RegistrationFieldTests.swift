// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct RegistrationFieldTests {
    private static func ask(_ configuration: inout IdentityConfiguration) {
        configuration.signUpAttributes = ["company", "plan"]
        configuration.termsVersion = "2026-01"
    }

    private func body(_ members: JSONObject) -> JSONValue {
        var body: JSONObject = ["email": "ada@example.com", "password": .string(Site.password)]
        for (name, value) in members { body[name] = value }
        return .object(body)
    }

    @Test(arguments: ["/api/clients/register", "/api/auth/clients/register", "/auth/signup"])
    func `Attributes and terms of a registration are stored, and shown to their owner, but in no token`(path: String)
        async throws
    {
        let site = try await Site(change: Self.ask)
        let sent = body(["attributes": ["plan": "a & \"b\"", "company": "Söhne"], "acceptedTerms": "2026-01"])
        let created = try await site.post(path, sent)
        expectEqual(created.status, 201)
        let login = try await site.logIn()
        let profile = try await site.get("/user/profile", bearer: login.access)
        for answer in [created, profile] {
            expectEqual(answer.json["attributes"], ["company": "Söhne", "plan": "a & \"b\""])
            expectEqual(answer.string("acceptedTerms"), "2026-01")
            expectEqual(answer.string("termsAcceptedAt"), site.clock.now.formatted(.iso8601))
        }
        let claims = try JWT(unverified: login.access).claims
        #expect(claims["attributes"] == nil && claims["acceptedTerms"] == nil)
        let (_, access) = try await site.token("root@example.com", .admin)
        let users = try await site.get("/api/users", bearer: access).json["users"]?.arrayValue
        let ada = users?.compactMap(\.objectValue).first { $0["email"] == "ada@example.com" }
        expectEqual(ada?["attributes"]?.objectValue?["company"], "Söhne")
        #expect(try await site.audited("account.created") != nil)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(account.acceptedTerms, AcceptedTerms(version: "2026-01", acceptedAt: account.createdAt))
        await site.close()
    }

    /// Members of a registration as JSON, and the field that is refused.
    private static let refusals: [(members: String, field: String)] = [
        (#"{"attributes": {"roles": "admin"}}"#, "roles"), (#"{"attributes": {"other": "x"}}"#, "other"),
        (#"{"attributes": {"company": 1}}"#, "company"), (#"{"attributes": {"company": {"a": "b"}}}"#, "company"),
        (#"{"attributes": {"company": "a\u202Eb"}}"#, "company"), (#"{"attributes": {"company": "a\nb"}}"#, "company"),
        ("{\"attributes\": {\"company\": \"\(String(repeating: "x", count: 501))\"}}", "company"),
        (#"{"attributes": "company"}"#, "attributes"), (#"{"attributes": ["company"]}"#, "attributes"),
        ("{\"attributes\": {\((0...50).map { "\"a\($0)\": \"x\"" }.joined(separator: ", "))}}", "attributes"),
        (#"{"acceptedTerms": 1}"#, "acceptedTerms"),
    ]

    @Test(.tags(.massAssignment), arguments: refusals.indices)
    func `Attributes and terms of a registration are refused by member name unless the server knows them`(index: Int)
        async throws
    {
        let (text, field) = Self.refusals[index]
        let site = try await Site(change: Self.ask)
        var members = try #require(try JSONValue(parsing: text).objectValue)
        if members["acceptedTerms"] == nil { members["acceptedTerms"] = "2026-01" }
        let answer = try await site.post("/api/clients/register", body(members))
        expectEqual(answer.status, 400)
        expectEqual(answer.string("code"), "invalidInput")
        expectEqual(answer.string("field"), field)
        #expect(!answer.text.contains("xxxx"))
        try await expectNil(site.identity.administration.account(email: "ada@example.com"))
        await site.close()
    }

    @Test
    func `Attributes and terms of a registration fail by a separate code without the server's terms`() async throws {
        let site = try await Site(change: Self.ask)
        for terms in [nil, "", "2025-07"] as [String?] {
            for path in ["/api/clients/register", "/auth/signup"] {
                let answer = try await site.post(path, body(["acceptedTerms": terms.map { .string($0) } ?? .null]))
                expectEqual(answer.status, 400)
                #expect(answer.string("code") == "termsRequired" && answer.string("field") == "acceptedTerms")
            }
        }
        // The message of the contract has no version, and its client shows the terms that are in force.
        let refused = try await site.call("Register", body([:]))
        #expect(refused.stableCode == "termsRequired" && refused.field("latch-field") == "acceptedTerms")
        try await expectEqual(site.register("bob@example.com").status, 200)
        let bob = try #require(try await site.identity.administration.account(email: "bob@example.com"))
        expectEqual(bob.acceptedTerms?.version, "2026-01")
        // The operator's own accounts need none.
        try await site.signUp("operator@example.com")
        await site.close()
    }

    @Test func `Attributes and terms of a registration are optional for a server without terms`() async throws {
        let site = try await Site()
        let answer = try await site.post("/api/clients/register", body(["acceptedTerms": "v1", "attributes": [:]]))
        #expect(answer.status == 201 && answer.string("acceptedTerms") == "v1")
        let refused = try await site.post("/api/clients/register", body(["attributes": ["company": "x"]]))
        expectEqual(refused.string("field"), "company")
        await site.close()
    }

    @Test func `Attributes and terms of a registration are bounded together`() async throws {
        let names = (1...9).map { "a\($0)" }
        let site = try await Site { $0.signUpAttributes = names }
        let register = { (count: Int, rest: Int) in
            var attributes = JSONObject(
                names.prefix(count).map { ($0, .string(String(repeating: "😀", count: 500))) })
            attributes["a9"] = .string(String(repeating: "x", count: rest))
            return try await site.post("/api/clients/register", body(["attributes": .object(attributes)]))
        }
        let refused = try await register(8, 350)
        #expect(refused.status == 400 && refused.string("field") == "attributes")
        try await expectEqual(register(8, 100).status, 201)
        await site.close()
    }

    @Test func `Attributes and terms of a registration do not change with names and roles`() async throws {
        let site = try await Site(change: Self.ask)
        _ = try await site.post(
            "/api/clients/register", body(["attributes": ["company": "Söhne"], "acceptedTerms": "2026-01"]))
        let access = try await site.login().session["accessToken"]?.stringValue ?? ""
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        let change: JSONValue = ["userId": .string(account.id), "displayName": "Countess"]
        try await expectEqual(site.call("UpdateProfile", change, bearer: access).status, 200)
        #expect(try await site.identity.administration.setRole(of: account.id, to: .moderator))
        let after = try #require(try await site.identity.administration.find("ada@example.com"))
        #expect(
            after.account.attributes == ["company": "Söhne"] && after.account.acceptedTerms == account.acceptedTerms)
        expectEqual(after.details.displayName, "Countess")
        await site.close()
    }
}

@Suite struct EntryRefusalTests {
    /// A registration as JSON, the code of its refusal, and the field.
    private static let registrations: [(body: String, code: String, field: String)] = [
        (#"{"email": "ada", "password": "Secret123!"}"#, "invalidEmail", "email"),
        (#"{"password": "Secret123!"}"#, "invalidInput", "email"),
        (#"{"email": "a@example.com"}"#, "invalidInput", "password"),
        (#"{"email": "a@example.com", "password": "short"}"#, "weakPassword", "password"),
        (#"{"email": "a@example.com", "password": 1}"#, "invalidInput", "password"),
        (#"{"email": "a@example.com", "password": "Secret123!", "name": "a\nb"}"#, "invalidInput", "name"),
        (#"{"email": "ada@example.com", "password": "Secret123!"}"#, "alreadyExists", "email"),
    ]

    @Test(arguments: registrations.indices)
    func `A refusal of an entry names its field in a registration`(index: Int) async throws {
        let (body, code, field) = Self.registrations[index]
        let site = try await Site()
        try await site.signUp()
        let answer = try await site.post("/api/clients/register", try JSONValue(parsing: body))
        expectEqual(answer.string("code"), code)
        expectEqual(answer.string("field"), field)
        await site.close()
    }

    @Test(.tags(.accountEnumeration))
    func `A refusal of an entry names no field if it must not reveal which of two is taken`() async throws {
        let site = try await Site()
        let sent: JSONValue = ["email": "ada@example.com", "username": "ada", "password": "Secret123!"]
        try await expectEqual(site.post("/auth/signup", sent).status, 201)
        let taken = try await site.post("/auth/signup", sent)
        #expect(taken.status == 409 && taken.json["field"] == nil)
        let invalid: JSONValue = ["email": "bob@example.com", "username": "a b", "password": "Secret123!"]
        try await expectEqual(site.post("/auth/signup", invalid).string("field"), "username")
        try await expectNil(site.logIn(password: "wrong").json["field"])
        await site.close()
    }

    @Test func `A refusal of an entry names the password of a reset as the request does`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = JSONValue.string(try #require(await site.mailedToken()))
        for name in ["password", "newPassword"] {
            var body: JSONObject = ["token": token]
            body[name] = "password123"
            try await expectEqual(site.post("/api/auth/reset-password", .object(body)).string("field"), name)
        }
        let differing: JSONValue = ["token": token, "password": "one sentence", "newPassword": "another sentence"]
        try await expectEqual(site.post("/api/auth/reset-password", differing).string("field"), "password")
        let rpc = try await site.call("ResetPassword", ["resetToken": token, "newPassword": "password123"])
        expectEqual(rpc.field("latch-field"), "newPassword")
        await site.close()
    }

    @Test func `A refusal of an entry names the JSON name of its field in RPCs`() async throws {
        let site = try await Site()
        let (id, access) = try await site.token("ada@example.com", .user)
        try await site.signUp("bob@example.com")
        let bob = try #require(try await site.identity.administration.account(email: "bob@example.com"))
        let named = Username(text: "bob", key: "bob")
        _ = try await site.identity.administration.change(
            AccountDetailsChange(username: named.text), of: bob.id, by: AccountActor(bob.id))
        let long = String(repeating: "x", count: 300)
        let calls: [(method: String, message: String, field: String?)] = [
            ("UpdateProfile", "{\"userId\": \"\(id)\", \"firstName\": \"\(long)\"}", "firstName"),
            ("UpdateProfile", "{\"userId\": \"\(id)\", \"username\": \"bob\"}", "username"),
            ("UpdateProfile", "{\"userId\": \"\(id)\", \"preferences\": {\"timezone\": \"a b\"}}", "timezone"),
            ("UpdateProfile", #"{"userId": ""}"#, "userId"),
            ("ChangePassword", #"{"currentPassword": "wrong one", "newPassword": "short"}"#, "newPassword"),
            ("ChangePassword", #"{"currentPassword": "wrong one", "newPassword": "password123"}"#, "newPassword"),
            ("ChangePassword", #"{"currentPassword": "wrong one", "newPassword": "two sentences"}"#, "currentPassword"),
            ("ChangePassword", #"{"newPassword": "short"}"#, nil),
        ]
        for (method, message, field) in calls {
            let answer = try await site.call(method, try JSONValue(parsing: message), bearer: access)
            expectNotEqual(answer.status, 200)
            expectEqual(answer.field("latch-field"), field, "\(method) \(String(describing: field))")
        }
        try await expectNil(site.call("GetProfile", ["userId": .string(id)], bearer: access).field("latch-field"))
        await site.close()
    }
}
