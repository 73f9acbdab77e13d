// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// The attributes of the tests, with one of each type, reader and writer.
enum Attributes {
    static func set(_ configuration: inout IdentityConfiguration) {
        configuration.attributes = [
            attribute("department") { ($0.values, $0.scope) = (["Sales", "R&D"], "work") },
            attribute("nickname") { ($0.writer, $0.scope, $0.claim) = (.user, "work", "https://example.com/nick") },
            attribute("seats") { ($0.type, $0.writer, $0.scope) = (.number, .user, "plan") },
            attribute("newsletter") { ($0.type, $0.writer) = (.boolean, .user) },
            attribute("teams") { ($0.type, $0.maximum, $0.writer) = (.textList, 20, .user) },
            attribute("note") { ($0.type, $0.maximum, $0.writer) = (.json, 4096, .user) },
            attribute("risk") { ($0.type, $0.reader) = (.json, .administrator) },
            attribute("source") { ($0.reader, $0.writer) = (.administrator, .registration) },
        ]
        configuration.signUpAttributes = ["company"]
    }

    private static func attribute(_ name: String, _ change: (inout AccountAttribute) -> Void) -> AccountAttribute {
        var attribute = AccountAttribute(name)
        change(&attribute)
        return attribute
    }
}

extension Site {
    /// Stores attributes of an account without a check, as an earlier configuration may have permitted them.
    func store(_ attributes: [String: JSONValue], of email: String = "ada@example.com") async throws -> String {
        let store = identity.services.store
        let id = try #require(try await store.account(emailKey: email)).id
        let action = AccountAction.setAttributes(attributes)
        _ = try await store.perform(action, on: id, by: nil, because: nil, at: clock.now, if: action.rule(for: nil))
        return id
    }
}

@Suite struct AttributeTests {
    private static let profile = "/user/profile"
    private static let users = "/api/admin/users"

    @Test func `An owner reads and changes the attributes that are theirs`() async throws {
        let site = try await Site(change: Attributes.set)
        try await site.signUp()
        let access = try await site.logIn().access
        let changes: JSONValue = [
            "nickname": "Ada 😀", "seats": 2.5, "newsletter": true, "teams": ["red", "blue"],
            "note": ["__proto__": ["constructor": nil], "lines": "a\nb"],
        ]
        let changed = try await site.call(.patch, Self.profile, bearer: access, ["attributes": changes])
        expectEqual(changed.status, 200)
        let read = try await site.get(Self.profile, bearer: access)
        for answer in [changed, read] {
            for (name, value) in changes.objectValue ?? [:] {
                expectEqual(answer.json["attributes"]?[name], value, "\(name)")
            }
        }
        let cleared = try await site.call(
            .patch, Self.profile, bearer: access,
            ["attributes": ["nickname": nil, "newsletter": nil, "teams": nil, "note": nil]])
        expectEqual(cleared.json["attributes"], ["seats": 2.5])
        try await expectEqual(site.call(.patch, Self.profile, bearer: access, [:]).string("field"), "attributes")
        try await expectEqual(site.call(.patch, Self.profile, bearer: "", ["attributes": [:]]).status, 401)
        await site.close()
    }

