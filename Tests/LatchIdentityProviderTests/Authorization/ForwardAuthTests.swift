// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

/// A browser at an application whose proxy asks `/forward-auth` about each request.
private struct ProtectedBrowser {
    static let origin = "https://app.example.com"

    /// The browser at the server.
    var agent: UserAgent
    /// The cookies of the application's host.
    var cookies: [String: String] = [:]
    /// The Set-Cookie fields of the last response.
    private(set) var received: [String] = []

    init(_ site: Site) { agent = UserAgent(site) }

    /// The fields of a navigation.
    static let navigation: HTTPFields = ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"]

    /// Asks as a proxy does; `changes` replaces or removes its fields.
    mutating func ask(
        _ target: String, origin: String = Self.origin, fields: HTTPFields = [:],
        changes: KeyValuePairs<String, String?> = [:], path: String = "/forward-auth", proxy: String? = "127.0.0.1"
    ) async throws -> Response {
        let parts = origin.components(separatedBy: "://")
        var all = fields
        all["X-Forwarded-Method"] = "GET"
        all["X-Forwarded-Proto"] = parts[0]
        all["X-Forwarded-Host"] = parts[1]
        all["X-Forwarded-Uri"] = target
        for (name, value) in changes { all[HTTPFieldName(name)] = value }
        if !cookies.isEmpty {
            all["Cookie"] = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        var request = HTTPRequest(
            method: .get, scheme: "http", authority: "127.0.0.1:8080", path: path, fields: all)
        request.context[ProxyAddress.self] = proxy
        request.context[RemoteAddress.self] = "192.0.2.7"
        let response = Response(try await agent.site.identity.handler.respond(to: request))
        received = Array(response.response.fields.values(of: .setCookie))
        for field in received {
            let pair = field.components(separatedBy: ";")[0].split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = field.contains("Max-Age=0") ? nil : String(pair[1])
        }
        return response
    }

    mutating func navigate(_ target: String, origin: String = Self.origin) async throws -> Response {
        try await ask(target, origin: origin, fields: Self.navigation)
    }

    /// Follows the redirect of a navigation to the sign-in, up to the application's callback.
    mutating func callback(after begun: Response, _ name: String = "ada@example.com") async throws -> String {
        var page = try await agent.get(String(begun.location.dropFirst(agent.site.identity.issuer?.count ?? 0)))
        if page.formAction == "/login" { page = try await agent.signIn(page, name) }
        return page.location
    }

    /// Signs in, and returns the last response of the application's host.
    mutating func signIn(_ target: String = "/", origin: String = Self.origin) async throws -> Response {
        let url = try await callback(after: try await navigate(target, origin: origin))
        return try await navigate(String(url.dropFirst(origin.count)), origin: origin)
    }
}

@Suite struct ForwardAuthTests {
    private static func site(
        storedAt location: String? = nil, change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        try await Site.authorizing(storedAt: location) { configuration in
            configuration.clients += [
                OAuthClient(
                    id: "wiki", idTokenAlgorithm: .es256,
                    forwardAuth: .init(origins: [ProtectedBrowser.origin, "https://app.example.com:8443"])),
                OAuthClient(
                    id: "board", idTokenAlgorithm: .es256,
                    forwardAuth: .init(origins: ["https://board.example.com"], roles: ["moderator", "admin"])),
                OAuthClient(
                    id: "files", idTokenAlgorithm: .es256,
                    forwardAuth: .init(origins: ["https://files.example.com"], scopes: ["files:admin"])),
            ]
            configuration.resources = [ResourceServer(ProtectedBrowser.origin, scopes: ["notes:read"])]
            change(&configuration)
        }
    }

