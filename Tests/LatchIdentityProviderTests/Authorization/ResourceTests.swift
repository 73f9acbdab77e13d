// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Testing

@testable import LatchIdentity

/// Several resource servers at one auth server (RFC 8707).
@Suite struct ResourceTests {
    private static let api = "https://api.example.com"
    private static let tools = "https://tools.example.com/mcp"
    private static let open = "https://open.example.com"

    private func site(_ way: Way = .inProcess) async throws -> Site {
        try await Site.authorizing(way) {
            $0.audience = Self.api
            $0.resources = [
                ResourceServer(Self.tools, scopes: ["tools:use", "tools:admin"]), ResourceServer(Self.open),
            ]
            $0.clients += [
                OAuthClient(id: "tv", grants: [.deviceCode, .refreshToken], idTokenAlgorithm: .es256),
                OAuthClient(id: "job", isConfidential: true, grants: [.clientCredentials]),
            ]
            $0.clientSecretDigests["job"] = ClientSecret.digest
        }
    }

    private func foreign(_ scope: String?) -> SignInApp {
        SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: scope)
    }

    private func code(
        _ site: Site, _ app: SignInApp, at resources: [String]
    ) async throws -> String {
        var agent = UserAgent(site)
        var page = try await agent.get(path(app, at: resources))
        if page.status == 200 { page = try await agent.signIn(page) }
        if page.status == 200 { page = try await agent.submit(page) }
        return page.parameters["code"] ?? "\(page.parameters["error"] ?? "") \(page.status)"
    }

    private func path(_ app: SignInApp, at resources: [String]) -> String {
        "/oauth/authorize?\(FormEncoding.encode(app.parameters() + resources.map { ("resource", $0) }))"
    }

    private func exchange(_ site: Site, _ code: String, _ app: SignInApp, at resources: [String]) async throws
        -> Response
    {
        try await token(
            site,
            [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", app.verifier),
                ("redirect_uri", app.redirect), ("client_id", app.clientID),
            ], at: resources)
    }

    private func refresh(
        _ site: Site, _ token: String, at resources: [String], scope: String? = nil
    ) async throws -> Response {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "foreign")]
        return try await self.token(site, fields + (scope.map { [("scope", $0)] } ?? []), at: resources)
    }

    private func token(_ site: Site, _ fields: [(String, String)], at resources: [String]) async throws -> Response {
        try await site.post("/oauth/token", form: FormEncoding.encode(fields + resources.map { ("resource", $0) }))
    }

    private func recipient(_ response: Response) throws -> (audience: [String], scopes: Set<String>) {
        let claims = try JWT(unverified: response.accessToken).claims
        return (claims.audience, Set((claims.string("scope") ?? "").split(separator: " ").map { String($0) }))
    }

    @Test(arguments: Way.allCases)
    func `A sign-in for two resource servers gives a token for each, with the scopes of that one`(way: Way) async throws
    {
        let site = try await site(way)
        let app = foreign("openid offline_access files:read tools:use")
        let first = try await exchange(site, try await code(site, app, at: [Self.tools, Self.api]), app, at: [])
        var (audience, scopes) = try recipient(first)
        #expect(audience == [Self.tools] && scopes == ["openid", "offline_access", "tools:use"])
        expectEqual(first.string("scope"), "openid offline_access tools:use")
        let second = try await refresh(site, first.refreshToken, at: [Self.api])
        (audience, scopes) = try recipient(second)
        #expect(audience == [Self.api] && scopes == ["openid", "offline_access", "files:read"])
        let third = try await refresh(site, second.refreshToken, at: [Self.tools], scope: "tools:use")
        (audience, scopes) = try recipient(third)
        #expect(audience == [Self.tools] && scopes == ["tools:use"])
        // A refresh does not widen the grant, and a refused one costs no token.
        try await expectEqual(refresh(site, third.refreshToken, at: [Self.open]).oauthError, "invalid_target")
        let both = try await refresh(site, third.refreshToken, at: [Self.tools, Self.api])
        expectEqual(both.oauthError, "invalid_target")
        try await expectEqual(refresh(site, third.refreshToken, at: []).status, 200)
        await site.close()
    }

    @Test func `A token for a resource server opens no route of the server but the claims about the user`() async throws
    {
        let site = try await site()
        let app = SignInApp(scope: "openid files:read tools:use")
        let tokens = try await exchange(site, try await code(site, app, at: [Self.tools]), app, at: [])
        let access = tokens.accessToken
        try expectEqual(recipient(tokens).audience, [Self.tools])
        try await expectEqual(site.get("/oauth/userinfo", bearer: access).status, 200)
        for path in ["/files", "/user/profile", "/api/auth/consents"] {
            let status = try await site.get(path, bearer: access).status
            #expect(status == 401 || status == 403, "\(path): \(status)")
        }
        // The API's token of the same app opens them.
        let own = try await exchange(site, try await code(site, app, at: []), app, at: [])
        try expectEqual(recipient(own).audience, [Self.api])
        try expectEqual(recipient(own).scopes, ["openid", "files:read"])
        try await expectEqual(site.get("/files", bearer: own.accessToken).status, 200)
        await site.close()
    }

    @Test func `The URL of a resource server is compared without case of scheme and host, default port and empty path`()
        async throws
    {
        let site = try await site()
        let app = foreign("openid tools:use")
        for name in ["HTTPS://Tools.Example.com:443/mcp", Self.tools] {
            let tokens = try await exchange(site, try await code(site, app, at: [name]), app, at: [name])
            try expectEqual(recipient(tokens).audience, [Self.tools])
        }
        let empty = try await exchange(site, try await code(site, app, at: [Self.open + "/"]), app, at: [])
        try expectEqual(recipient(empty).audience, [Self.open])
        for name in [
            "https://tools.example.com/MCP", "https://tools.example.com/mcp/", "https://tools.example.com/mcp#a",
        ] {
            #expect(try await code(site, app, at: [name]).hasPrefix("invalid_target"), "\(name)")
        }
        await site.close()
    }

    /// RFC 8707 §2.2: the resource of a token request is one of the authorization request.
    @Test func `A code gives no token for a resource server that its user did not see`() async throws {
        let site = try await site()
        let app = foreign("openid files:read tools:use")
        let own = try await code(site, app, at: [])
        try await expectEqual(exchange(site, own, app, at: [Self.tools]).oauthError, "invalid_target")
        try await expectEqual(exchange(site, own, app, at: [Self.api]).status, 200)
        // A third-party app needs a scope of the resource server, unless that has none.
        #expect(try await code(site, foreign("openid"), at: [Self.tools]).hasPrefix("invalid_target"))
        let open = foreign("openid")
        let tokens = try await exchange(site, try await code(site, open, at: [Self.open]), open, at: [])
        try expectEqual(recipient(tokens).audience, [Self.open])
        // For issue 34: neither a code nor a refresh token gives a token for userinfo in place of the API.
        let narrow = try await code(site, open, at: [])
        try await expectEqual(exchange(site, narrow, open, at: [Self.api]).oauthError, "invalid_target")
        let session = try await exchange(site, narrow, open, at: [])
        try await expectEqual(refresh(site, session.refreshToken, at: [Self.api]).oauthError, "invalid_target")
        await site.close()
    }

    @Test func `The consent page names the resource server, and a kept consent is for it only`() async throws {
        let site = try await site()
        let app = foreign("openid tools:use files:read")
        var agent = UserAgent(site)
        let page = try await agent.signIn(try await agent.get(path(app, at: [Self.tools])))
        #expect(page.status == 200 && page.text.contains("the service at \(Self.tools)"))
        let done = try await agent.submit(page)
        #expect(done.parameters["code"] != nil)
        #expect(try await agent.get(path(app, at: [Self.tools])).parameters["code"] != nil)
        // Another set of resource servers is another consent: a scope may be of several.
        let other = try await agent.get(path(app, at: [Self.tools, Self.api]))
        #expect(other.status == 200 && other.text.contains("the service at \(Self.api)"))
        #expect(try await agent.submit(other).parameters["code"] != nil)
        for resources in [[Self.tools], [Self.api, Self.tools]] {
            #expect(try await agent.get(path(app, at: resources)).parameters["code"] != nil)
        }
        try await expectEqual(agent.get(path(app, at: [Self.api])).status, 200)
        let silent = try await agent.get(path(app, at: [Self.open]) + "&prompt=none")
        expectEqual(silent.parameters["error"], "consent_required")
        await site.close()
    }

    @Test func `A client names only the resource servers of its registration`() async throws {
        let site = try await Site.authorizing {
            $0.audience = Self.api
            $0.resources = [ResourceServer(Self.tools, scopes: ["tools:use", "tools:admin"])]
            for index in $0.clients.indices where $0.clients[index].id == "foreign" {
                $0.clients[index].resources = [Self.tools]
            }
        }
        let app = foreign("openid tools:use files:read")
        #expect(try await code(site, app, at: [Self.api]).hasPrefix("invalid_target"))
        let tokens = try await exchange(site, try await code(site, app, at: []), app, at: [])
        // Without a name the token would be for the API: it only says who the user is.
        #expect(try recipient(tokens).audience != [Self.api] && tokens.string("scope") == "openid")
        // A scope that the user cannot have is none.
        let admin = foreign("openid tools:admin")
        #expect(try await code(site, admin, at: [Self.tools]).hasPrefix("invalid_target"))
        await site.close()
    }

    @Test func `A resource server that leaves the configuration costs no refresh token`() async throws {
        let folder = try TemporaryFolder()
        let app = foreign("openid offline_access tools:use")
        let site = try await Site.authorizing(in: folder) {
            $0.resources = [ResourceServer(Self.tools, scopes: ["tools:use"])]
            $0.scopes.insert("tools:use")
        }
        try await site.signUp()
        let tokens = try await exchange(site, try await code(site, app, at: [Self.tools]), app, at: [])
        await site.close()
        let other = try await Site.authorizing(in: folder) { $0.scopes.insert("tools:use") }
        for _ in 0..<2 {
            try await expectEqual(refresh(other, tokens.refreshToken, at: []).oauthError, "invalid_target")
        }
        await other.close()
        let again = try await Site.authorizing(in: folder) {
            $0.resources = [ResourceServer(Self.tools, scopes: ["tools:use"])]
        }
        try await expectEqual(refresh(again, tokens.refreshToken, at: []).status, 200)
        await again.close()
    }

    @Test func `A client whose registration loses the API keeps its refresh token`() async throws {
        let folder = try TemporaryFolder()
        func site(_ resources: [String]?) async throws -> Site {
            try await Site.authorizing(in: folder) {
                $0.audience = Self.api
                $0.resources = [ResourceServer(Self.tools)]
                for index in $0.clients.indices where $0.clients[index].id == "notes" {
                    $0.clients[index].resources = resources
                }
            }
        }
        let first = try await site(nil)
        try await first.signUp()
        let app = SignInApp(scope: "openid offline_access files:read")
        let token = try await first.exchange(try await first.code(app), app).refreshToken
        await first.close()
        let second = try await site([Self.tools])
        for _ in 0..<2 {
            try await expectEqual(second.refreshGrant(token, as: "notes").oauthError, "invalid_target")
        }
        await second.close()
        let third = try await site([Self.api])
        try await expectEqual(third.refreshGrant(token, as: "notes").status, 200)
        await third.close()
    }

    @Test func `A device code is for the resource servers of its request`() async throws {
        let site = try await site()
        let fields = [("client_id", "tv"), ("scope", "openid tools:use"), ("resource", Self.tools)]
        let begun = try await site.post("/oauth/device_authorization", form: FormEncoding.encode(fields))
        var agent = UserAgent(site)
        let typed = try await agent.post(
            "/device", form: FormEncoding.encode([("user_code", begun.string("user_code"))]))
        let page = try await agent.signIn(typed)
        #expect(page.text.contains("the service at \(Self.tools)"))
        _ = try await agent.submit(page)
        let tokens = try await token(
            site,
            [
                ("grant_type", OAuthClient.GrantType.deviceCode.rawValue), ("client_id", "tv"),
                ("device_code", begun.string("device_code")),
            ], at: [])
        let (audience, scopes) = try recipient(tokens)
        #expect(audience == [Self.tools] && scopes == ["openid", "tools:use"])
        await site.close()
    }

    @Test func `A client that acts for itself names the resource server of its token`() async throws {
        let site = try await site()
        let secret = [("client_id", "job"), ("client_secret", ClientSecret.text), ("grant_type", "client_credentials")]
        let tools = try await token(site, secret + [("scope", "tools:use files:read")], at: [Self.tools])
        let (audience, scopes) = try recipient(tools)
        #expect(audience == [Self.tools] && scopes == ["tools:use"])
        try expectEqual(
            recipient(try await token(site, secret + [("scope", "files:read")], at: [])).audience, [Self.api])
        for resources in [[Self.tools, Self.open], ["https://other.example"]] {
            try await expectEqual(token(site, secret, at: resources).oauthError, "invalid_target")
        }
        await site.close()
    }

    @Test(arguments: [
        "https://tools.example.com/mcp#part", "tools", "ftp://tools.example.com",
        "https://tools.example.com;scopes=openid",
        "https://tools.example.com;name=x", "https://tools.example.com;scopes=a;scopes=b",
    ])
    func `A resource server that cannot be used is refused`(word: String) {
        #expect(throws: IdentityError.self) { try IdentityConfiguration(values: ["resources": word]) }
    }

    @Test func `Resource servers of a configuration read and write equally, as words and as tables`() throws {
        let words = "https://tools.example.com/mcp;scopes=tools:use,tools:admin https://open.example.com"
        let configuration = try IdentityConfiguration(values: ["resources": words])
        let setting = try #require(IdentityConfiguration.settings.first { $0.key == "resources" })
        expectEqual(setting.text(configuration), words)
        var other = IdentityConfiguration()
        try setting.applyTables?(setting.tables(configuration), &other)
        #expect(other.resources == configuration.resources && other.resources.count == 2)
    }

    @Test func `Two resource servers with one URL, or with the API's, are refused`() async throws {
        for resources in [
            [ResourceServer(Self.tools), ResourceServer("https://TOOLS.example.com/mcp")],
            [ResourceServer(Self.api + "/")],
        ] {
            await #expect(throws: IdentityError.self) {
                _ = try await Site.authorizing {
                    $0.audience = Self.api
                    $0.resources = resources
                }
            }
        }
    }
}
