// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchIdentityPages
@testable import LatchServer

/// The JSON routes of administrators and their programs.
@Suite(.tags(.adminAuthorization)) struct AdministrationRouteTests {
    // MARK: Who may call what

    /// The credentials of the matrix: nobody, a session of each role, and keys of a super administrator.
    private enum Caller: CaseIterable {
        case nobody, user, moderator, admin, superAdmin, keyWithScope, keyWithOthers

        /// Whether the caller may use an operation of a scope; nil for one that only sessions may use.
        func mayUse(_ scope: AdministrationScope?) -> Bool {
            switch self {
            case .nobody, .user, .moderator, .keyWithOthers: false
            case .admin: scope?.minimumRole != .superAdmin
            case .superAdmin: true
            case .keyWithScope: scope != nil
            }
        }
    }

    @Test func `Each route of the administration is open to the callers of the table, and to no other`() async throws {
        let site = try await Site.administered()
        for role in [Role.user, .moderator, .admin] { try await site.signUp("\(role)@example.com", role) }
        let router = try #require(site.identity.handler as? Router)
        var seen = 0
        for route in router.described(by: APIOperation.self) where route.pattern.hasPrefix("/api/admin/") {
            let scope: AdministrationScope?
            switch route.description.access {
            case .administrator(let needed): scope = needed
            case .administratorInSession: scope = nil
            default: Issue.record("\(route.pattern) is open to others"); continue
            }
            seen += 1
            for caller in Caller.allCases {
                let others = AdministrationScope.allCases.filter { $0 != scope }
                let token: String? =
                    switch caller {
                    case .nobody: nil
                    case .user, .moderator, .admin: try await site.logIn("\(caller)@example.com").access
                    case .superAdmin: try await site.logIn(Site.root).access
                    case .keyWithScope: try await site.key(AdministrationScope.allCases)
                    case .keyWithOthers: try await site.key(others)
                    }
                // No account, client or key has this ID.
                let path = route.pattern.replacing(/\{\w+\}/, with: "none")
                var fields: HTTPFields = [.contentType: "application/json"]
                fields[.authorization] = token.map { "Bearer \($0)" }
                let response = try await site.send(
                    route.method, path, fields: fields, body: route.method == .get ? .empty : HTTPBody("{}"))
                let name = "\(route.method) \(route.pattern) by \(caller): \(response.status) \(response.text)"
                if caller == .nobody {
                    #expect(response.status == 401, "\(name)")
                } else if caller == .admin, ["rotateKeys", "replayHook"].contains(route.description.id) {
                    // What sends everything again, and what replaces the newest key, is for super administrators.
                    #expect(response.status == 403, "\(name)")
                } else if caller.mayUse(scope) {
                    #expect(![401, 403].contains(response.status), "\(name)")
                } else {
                    #expect(response.status == 403, "\(name)")
                }
                // As many keys as a run needs would be too many of one account.
                for key in try await site.identity.apiKeys.list() {
                    try await site.identity.apiKeys.remove(key.id, by: nil)
                }
            }
        }
        #expect(seen > 30)
        await site.close()
    }

    // MARK: Keys

    @Test func `A key ends at its date, when it is removed, and with the rights of its administrator`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp("ada@example.com", .admin)
        func status(_ key: String) async throws -> Int { try await site.get("/api/admin/users", bearer: key).status }
        let short = try await site.key([.readUsers], of: "ada@example.com", lifetime: 60)
        try await expectEqual(status(short), 200)
        site.clock.advance(by: 61)
        try await expectEqual(status(short), 401)
        let removed = try await site.key([.readUsers], of: "ada@example.com")
        try await expectEqual(status(removed), 200)
        let shown = try #require(try await site.identity.apiKeys.list().first)
        try await site.identity.apiKeys.remove(shown.id, by: nil)
        try await expectEqual(status(removed), 401)
        let dismissed = try await site.key([.readUsers], of: "ada@example.com")
        _ = try await site.identity.administration.setRole(of: account.id, to: .moderator)
        _ = try await site.identity.administration.setRole(of: account.id, to: .admin)
        try await expectEqual(status(dismissed), 401)
        let suspended = try await site.key([.readUsers], of: "ada@example.com")
        _ = try await site.identity.administration.setStatus(of: account.id, to: .suspended)
        _ = try await site.identity.administration.setStatus(of: account.id, to: .active)
        try await expectEqual(status(suspended), 401)
        let signedOut = try await site.key([.readUsers], of: "ada@example.com")
        _ = try await site.identity.administration.endSessions(of: account.id, by: nil)
        try await expectEqual(status(signedOut), 401)
        await site.close()
    }

    @Test func `A super administrator who becomes an administrator keeps only the keys of that role`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp("ada@example.com", .superAdmin)
        let readers = try await site.key([.readUsers], of: "ada@example.com")
        let writers = try await site.key([.readUsers, .writeClients], of: "ada@example.com")
        _ = try await site.identity.administration.setRole(of: account.id, to: .admin)
        try await expectEqual(site.get("/api/admin/users", bearer: readers).status, 200)
        try await expectEqual(site.get("/api/admin/users", bearer: writers).status, 401)
        await site.close()
    }

    @Test func `A key that is removed during a request changes nothing any longer`() async throws {
        let site = try await Site.administered()
        let text = try await site.key([.writeUsers])
        let keys = site.identity.apiKeys
        let administrator = try await keys.administrator(presenting: text, for: .writeUsers)
        let ada = try await site.signUp("ada@example.com")
        try await keys.remove(try #require(try await keys.list().first).id, by: nil)
        await #expect(throws: IdentityError.invalidAPIKey) {
            _ = try await site.identity.administration.setStatus(of: ada.id, to: .banned, by: administrator.actor)
        }
        await #expect(throws: IdentityError.invalidAPIKey) {
            _ = try await site.identity.accounts.create(
                email: "eve@example.com", password: Site.password, name: nil, roles: [], isVerified: true,
                by: administrator, from: .tests)
        }
        await site.close()
    }

    @Test func `A key of a super administrator neither makes nor changes administrators`() async throws {
        let site = try await Site.administered()
        let key = try await site.key(AdministrationScope.allCases)
        let admin = try await site.signUp("admin@example.com", .admin)
        let user = try await site.signUp("ada@example.com")
        let path = "/api/admin/users"
        for role in ["admin", "super_admin"] {
            let create: JSONValue = [
                "email": "eve@example.com", "password": .string(Site.password), "roles": [.string(role)],
            ]
            try await expectEqual(site.call(.post, path, bearer: key, create).status, 403, "\(role)")
            let invite: JSONValue = ["email": "eve@example.com", "roles": [.string(role)]]
            try await expectEqual(site.call(.post, path, bearer: key, invite).status, 403, "\(role)")
            let change: JSONValue = ["role": .string(role)]
            try await expectEqual(site.call(.patch, "\(path)/\(user.id)", bearer: key, change).status, 403, "\(role)")
        }
        for (method, end) in [
            (HTTPMethod.delete, ""), (.post, "/close"), (.delete, "/second-factor"), (.delete, "/passkeys"),
            (.delete, "/devices"), (.post, "/reset-password"), (.post, "/unlock"), (.delete, "/passkeys/AAAA"),
        ] {
            let response = try await site.call(method, "\(path)/\(admin.id)\(end)", bearer: key)
            #expect(response.status == 403, "\(method) \(end): \(response.text)")
        }
        for (end, change) in [
            ("", ["name": "Eve"]), ("", ["username": "eve"]), ("", ["roles": []]), ("", ["status": "suspended"]),
            ("/email", ["email": "eve@example.com", "email_verified": true]),
        ] as [(String, JSONValue)] {
            let method: HTTPMethod = end.isEmpty ? .patch : .put
            let response = try await site.call(method, "\(path)/\(admin.id)\(end)", bearer: key, change)
            #expect(response.status == 403, "\(change): \(response.text)")
        }
        for words in [["editor", "admin"], ["super_admin"]] as [JSONValue] {
            let response = try await site.call(.patch, "\(path)/\(user.id)", bearer: key, ["roles": words])
            #expect(response.status == 403, "\(words): \(response.text)")
        }
        try await expectEqual(site.get("\(path)/\(admin.id)", bearer: key).status, 200)
        await site.close()
    }

    @Test func `A key needs a proved second factor of the administrator who makes it`() async throws {
        let site = try await Site.administered()
        let token = try await site.logIn(Site.root).access
        let content: JSONValue = ["name": "deploy", "scopes": ["users:read"]]
        let refused = try await site.call(.post, "/api/admin/api-keys", bearer: token, content)
        #expect(refused.status == 403 && refused.string("code") == "administrationNeedsFactor")
        await site.close()
    }

    @Test func `Another pepper ends all keys`() async throws {
        let site = try await Site.administered()
        let key = try await site.key([.readUsers])
        let digest = try await site.identity.services.store.secrets().first
        try await site.identity.services.store.replacePepper(with: try #require(digest), at: site.clock.now)
        try await expectEqual(site.get("/api/admin/users", bearer: key).status, 401)
        await site.close()
    }

    @Test func `An administrator makes a key, which is shown once and is in no list`() async throws {
        let site = try await Site.administered()
        let token = try await site.enrol().access
        let ada = try #require(try await site.identity.services.store.account(emailKey: "ada@example.com"))
        _ = try await site.identity.administration.setRole(of: ada.id, to: .superAdmin)
        let made = try await site.call(
            .post, "/api/admin/api-keys", bearer: token, ["name": " deploy ", "scopes": ["users:read", "users:read"]])
        #expect(made.status == 201 && made.string("name") == "deploy" && made.json["scopes"] == ["users:read"])
        let key = made.string("api_key")
        #expect(key.hasPrefix("ak1.") && made.field(.cacheControl) == "no-store")
        try await expectEqual(site.get("/api/admin/users", bearer: key).status, 200)
        let list = try await site.get("/api/admin/api-keys", bearer: token)
        #expect(!list.text.contains(key))
        let entry = try #require(list.json["api_keys"]?.arrayValue?.first)
        #expect(entry["id"] == made.json["id"] && entry["last_used_at"]?.stringValue != nil)
        await expectEqual(site.subjects().last, "Latchwork: An API key was created")
        // Neither in the audit log.
        let records = try await site.identity.audit.records(limit: 100)
        #expect(records.contains { $0.event == "apiKey.created" })
        #expect(!records.contains { $0.detail?.contains(key) ?? false })
        let id = made.string("id")
        try await expectEqual(site.call(.delete, "/api/admin/api-keys/\(id)", bearer: token).status, 204)
        try await expectEqual(site.call(.delete, "/api/admin/api-keys/\(id)", bearer: token).status, 404)
        try await expectEqual(site.get("/api/admin/users", bearer: key).status, 401)
        await site.close()
    }

    @Test func `A key opens neither other keys, nor scopes above the role of its administrator`() async throws {
        let site = try await Site.administered()
        let all = try await site.key(AdministrationScope.allCases)
        try await expectEqual(site.get("/api/admin/api-keys", bearer: all).status, 403)
        let more: JSONValue = ["name": "more", "scopes": ["users:write"]]
        try await expectEqual(site.call(.post, "/api/admin/api-keys", bearer: all, more).status, 403)
        let token = try await site.enrol().access
        let ada = try #require(try await site.identity.services.store.account(emailKey: "ada@example.com"))
        _ = try await site.identity.administration.setRole(of: ada.id, to: .admin)
        let clients: JSONValue = ["name": "clients", "scopes": ["clients:write"]]
        try await expectEqual(site.call(.post, "/api/admin/api-keys", bearer: token, clients).string("field"), "scopes")
        // The pages, the RPCs and the other routes take no key.
        try await expectEqual(site.get("/user/profile", bearer: all).status, 401)
        try await expectEqual(site.get("/api/users", bearer: all).status, 401)
        await site.close()
    }

    @Test func `An administrator sees and ends only their own keys, a super administrator those of all`() async throws {
        let site = try await Site.administered()
        try await site.signUp("ada@example.com", .admin)
        _ = try await site.key([.readUsers])
        _ = try await site.key([.readUsers], of: "ada@example.com")
        let (ada, root) = (try await site.logIn().access, try await site.logIn(Site.root).access)
        let own = try #require(try await site.get("/api/admin/api-keys", bearer: ada).json["api_keys"]?.arrayValue)
        expectEqual(own.count, 1)
        let both = try #require(try await site.get("/api/admin/api-keys", bearer: root).json["api_keys"]?.arrayValue)
        expectEqual(both.count, 2)
        let foreign = try #require(both.compactMap { $0["id"]?.stringValue }.first { $0 != own[0]["id"]?.stringValue })
        try await expectEqual(site.call(.delete, "/api/admin/api-keys/\(foreign)", bearer: ada).status, 404)
        try await expectEqual(site.call(.delete, "/api/admin/api-keys/\(foreign)", bearer: root).status, 204)
        await site.close()
    }

    @Test(
        arguments: [
            ("name", ""), ("name", "a\u{7}"), ("scopes", []), ("scopes", ["users:all"]), ("lifetime", 59),
            ("lifetime", 63_072_001), ("lifetime", "a"),
        ] as [(String, JSONValue)])
    func `What a key cannot have is refused with its name`(member: String, value: JSONValue) async throws {
        let site = try await Site.administered()
        let token = try await site.logIn(Site.root).access
        var content: JSONObject = ["name": "test", "scopes": ["users:read"], "lifetime": 3600]
        content[member] = value
        let response = try await site.call(.post, "/api/admin/api-keys", bearer: token, .object(content))
        #expect(response.status == 400 && response.string("field") == member, "\(response.text)")
        await site.close()
    }

    @Test func `A change by a key names it in the audit log`() async throws {
        let site = try await Site.administered()
        let account = try await site.signUp("ada@example.com")
        let token = try await site.key([.writeUsers])
        let path = "/api/admin/users/\(account.id)"
        let response = try await site.call(.patch, path, bearer: token, ["status": "suspended", "reason": "case 12"])
        expectEqual(response.string("status"), "suspended")
        let id = try #require(try await site.identity.apiKeys.list().first).id
        let record = try #require(try await site.identity.audit.records(limit: 1).first)
        #expect(record.event == "account.suspended" && record.detail?.contains("with key \(id): case 12") == true)
        await site.close()
    }

    // MARK: Accounts

    @Test func `A program creates, finds, changes and deletes an account`() async throws {
        let site = try await Site.administered()
        let key = try await site.key([.readUsers, .writeUsers])
        let made = try await site.call(
            .post, "/api/admin/users", bearer: key,
            [
                "email": "ada@example.com", "password": .string(Site.password), "name": "Ada",
                "roles": ["moderator", "editor"], "email_verified": true,
            ])
        #expect(made.status == 201 && made.json["email_verified"] == true && made.string("role") == "moderator")
        expectEqual(made.json["roles"], ["editor", "moderator"])
        let both: JSONValue = ["role": "user", "status": "suspended"]
        try await expectEqual(
            site.call(.patch, "/api/admin/users/\(made.string("id"))", bearer: key, both).status, 400)
        try await expectEqual(site.logIn().status, 200)
        let id = made.string("id")
        let found = try await site.get("/api/admin/users?search=ada&role=moderator&verified=true&limit=5", bearer: key)
        #expect(found.json["users"]?.arrayValue?.map { $0["id"] } == [.string(id)] && found.json["total"] == 1)
        let detail = try await site.get("/api/admin/users/\(id)", bearer: key)
        #expect(detail.json["devices"]?.arrayValue?.count == 1 && detail.json["has_password"] == true)
        try await expectEqual(
            site.call(.delete, "/api/admin/users/\(id)/devices", bearer: key).json, ["devices": 1])
        try await expectEqual(
            site.call(.patch, "/api/admin/users/\(id)", bearer: key, ["role": "user"]).string("role"), "user")
        try await expectEqual(
            site.call(.delete, "/api/admin/users/\(id)", bearer: key, ["reason": "case 12"]).status, 204)
        try await expectEqual(site.get("/api/admin/users/\(id)", bearer: key).status, 404)
        await site.close()
    }

    @Test func `An account without a password is invited, with the language and the link of an invitation`()
        async throws
    {
        let site = try await Site.administered()
        let key = try await site.key([.writeUsers])
        let made = try await site.call(.post, "/api/admin/users", bearer: key, ["email": "ada@example.com"])
        #expect(made.status == 201 && made.json["has_password"] == false)
        let token = await site.mailedToken()
        #expect(token != nil)
        // The deletion of an account makes no room for another email to its address.
        var statuses: [Int] = []
        for _ in 0..<7 {
            let content: JSONValue = ["email": "bob@example.com", "password": .string(Site.password)]
            let bob = try await site.call(.post, "/api/admin/users", bearer: key, content)
            statuses.append(bob.status)
            _ = try await site.call(.delete, "/api/admin/users/\(bob.string("id"))", bearer: key)
        }
        #expect(statuses.first == 201 && statuses.last == 429)
        let verified: JSONValue = ["email": "eve@example.com", "email_verified": true]
        try await expectEqual(
            site.call(.post, "/api/admin/users", bearer: key, verified).string("field"), "email_verified")
        await site.close()
    }

    @Test func `Unlocking ends the wait after wrong passwords and codes`() async throws {
        let site = try await Site.administered { $0.loginLimitPerMinute = 5 }
        let account = try await site.signUp("ada@example.com")
        let key = try await site.key([.writeUsers])
        // From many networks, so that only the limit of the account is reached.
        for network in 0..<60 {
            var request = HTTPRequest(
                method: .post, scheme: "http", authority: site.origin.authority, path: "/api/auth/clients/login",
                fields: [.contentType: "application/json"],
                body: HTTPBody(#"{"email":"ada@example.com","password":"wrong"}"#))
            request.context[RemoteAddress.self] = "10.\(network).0.1"
            _ = try await site.transport.respond(to: request)
        }
        try await expectEqual(site.logIn().status, 429)
        try await expectEqual(site.call(.post, "/api/admin/users/\(account.id)/unlock", bearer: key).status, 204)
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }

    @Test func `A server with closed sign-up takes no account from an administrator, either`() async throws {
        let site = try await Site.administered { $0.signUp = .closed }
        let key = try await site.key([.writeUsers])
        for content in [
            ["email": "ada@example.com"], ["email": "ada@example.com", "password": .string(Site.password)],
        ]
            as [JSONValue]
        {
            try await expectEqual(
                site.call(.post, "/api/admin/users", bearer: key, content).string("code"), "signUpClosed")
        }
        await site.close()
    }

    // MARK: The server

    @Test func `A program reads audit, emails, keys, providers, settings and statistics`() async throws {
        let site = try await Site.administered()
        let key = try await site.key([.readServer, .readAudit, .readUsers])
        let audit = try await site.get("/api/admin/audit?limit=1", bearer: key)
        let next = try #require(audit.json["next"]?.stringValue)
        let older = try await site.get("/api/admin/audit?after=\(next)&event=account.created", bearer: key)
        #expect(older.json["entries"]?.arrayValue?.isEmpty == false)
        try await expectEqual(site.get("/api/admin/audit/verification", bearer: key).json["intact"], true)
        try await expectEqual(site.get("/api/admin/audit?since=yesterday", bearer: key).string("field"), "since")
        for path in ["mails", "keys", "providers", "settings", "statistics"] {
            try await expectEqual(site.get("/api/admin/\(path)", bearer: key).status, 200)
        }
        await site.close()
    }

    @Test func `A repeated rotation makes no second key`() async throws {
        let site = try await Site.administered()
        let key = try await site.key([.readServer, .writeServer])
        let list = try await site.get("/api/admin/keys", bearer: key).json["keys"]?.arrayValue
        let newest = try #require(list?.first?["id"])
        try await expectEqual(site.call(.post, "/api/admin/keys/rotate", bearer: key, ["after": newest]).status, 201)
        try await expectEqual(site.call(.post, "/api/admin/keys/rotate", bearer: key, ["after": newest]).status, 409)
        try await expectEqual(site.call(.post, "/api/admin/mails/retry", bearer: key).status, 204)
        await site.close()
    }
}