    @Test func `A navigation leads to the sign-in and back, and the application then gets the user's fields`()
        async throws
    {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        let begun = try await browser.navigate("/a%20page?b=c&d")
        #expect(begun.status == 302 && begun.location.hasPrefix("\(site.origin)/oauth/authorize?"))
        expectEqual(begun.parameters["redirect_uri"], "https://app.example.com/.latch/callback")
        expectEqual(begun.parameters["code_challenge_method"], "S256")
        expectEqual(browser.received.count, 1)
        let url = try await browser.callback(after: begun)
        #expect(url.hasPrefix("https://app.example.com/.latch/callback?"))
        let back = try await browser.navigate(String(url.dropFirst(ProtectedBrowser.origin.count)))
        #expect(back.status == 302 && back.location == "https://app.example.com/a%20page?b=c&d")
        let cookie = try #require(browser.received.first)
        #expect(cookie.hasPrefix("__Host-latch-app-"))
        #expect(cookie.hasSuffix("; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure"))
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        let response = try await browser.ask("/logo.png")
        #expect(response.status == 200 && response.field("Cache-Control") == "no-store")
        expectEqual(response.field("Remote-User"), account.preferredUsername)
        expectEqual(response.field("Remote-Id"), account.id)
        expectEqual(response.field("Remote-Email"), "ada@example.com")
        #expect(response.field("Remote-Name") == "" && response.field("Remote-Groups") == "")
        // The code was for one use.
        try await expectEqual(browser.navigate(String(url.dropFirst(ProtectedBrowser.origin.count))).status, 401)
        await site.close()
    }

    @Test func `A browser that is signed in at the server opens a second application without a page`() async throws {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        _ = try await browser.signIn()
        let begun = try await browser.navigate("/", origin: "https://app.example.com:8443")
        let code = try await browser.agent.get(String(begun.location.dropFirst(site.origin.description.count)))
        #expect(code.location.hasPrefix("https://app.example.com:8443/.latch/callback?"))
        await site.close()
    }

