// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// The ways to sign in that an operator turns off, at each entrance.
@Suite struct SignInWayTests {
    private static let email = "ada@example.com"

    /// What a request of an entrance needs.
    struct Visit {
        let site: Site
        /// The access token of a session from before.
        let access: String
        /// The token of a link for a new password, and of one that verifies the address of Eve, from before.
        let reset, verification: String
    }

    /// A request that needs passwords.
    struct Entrance: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: @Sendable (Visit) async throws -> Response

        init(_ name: String, _ call: @escaping @Sendable (Visit) async throws -> Response) {
            (testDescription, self.call) = (name, call)
        }
    }

    static let entrances: [Entrance] = [
        Entrance("login") { try await $0.site.logIn() },
        Entrance("login of JWTAuth") {
            try await $0.site.post("/auth/login", ["email": .string(email), "password": .string(Site.password)])
        },
        Entrance("password grant") { try await $0.site.passwordGrant() },
        Entrance("RPC Login") { try await $0.site.login() },
        Entrance("RPC Register") { try await $0.site.register("new@example.com") },
        Entrance("sign-up") { try await $0.site.post("/api/clients/register", newUser) },
        Entrance("sign-up of AuthPackage") { try await $0.site.post("/api/auth/clients/register", newUser) },
        Entrance("sign-up of Lazi") { try await $0.site.post("/auth/signup", newUser) },
        Entrance("forgotten password") {
            try await $0.site.post("/api/auth/forgot-password", ["email": .string(email)])
        },
        Entrance("RPC RequestPasswordReset") {
            try await $0.site.call("RequestPasswordReset", ["email": .string(email)])
        },
        Entrance("new password") {
            try await $0.site.post(
                "/api/auth/reset-password", ["token": .string($0.reset), "password": "Another 456!"])
        },
        Entrance("RPC ResetPassword") {
            try await $0.site.call(
                "ResetPassword", ["resetToken": .string($0.reset), "newPassword": "Another 456!"])
        },
        Entrance("RPC ChangePassword") {
            try await $0.site.call(
                "ChangePassword", ["currentPassword": .string(Site.password), "newPassword": "Another 456!"],
                bearer: $0.access)
        },
        Entrance("reauthentication") {
            try await $0.site.call(
                .post, "/api/auth/reauthenticate", bearer: $0.access, ["password": .string(Site.password)])
        },
        Entrance("verification with a password") {
            try await $0.site.post(
                "/api/auth/verify-email",
                ["token": .string($0.verification), "password": .string(Site.password)])
        },
        Entrance("page of a reset") { try await $0.site.get("/reset?token=\($0.reset)") },
        Entrance("form of a reset") {
            try await $0.site.post("/reset", form: "token=\($0.reset)&password=Another+456%21")
        },
        Entrance("page of a sign-in") {
            var agent = UserAgent($0.site)
            return try await agent.submit(
                try await agent.get("/account"), [("name", email), ("password", Site.password)])
        },
        Entrance("page of a forgotten password") { try await $0.site.get("/forgot") },
        Entrance("form of a forgotten password") {
            var agent = UserAgent($0.site)
            return try await agent.post("/forgot", form: "email=ada%40example.com")
        },
    ]

    private static let newUser: JSONValue = ["email": "new@example.com", "password": .string(Site.password)]

    private static func isOff(_ response: Response) -> Bool {
        [400, 403].contains(response.status)
            && (response.text.contains("turned this way to sign in off")
                || response.text.contains("This way to sign in is turned off"))
    }

    @Test(.tags(.mailFlood), arguments: entrances)
    func `A server without passwords checks, takes and mails none at any entrance`(entrance: Entrance) async throws {
        let before = try await Site()
        try await before.signUp()
        let access = try await before.logIn().access
        _ = try await before.post("/api/auth/forgot-password", ["email": .string(Self.email)])
        let reset = try #require(await before.mailedToken())
        try await before.signUp("eve@example.com", isVerified: false)
        let verification = try #require(await before.mailedToken(to: "eve@example.com"))
        let site = try await Site(in: before.folder) { $0.signInWays = [.code] }
        let visit = Visit(site: site, access: access, reset: reset, verification: verification)
        let response = try await entrance.call(visit)
        #expect(Self.isOff(response), "\(response.status): \(response.content)")
        await site.identity.flushMails()
        expectEqual(site.mailer.messages.count, 0)
        expectNil(try await site.identity.administration.account(email: "new@example.com"))
        await site.close()
        // What the account has works again with the way.
        let after = try await Site(in: before.folder)
        try await expectEqual(after.logIn().status, 200)
        await after.close()
        await before.close()
    }

    @Test func `A server without passwords asks for none on its pages, and says so in its metadata`() async throws {
        let before = try await Site.authorizing()
        let site = try await Site.authorizing(in: before.folder) { $0.signInWays = [.code, .passkey] }
        var agent = UserAgent(site)
        let page = try await agent.get("/account")
        expectEqual(page.title, "Sign in")
        for text in [#"name="password""#, #"name="name""#, #"name="forgot""#, "<button>"] {
            #expect(!page.text.contains(text), "\(text)")
        }
        #expect(page.text.contains(">Email me a code</button>"))
        try await #expect(agent.get("/").text.contains("/forgot") == false)
        let grants = try await site.get("/.well-known/openid-configuration").json["grant_types_supported"]?.arrayValue
        expectEqual(grants?.contains("password"), false)
        let done = try await Self.signIn(&agent, page)
        expectEqual(done.location, "/account")
        let account = try await agent.get("/account")
        #expect(!account.text.contains("/account/password") && !account.text.contains("/account/email"))
        for path in ["/account/password", "/account/email"] {
            let form = try await agent.get(path)
            #expect(!form.text.contains(#"name="new_password""#) && !form.text.contains(#"name="password""#), "\(path)")
        }
        await site.close()
        await before.close()
    }

    /// Signs in with a mailed code, from the page of a sign-in.
    private static func signIn(
        _ agent: inout UserAgent, _ page: Response, as email: String = email
    ) async throws -> Response {
        let address = try await agent.submit(page, [("mailed-code", "yes")])
        let code = try await agent.submit(address, [("email", email)])
        let mailed = try #require(await agent.site.mailedCode(to: email))
        return try await agent.submit(code, [("code", mailed)])
    }

    @Test func `A server without passwords lets users sign up with a mailed code, and sign in with one again`()
        async throws
    {
        let site = try await Site { $0.signInWays = [.code] }
        var agent = UserAgent(site)
        let code = try await agent.submit(try await agent.get("/signup"), [("email", "new@example.com")])
        let mailed = try #require(await site.mailedCode(to: "new@example.com"))
        let details = try await agent.submit(code, [("code", mailed)])
        #expect(!details.text.contains(#"name="password""#) && details.text.contains("code that we email to you"))
        try await expectEqual(agent.submit(details, [("name", "New")]).location, "/account")
        let stored = try #require(try await site.identity.administration.account(email: "new@example.com"))
        #expect(stored.passwordHash == nil && stored.isOwnersAddress)
        var other = UserAgent(site)
        try await expectEqual(
            Self.signIn(&other, try await other.get("/account"), as: "new@example.com").location, "/account")
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: [true, false])
    func `A code on a server without passwords ends what a stranger has set up with the address`(isVerified: Bool)
        async throws
    {
        let before = try await Site()
        let account = try await before.signUp(isVerified: isVerified)
        if isVerified {
            _ = try await before.identity.services.store.update(
                "UPDATE account SET owner_proved_at = NULL WHERE id = $1", [.text(account.id)]
            ) { _ in }
        }
        let stranger = try await before.logIn()
        let site = try await Site(in: before.folder) { $0.signInWays = [.code] }
        var agent = UserAgent(site)
        try await expectEqual(Self.signIn(&agent, try await agent.get("/account")).location, "/account")
        let stored = try #require(try await site.identity.administration.account(email: Self.email))
        #expect(stored.passwordHash == nil && stored.isOwnersAddress)
        try await expectEqual(site.renew(stranger.refresh).status, 401)
        try await expectEqual(agent.get("/account").title, "Your account")
        await site.close()
        await before.close()
    }

    @Test(.tags(.accountPreHijack))
    func `An invitation to a server without passwords proves the address, and its user signs in with a code`()
        async throws
    {
        let site = try await Site { $0.signInWays = [.code] }
        _ = try await site.identity.accounts.invite(
            email: "new@example.com", name: nil, roles: [], by: .serverOperator, from: .tests)
        let token = try #require(await site.mailedToken(to: "new@example.com"))
        var agent = UserAgent(site)
        let page = try await agent.get("/verify?token=\(token)")
        #expect(page.title == "Confirm your email address" && !page.text.contains("password\""))
        try await expectEqual(agent.submit(page).status, 200)
        let stored = try #require(try await site.identity.administration.account(email: "new@example.com"))
        #expect(stored.isOwnersAddress)
        try await expectEqual(
            Self.signIn(&agent, try await agent.get("/account"), as: "new@example.com").location, "/account")
        await site.close()
    }

    @Test(.tags(.mailFlood)) func `A server without passwords sends no waiting email that sets one`() async throws {
        let site = try await Site { $0.signInWays = [.code] }
        try await site.signUp()
        let email = try EmailAddress(Self.email)
        for purpose in [OutboxMail.Purpose.resetPassword, .invitation] {
            let mail = OutboxMail(purpose, to: email, id: "mail \(purpose)", at: noon)
            try await site.identity.services.store.insert(mail)
        }
        await site.identity.flushMails()
        expectEqual(site.mailer.messages.count, 0)
        await site.close()
    }

    @Test(.tags(.accountPreHijack)) func `A server with passwords takes no email as the only proof of an owner`()
        async throws
    {
        let site = try await Site { $0.signInCodes = true }
        try await site.signUp(isVerified: false)
        let token = try #require(await site.mailedToken())
        await #expect(throws: IdentityError.ownerProofRequired) {
            try await site.identity.accounts.verifyEmail(byEmail: token.digest, from: .tests)
        }
        await site.close()
    }

    // MARK: Passkeys and providers

    @Test func `A server without passkeys takes and offers none, and keeps those that it has`() async throws {
        let before = try await Site.withPasskeys()
        var user = try await PasskeyUser.registered(at: before)
        let site = try await Site.withPasskeys(in: before.folder) { $0.signInWays = [.password] }
        user = PasskeyUser(site: site, authenticator: user.authenticator, access: try await site.logIn().access)
        let signer = PasskeyUser(site: before, authenticator: user.authenticator, access: user.access)
        let assertion = try await signer.assertion()
        let refused = [
            try await site.call(.post, "/api/auth/passkeys/options", bearer: user.access, [:]),
            try await user.send(["id": "x"]), try await site.post("/api/auth/passkeys/sign-in/options", [:]),
            try await user.signIn(assertion), try await user.reauthenticate(assertion),
        ]
        for (index, response) in refused.enumerated() { #expect(Self.isOff(response), "\(index): \(response.text)") }
        var agent = UserAgent(site)
        let page = try await agent.get("/account")
        #expect(!page.text.contains("passkey.js"))
        let text = String(decoding: assertion.serialized(), as: UTF8.self)
        try await #expect(Self.isOff(agent.submit(page, [("credential", text)])))
        try await expectEqual(user.list().count, 1)
        await site.close()
        let after = try await Site.withPasskeys(in: before.folder)
        try await expectEqual(
            PasskeyUser(site: after, authenticator: user.authenticator).signIn().status, 200)
        await after.close()
        await before.close()
    }

    @Test func `A server without providers has no routes and no buttons of them`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream) { $0.signInWays = [.password] }
        try await expectEqual(site.get(UpstreamApp().path()).status, 404)
        var agent = UserAgent(site)
        let page = try await agent.get("/account")
        #expect(!page.text.contains("staff"))
        let begun = try await agent.submit(page, [("provider", "staff")])
        #expect(begun.status != 303 && !begun.location.contains("sso.example.com"))
        await site.close()
    }

    // MARK: The setting

    private func problem(_ change: (inout IdentityConfiguration) -> Void) -> IdentityError? {
        var configuration = IdentityConfiguration()
        change(&configuration)
        do throws(IdentityError) {
            try configuration.check()
            return nil
        } catch {
            return error
        }
    }

    @Test func `Settings with which no user could sign in, and those that contradict each other, are refused`() {
        let provider = problem { $0.signInWays = [.provider] }
        #expect(provider?.message.contains("sign_in_ways") == true && provider?.message.contains("upstreams") == true)
        let passkeys = problem {
            $0.issuer = "http://192.0.2.1"
            $0.signInWays = [.passkey]
        }
        #expect(passkeys?.message.contains("an issuer with https") == true)
        let codes = problem {
            $0.signInCodes = true
            $0.signInWays = [.password]
        }
        #expect(codes?.message.contains("sign_in_codes") == true)
        let client = problem {
            $0.signInWays = [.password]
            $0.clients = [OAuthClient(id: "vault")]
            $0.clients[0].signInWays = [.passkey]
        }
        #expect(client?.message.contains("'vault' has only 'sign_in_ways'") == true)
        for good: Set<SignInWay>? in [nil, [.password], [.code], [.passkey], [.code, .provider]] {
            expectNil(problem { $0.signInWays = good })
        }
        expectNil(
            problem {
                $0.signInCodes = true
                $0.signInWays = [.code]
            })
    }

    // MARK: Apps

    @Test func `Apps read the ways to sign in, with the providers, from one public route`() async throws {
        let upstream = try ScriptedUpstream()
        let all = try await Site.brokering(upstream) { $0.signInCodes = true }
        let response = try await all.get("/api/auth/ways")
        expectEqual(response.json["ways"], ["password", "passkey", "code"])
        expectEqual(response.json["providers"], [["name": "staff", "display_name": "staff"]])
        expectEqual(response.json["signup"], true)
        expectEqual(response.field(.cacheControl), "public, max-age=60")
        await all.close()
        let few = try await Site.brokering(upstream) { $0.signInWays = [.passkey] }
        let rest = try await few.get("/api/auth/ways")
        expectEqual(rest.json["ways"], ["passkey"])
        expectEqual(rest.json["providers"], [])
        expectEqual(rest.json["signup"], false)
        await few.close()
    }
}