    /// The JSON of a value, and the attribute that is refused.
    private static let refusals: [(name: String, value: String)] = [
        ("department", #""Sales""#), ("company", #""Acme""#), ("risk", "1"), ("source", #""x""#), ("other", #""x""#),
        ("__proto__", "{}"), ("email", #""eve@example.com""#), ("roles", #"["admin"]"#), ("risk", "null"),
        ("nickname", "\"\(String(repeating: "x", count: 501))\""), ("nickname", #""a\u0000b""#),
        ("nickname", #""a\u202Eb""#), ("nickname", "1"), ("seats", #""2""#), ("newsletter", #""true""#),
        ("newsletter", "1"), ("teams", #""red""#), ("teams", #"["red", 1]"#), ("teams", #"["a\nb"]"#),
        ("teams", #"["\#(String(repeating: "x", count: 21))"]"#),
        ("teams", "[\((0...100).map { "\"\($0)\"" }.joined(separator: ","))]"),
        ("note", #"{"a": "\u0000"}"#), ("note", #"{"\u0000": 1}"#), ("note", "[[[[[[[[[1]]]]]]]]]"),
        ("note", "\"\(String(repeating: "x", count: 4095))\""),
    ]

    @Test(.tags(.massAssignment), arguments: refusals.indices)
    func `An owner changes no attribute of others, and stores no value of another form`(index: Int) async throws {
        let (name, value) = Self.refusals[index]
        let site = try await Site(change: Attributes.set)
        try await site.signUp()
        let access = try await site.logIn().access
        let body = try JSONValue(parsing: "{\"attributes\": {\"\(name)\": \(value)}}")
        let refused = try await site.call(.patch, Self.profile, bearer: access, body)
        #expect(refused.status == 400 && refused.string("field") == name, "\(refused.text)")
        #expect(!refused.text.contains("xxxx"))
        // What a user does not read looks like what does not exist.
        let isHidden = ["risk", "source", "other", "__proto__", "email", "roles"].contains(name)
        expectEqual(refused.text.contains("is not an attribute of this server"), isHidden)
        try await expectNil(site.get(Self.profile, bearer: access).json["attributes"])
        await site.close()
    }

    @Test func `An attribute that is named twice in a request is refused`() async throws {
        let site = try await Site(change: Attributes.set)
        try await site.signUp()
        let access = try await site.logIn().access
        for text in [
            #"{"attributes": {"nickname": "a", "nickname": "b"}}"#, #"{"attributes": {"note": {"a": 1, "a": 2}}}"#,
        ] {
            let refused = try await site.send(
                .patch, Self.profile, fields: [.authorization: "Bearer \(access)", .contentType: "application/json"],
                body: HTTPBody(text))
            expectEqual(refused.status, 400)
        }
        await site.close()
    }

    @Test func `A registration writes its attributes, and an administrator's only later`() async throws {
        let site = try await Site(change: Attributes.set)
        let register = { (attributes: JSONValue) in
            try await site.post(
                "/api/clients/register",
                ["email": "ada@example.com", "password": .string(Site.password), "attributes": attributes])
        }
        for (name, value) in [("department", "Sales"), ("risk", 1), ("seats", "2")] as [(String, JSONValue)] {
            let refused = try await register(.object([name: value]))
            #expect(refused.status == 400 && refused.string("field") == name)
        }
        let made = try await register(["company": "Söhne", "seats": 3, "source": "fair", "newsletter": nil])
        #expect(made.status == 201 && made.json["attributes"] == ["company": "Söhne", "seats": 3])
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(account.attributes, ["company": "Söhne", "seats": 3, "source": "fair"])
        await site.close()
    }

    @Test func `All attributes of an account together have a bound for every writer`() async throws {
        let site = try await Site.administered {
            $0.attributes = (1...5).map {
                var attribute = AccountAttribute("a\($0)")
                (attribute.type, attribute.maximum, attribute.writer) = (.json, 4096, .user)
                return attribute
            }
        }
        let id = try await site.signUp("ada@example.com").id
        let access = try await site.logIn().access
        let large = JSONValue.string(String(repeating: "x", count: 4090))
        for name in ["a1", "a2", "a3"] {
            let change: JSONValue = ["attributes": .object([name: large])]
            try await expectEqual(site.call(.patch, Self.profile, bearer: access, change).status, 200)
        }
        let change: JSONValue = ["attributes": ["a4": large]]
        for (path, token) in [(Self.profile, access), ("\(Self.users)/\(id)", try await site.key([.writeUsers]))] {
            let refused = try await site.call(.patch, path, bearer: token, change)
            #expect(refused.status == 400 && refused.string("field") == "attributes")
        }
        await site.close()
    }

    @Test(.tags(.objectAccess))
    func `Administrators see and change all attributes, and the audit log has no values`() async throws {
        let site = try await Site.administered(Attributes.set)
        try await site.signUp()
        let id = try await site.store(["old": ["x"], "risk": 7])
        let (key, path) = (try await site.key([.readUsers, .writeUsers]), "\(Self.users)/\(id)")
        let read = try await site.get(path, bearer: key)
        #expect(read.json["attributes"] == ["old": ["x"], "risk": 7] && read.json["unknown_attributes"] == ["old"])
        let changed = try await site.call(
            .patch, path, bearer: key,
            ["attributes": ["old": nil, "department": "R&D", "company": "Acme", "risk": 7], "reason": "case 12"])
        #expect(changed.status == 200 && changed.json["unknown_attributes"] == nil)
        expectEqual(changed.json["attributes"], ["company": "Acme", "department": "R&D", "risk": 7])
        let entry = try #require(try await site.audited("account.attributes")?.detail)
        #expect(entry.hasPrefix("company department old by ") && entry.hasSuffix(": case 12"), "\(entry)")
        for value in ["Acme", "R&D"] { #expect(!entry.contains(value)) }
        for change in [["other": "x"], ["department": "Other"], ["old": "x"]] as [JSONValue] {
            try await expectEqual(site.call(.patch, path, bearer: key, ["attributes": change]).status, 400)
        }
        let both: JSONValue = ["attributes": ["risk": 8], "role": "user"]
        try await expectEqual(site.call(.patch, path, bearer: key, both).status, 400)
        try await expectEqual(
            site.call(.patch, "\(Self.users)/none", bearer: key, ["attributes": ["risk": 8]]).status, 404)
        await site.close()
    }

    @Test(.tags(.objectAccess)) func `Users reach neither hidden attributes nor those of others`() async throws {
        let site = try await Site.administered(Attributes.set)
        try await site.signUp()
        _ = try await site.store(["old": "secret-1", "risk": "secret-2", "source": "secret-3", "seats": 1])
        let access = try await site.logIn().access
        let profile = try await site.get(Self.profile, bearer: access)
        expectEqual(profile.json["attributes"], ["seats": 1])
        let eve = try await site.signUp("eve@example.com")
        let change: JSONValue = ["attributes": ["risk": 8]]
        for (email, id) in [("ada@example.com", eve.id), ("eve@example.com", eve.id)] {
            let token = try await site.logIn(email).access
            let refused = try await site.call(.patch, "\(Self.users)/\(id)", bearer: token, change)
            #expect([401, 403].contains(refused.status), "\(refused.status)")
        }
        await #expect(throws: IdentityError.forbidden) {
            _ = try await site.identity.services.accounts.changeAttributes(
                of: eve.id, to: ["risk": 1], by: AccountActor(eve.id))
        }
        // An export has everything that the store holds about its owner.
        let data = try await site.identity.services.store.personalData(
            of: try #require(site.accountID("ada@example.com")))
        expectEqual(data["account"]?[0]?["attributes"]?["risk"], "secret-2")
        await site.close()
    }

    @Test func `Programs add checked attributes to an account that is about to be created`() throws {
        var configuration = IdentityConfiguration()
        Attributes.set(&configuration)
        let rules = AttributeRules(configuration)
        var account = try Account.example()
        account.attributes = ["company": "Acme", "seats": 1]
        try rules.merge(["department": "Sales", "risk": ["score": 1], "seats": nil], into: &account)
        expectEqual(account.attributes, ["company": "Acme", "department": "Sales", "risk": ["score": 1]])
        let before = account
        for wrong in [["other": 1], ["seats": "1"], ["department": "Other"]] as [[String: JSONValue]] {
            #expect(throws: IdentityError.self) { try rules.merge(wrong, into: &account) }
        }
        expectEqual(account, before)
    }

    @Test func `Imports and exports keep the types of attributes`() async throws {
        let site = try await Site.administered(Attributes.set)
        let key = try await site.key([.writeUsers])
        let record = { (email: String, attributes: JSONValue) -> JSONValue in
            ["email": .string(email), "attributes": attributes]
        }
        let sent: JSONValue = [
            record(
                "a@example.com", ["seats": 1.5, "newsletter": false, "teams": ["x"], "risk": ["a": [nil]], "old": 1]),
            // The columns of a CSV file are texts.
            record("b@example.com", ["seats": "12", "newsletter": "true", "teams": #"["x","y"]"#, "company": 7]),
            record("c@example.com", ["seats": "many"]),
        ]
        let found = try await site.post(
            "/api/admin/users/import", ["records": sent], fields: [.authorization: "Bearer \(key)"])
        expectEqual(found.json["imported"], 2, "\(found.text)")
        #expect(found.text.contains("'attributes' have a value of 'seats' that must be a number."))
        let exported = try await site.identity.services.imports.records(after: "", limit: 100).records
        let attributes = ["a@example.com", "b@example.com"].map { email in
            exported.first { $0["email"]?.stringValue == email }?["attributes"]
        }
        expectEqual(
            attributes,
            [
                ["newsletter": false, "old": 1, "risk": ["a": [nil]], "seats": 1.5, "teams": ["x"]],
                ["company": "7", "newsletter": true, "seats": 12, "teams": ["x", "y"]],
            ])
        await site.close()
    }

    @Test func `Attributes of a configuration read and write equally, as words and as tables`() throws {
        let words =
            "plan department;values=Sales,R%26D%3B%20%2C;scope=work;claim=https://example.com/d "
            + "note;type=json;maximum=4096;write=user source;read=administrator;write=registration"
        let configuration = try IdentityConfiguration(values: ["attributes": words])
        let setting = try #require(IdentityConfiguration.settings.first { $0.key == "attributes" })
        expectEqual(setting.text(configuration), words)
        expectEqual(configuration.attributes[1].values, ["Sales", "R&D; ,"])
        var other = IdentityConfiguration()
        try setting.applyTables?(setting.tables(configuration), &other)
        #expect(other.attributes == configuration.attributes && other.attributes.count == 4)
        expectEqual(setting.tables(configuration)[0], ["name": "plan"])
        for table in [
            [:], ["name": "a", "maximum": "5"], ["name": "a", "values": "x"], ["name": "a", "owner": "user"],
            ["name": "constructor", "claim": "x"], ["name": "a", "scope": "email"],
        ] as [JSONObject] {
            #expect(throws: SettingProblem.self) { try setting.applyTables?([table], &other) }
        }
    }

    @Test(.tags(.objectAccess)) func `An app of others neither reads nor changes attributes beyond its scopes`()
        async throws
    {
        let site = try await Site.authorizing(change: Attributes.set)
        _ = try await site.store(["nickname": "Ada"])
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid work")
        for app in [foreign, SignInApp(scope: "openid work")] {
            let token = try await site.exchange(try await site.code(app), app).accessToken
            let change: JSONValue = ["attributes": ["nickname": "Eve"]]
            let refused = try await site.call(.patch, Self.profile, bearer: token, change)
            #expect([401, 403].contains(refused.status), "\(refused.status)")
        }
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        expectEqual(account.attributes, ["nickname": "Ada"])
        await site.close()
    }

    /// What several settings say together, and a part of the reason why it cannot be used.
    private static let contradictions: [(values: [String: String], reason: String)] = [
        (["attributes": "company", "signup_attributes": "company"], "'company' is there twice"),
        (["attributes": "a;scope=x;claim=c b;scope=y;claim=c"], "two attributes have the claim 'c'"),
        (["attributes": "a;scope=x", "scopes": "x"], "the scope 'x' is one of an API"),
        (["attributes": "a;scope=x", "resources": "https://a.example;scopes=x"], "the scope 'x' is one of an API"),
        (["attributes": "a;scope=x;claim=crew", "clients": "b;groups_claim=crew"], "the claim 'crew' has the roles"),
        (["attributes": (0...50).map { "a\($0)" }.joined(separator: " ")], "there are more than 50"),
    ]

    @Test(arguments: contradictions.indices)
    func `Attributes that other settings contradict are refused`(index: Int) throws {
        let (values, reason) = Self.contradictions[index]
        let configuration = try IdentityConfiguration(values: values)
        let error = #expect(throws: IdentityError.self) { try configuration.check() }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