    @Test(arguments: [
        [("Sec-Fetch-Mode", "cors")], [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")],
        [("Accept", "*/*")], [("Accept", "text/html"), ("X-Requested-With", "XMLHttpRequest")],
        [("Accept", "text/html"), ("Upgrade", "websocket")], [("Accept", "text/html"), ("X-Forwarded-Method", "POST")],
        [("Sec-Fetch-Mode", "navigate"), ("Sec-Purpose", "prefetch")],
    ])
    func `Whatever is not a navigation is refused with 401, and gets no cookie`(fields: [(String, String)]) async throws
    {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        var sent: HTTPFields = [:]
        for (name, value) in fields { sent[HTTPFieldName(name)] = value }
        let method = sent["X-Forwarded-Method"] ?? "GET"
        let response = try await browser.ask("/", fields: sent, changes: ["X-Forwarded-Method": method])
        #expect(response.status == 401 && response.field("WWW-Authenticate")?.hasPrefix("Bearer") == true)
        #expect(response.location.isEmpty && browser.received.isEmpty)
        // A browser before 2023.
        try await expectEqual(browser.ask("/", fields: ["Accept": "text/html,*/*;q=0.8"]).status, 302)
        await site.close()
    }

    @Test func `The first question of nginx is answered by a status alone`() async throws {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        for target in ["/", "/.latch/callback?code=a&state=b", "/.latch/sign-out"] {
            let response = try await browser.ask(
                target, fields: ProtectedBrowser.navigation, path: "/forward-auth?redirect=no")
            #expect(response.status == 401 && browser.received.isEmpty)
        }
        await site.close()
    }

    @Test func `Nobody but a trusted proxy gets a decision, and only about registered origins`() async throws {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        _ = try await browser.signIn()
        try await expectEqual(browser.ask("/", proxy: nil).status, 403)
        for origin in ["https://evil.example", "http://app.example.com", "https://app.example.com.evil.example"] {
            let response = try await browser.navigate("/", origin: origin)
            #expect(response.status == 403 && response.location.isEmpty)
        }
        let changes: [KeyValuePairs<String, String?>] = [
            ["X-Forwarded-Host": nil], ["X-Forwarded-Host": "app.example.com, evil.example"],
            ["X-Forwarded-Host": "user@app.example.com"], ["X-Forwarded-Host": "app.example.com/x"],
            ["X-Forwarded-Proto": "ftp"], ["X-Forwarded-Uri": "https://evil.example/"], ["X-Forwarded-Uri": "/a b"],
            ["X-Forwarded-Uri": nil], ["X-Forwarded-Method": "G ET"], ["X-Forwarded-Method": nil],
        ]
        for change in changes { try await expectEqual(browser.ask("/", changes: change).status, 400, "\(change)") }
        // Hosts have no case, and the default port is the same origin.
        try await expectEqual(browser.ask("/", changes: ["X-Forwarded-Host": "APP.example.com:443"]).status, 200)
        await site.close()
    }

    @Test(.tags(.loginForgery)) func `The callback of another browser signs nobody in`() async throws {
        let site = try await Self.site()
        var (browser, other) = (ProtectedBrowser(site), ProtectedBrowser(site))
        let url = try await browser.callback(after: try await browser.navigate("/"))
        let target = String(url.dropFirst(ProtectedBrowser.origin.count))
        _ = try await other.navigate("/")
        let stolen = try await other.navigate(target)
        #expect(stolen.status == 400 && stolen.title == "This sign-in has ended" && other.received.isEmpty)
        // Nor does it at another origin of the same client.
        try await expectEqual(browser.navigate(target, origin: "https://app.example.com:8443").status, 400)
        try await expectEqual(browser.navigate(target).location, "https://app.example.com/")
        await site.close()
    }

    @Test func `The callback leads only to the application, whatever the target`() async throws {
        let site = try await Self.site()
        for target in ["//evil.example/", "/\\evil.example", "/@evil.example"] {
            var browser = ProtectedBrowser(site)
            try await expectEqual(browser.signIn(target).location, ProtectedBrowser.origin + target)
        }
        var browser = ProtectedBrowser(site)
        // A target that is too long for the state leads to the beginning.
        let long = "/" + String(repeating: "a/", count: 2000)
        try await expectEqual(browser.signIn(long).location, ProtectedBrowser.origin + "/")
        // A refusal is the user's.
        let refused = try await browser.navigate(
            "/.latch/callback?error=access_denied&state=\(try await browser.navigate("/x").parameters["state"] ?? "")")
        expectEqual(refused.status, 400)
        await site.close()
    }

    @Test func `A sign-out at the server ends the access at once, and so do the ends of sessions`() async throws {
        for cause in ["logout", "everywhere", "suspended", "device"] {
            let site = try await Self.site()
            var browser = ProtectedBrowser(site)
            _ = try await browser.signIn()
            try await expectEqual(browser.ask("/").status, 200)
            let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
            switch cause {
            case "logout":
                let page = try await browser.agent.get("/oauth/logout")
                try await expectEqual(browser.agent.submit(page).title, "You are signed out")
            case "everywhere":
                let access = try await site.logIn().access
                _ = try await site.call(.post, "/auth/logout", bearer: access, ["allDevices": true])
            case "suspended":
                _ = try await site.identity.administration.setStatus(of: account.id, to: .suspended, by: nil)
            default:
                let devices = try await site.identity.services.tokens.devices(of: account.id)
                let device = try #require(devices.first { $0.clientID == "wiki" })
                _ = try await site.identity.administration.endSession(ofDevice: device.publicID, of: account.id)
            }
            try await expectEqual(browser.ask("/").status, 401, "\(cause)")
            await site.close()
        }
    }

    @Test(arguments: [false, true])
    func `The application's own sign-out ends the browser's session, also after its hour`(isPruned: Bool) async throws {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        _ = try await browser.signIn()
        let app = SignInApp()
        let tokens = try await site.exchange(try await browser.agent.authorize(app).parameters["code"] ?? "", app)
        site.clock.advance(by: 2 * 3600)
        if isPruned { try await site.identity.services.store.prune(endedBefore: site.clock.now) }
        // A link of another site signs nobody out: the server's page asks.
        let foreign = try await browser.ask(
            "/.latch/sign-out",
            fields: ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site"])
        try await expectEqual(
            browser.agent.get("/oauth/logout?" + foreign.location.split(separator: "?")[1]).status, 200)
        try await expectEqual(browser.ask("/").status, 200)
        let left = try await browser.ask(
            "/.latch/sign-out",
            fields: ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "same-origin"])
        #expect(left.location.hasPrefix("\(site.origin)/oauth/logout?posted="))
        #expect(browser.received.contains { $0.contains("Max-Age=0") })
        try await expectEqual(browser.ask("/").status, 401)
        try await expectEqual(site.refreshGrant(tokens.refreshToken, as: "notes").oauthError, "invalid_grant")
        await site.close()
    }

    @Test func `The application's own sign-out leaves a later session of the browser to the server's page`()
        async throws
    {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        _ = try await browser.signIn()
        let app = SignInApp()
        site.clock.advance(by: 3000)
        _ = try await browser.agent.authorize(app, ["prompt": "login"])
        site.clock.advance(by: 1200)
        let left = try await browser.ask(
            "/.latch/sign-out",
            fields: ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "same-origin"])
        #expect(try await browser.agent.get(app.path()).parameters["code"] != nil)
        _ = try await browser.agent.get(String(left.location.dropFirst(site.origin.description.count)))
        try await expectEqual(browser.agent.get(app.path()).title, "Sign in")
        await site.close()
    }

    @Test func `The application's sign-out ends the browser's session at the server without a question`() async throws {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        _ = try await browser.signIn()
        var fields = ProtectedBrowser.navigation
        fields["Sec-Fetch-Site"] = "cross-site"
        let asking = try await browser.ask("/.latch/sign-out", fields: fields)
        let page = try await browser.agent.get(String(asking.location.dropFirst(site.origin.description.count)))
        expectEqual(page.title, "Sign out?")
        fields["Sec-Fetch-Site"] = "same-origin"
        let left = try await browser.ask("/.latch/sign-out", fields: fields)
        let done = try await browser.agent.get(String(left.location.dropFirst(site.origin.description.count)))
        expectEqual(done.title, "You are signed out")
        try await expectEqual(browser.agent.get("/oauth/logout").title, "You are signed out")
        await site.close()
    }

    @Test func `The access ends after a day`() async throws {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        _ = try await browser.signIn()
        site.clock.advance(by: 86_399)
        try await expectEqual(browser.ask("/").status, 200)
        site.clock.advance(by: 1)
        try await expectEqual(browser.ask("/").status, 401)
        await site.close()
    }

    @Test func `The cookie of one application does not open another one`() async throws {
        let site = try await Self.site()
        try await site.signUp("root@example.com", roles: ["admin"])
        var browser = ProtectedBrowser(site)
        _ = try await browser.signIn()
        try await expectEqual(browser.ask("/", origin: "https://board.example.com").status, 401)
        try await expectEqual(browser.ask("/", origin: "https://files.example.com").status, 401)
        await site.close()
    }

    @Test func `A user without a required role or scope is refused with 403, until there is one`() async throws {
        for origin in ["https://board.example.com", "https://files.example.com"] {
            let site = try await Self.site { $0.scopes.insert("files:admin") }
            let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
            var browser = ProtectedBrowser(site)
            _ = try await browser.signIn(origin: origin)
            let refused = try await browser.navigate("/", origin: origin)
            #expect(refused.status == 403 && refused.title == "This account may not open this application")
            try await expectEqual(browser.ask("/", origin: origin).string("code"), "applicationForbidden")
            _ = try await site.identity.administration.setRoles(of: account.id, roles: ["admin"], permissions: [])
            // A scope is granted at the sign-in, and a role counts at once.
            if origin == "https://files.example.com" {
                browser.cookies = [:]
                _ = try await browser.signIn(origin: origin)
            }
            let response = try await browser.ask("/", origin: origin)
            #expect(response.status == 200 && response.field("Remote-Groups") == "admin")
            await site.close()
        }
    }

    @Test(.tags(.headerInjection)) func `The fields are ASCII on one line, and only what the client may know`()
        async throws
    {
        let site = try await Self.site()
        var account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        account.name = "Zoë, 100% \u{1F600}"
        account.roles = ["a,b", "c"]
        let device = Device(
            id: Array(repeating: 1, count: 16), accountID: account.id, secret: [], createdAt: noon, lastUsedAt: noon,
            expiresAt: noon, userAgent: nil, address: nil)
        let client = OAuthClient(id: "wiki")
        func fields(_ scopes: Scopes, _ account: Account) -> HTTPFields {
            ProtectedUser(
                AuthenticatedSession(account: account, device: device, client: client, scopes: scopes), at: client
            ).fields
        }
        let all = fields(["openid", "profile", "email"], account)
        #expect(all["Remote-Name"] == "Zo%C3%AB, 100%25 %F0%9F%98%80" && all["Remote-Groups"] == "a%2Cb,c")
        expectEqual(all["Remote-Email"], "ada@example.com")
        account.emailVerifiedAt = nil
        account.name = "a\r\nRemote-User: root"
        let fewer = fields(["openid", "profile", "email"], account)
        #expect(fewer["Remote-Email"] == "" && fewer["Remote-Name"] == "a%0D%0ARemote-User: root")
        expectEqual(fields(["openid"], account)["Remote-Name"], "")
        await site.close()
    }

    @Test func `An access token opens the application that it is for, and no other one`() async throws {
        let site = try await Self.site()
        let app = SignInApp(scope: "openid notes:read")
        var agent = UserAgent(site)
        func tokens(_ resource: String?) async throws -> Response {
            let code = try await agent.authorize(app, ["resource": resource]).parameters["code"] ?? ""
            return try await site.exchange(code, app)
        }
        let (own, api) = (try await tokens(ProtectedBrowser.origin), try await tokens(nil))
        var browser = ProtectedBrowser(site)
        func status(_ token: String, at origin: String = ProtectedBrowser.origin) async throws -> Int {
            try await browser.ask("/", origin: origin, fields: ["Authorization": "Bearer \(token)"]).status
        }
        try await expectEqual(status(own.accessToken), 200)
        try await expectEqual(status(own.accessToken, at: "https://files.example.com"), 401)
        try await expectEqual(status(api.accessToken), 401)
        try await expectEqual(status("x"), 401)
        let ended = try await site.form("/oauth/revoke", ["token": own.refreshToken, "client_id": "notes"])
        expectEqual(ended.status, 200)
        try await expectEqual(status(own.accessToken), 401)
        await site.close()
    }

    @Test func `A decision of the last second reads no row`() async throws {
        let site = try await Self.site()
        var browser = ProtectedBrowser(site)
        _ = try await browser.signIn()
        try await expectEqual(browser.ask("/").status, 200)
        await site.identity.flushMails()
        #expect(try await site.answersWithoutRead { try await expectEqual(browser.ask("/").status, 200) })
        await site.close()
    }

    @Test func `What a page loads does not count, and a flood of strangers does`() async throws {
        let site = try await Self.site { $0.requestLimitPerMinute = 5 }
        var (browser, stranger) = (ProtectedBrowser(site), ProtectedBrowser(site))
        _ = try await browser.signIn()
        for _ in 0..<20 { try await expectEqual(browser.ask("/").status, 200) }
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(try await stranger.ask("/").status) }
        #expect(statuses.first == 401 && statuses.last == 429)
        try await expectEqual(browser.ask("/").status, 200)
        await site.close()
    }

    @Test func `The endpoint exists only if a client has it`() async throws {
        let site = try await Site.authorizing()
        var browser = ProtectedBrowser(site)
        try await expectEqual(browser.ask("/").status, 404)
        await site.close()
    }

    @Test(arguments: [
        "a;forward_auth=http://a.example", "a;forward_auth=https://a.example/", "a;forward_auth=https://*.example",
        "a;forward_auth=https://A.example", "a;forward_auth=https://a.example,https://a.example", "a;forward_auth",
    ])
    func `An origin is as browsers write it`(word: String) {
        expectNil(OAuthClient(word: word))
    }

    @Test func `A client with applications needs no other member, and some do not fit to it`() async throws {
        var configuration = IdentityConfiguration()
        let word =
            "a;forward_auth=https://a.example,http://127.0.0.1:8080;forward_auth_scopes=a:read;forward_auth_roles=x"
        let client = try #require(OAuthClient(word: word))
        expectEqual(OAuthClient(word: client.word), client)
        configuration.clients = [client]
        let registered = try #require(try await OAuthClients(configuration).client("a"))
        #expect(registered.isTrusted && registered.grants.contains(.authorizationCode))
        #expect(registered.allows(redirect: "https://a.example/.latch/callback"))
        for words in [
            ["a;forward_auth=https://a.example", "b;forward_auth=https://a.example"], ["a;forward_auth_roles=x"],
            ["a;forward_auth=https://a.example;require_pushed_authorization_requests"],
            ["a;forward_auth=https://a.example;require_nonce"],
            ["a;forward_auth=https://a.example;unverified_email"],
        ] {
            configuration.clients = words.compactMap { OAuthClient(word: $0) }
            #expect(throws: IdentityError.self, "\(words)") { try OAuthClients(configuration) }
        }
    }
}
