// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@testable import LatchIdentity
@testable import LatchServer

/// An issuer with a path, behind a proxy that removes the path, and behind one that does not.
@Suite struct IssuerPathTests {
    private static func site(_ path: String = "/auth") async throws -> Site {
        let site = try await Site.authorizing { $0.issuer = "https://example.com\(path)" }
        return site
    }

    /// What the proxy makes of a path that a browser asks for.
    private func forwarded(_ path: String, removing prefix: String?) -> String {
        guard let prefix, path.hasPrefix(prefix + "/") else { return path }
        return String(path.dropFirst(prefix.count))
    }

    @Test(arguments: [nil, "/auth"])
    func `A user signs in and out, with the path in place and removed`(removed: String?) async throws {
        let site = try await Self.site()
        var agent = UserAgent(site)
        let app = SignInApp()
        let page = try await agent.get(forwarded("/auth" + app.path(), removing: removed))
        expectEqual(page.formAction, "/auth/login")
        let form = FormEncoding.encode([
            ("token", page.formToken), ("name", "ada@example.com"), ("password", Site.password),
        ])
        let back = try await agent.post(forwarded(page.formAction, removing: removed), form: form)
        expectEqual(back.parameters["iss"], "https://example.com/auth")
        let tokens = try await site.form(
            forwarded("/auth/oauth/token", removing: removed),
            [
                "grant_type": "authorization_code", "code": back.parameters["code"], "client_id": "notes",
                "code_verifier": app.verifier, "redirect_uri": app.redirect,
            ])
        expectEqual(tokens.status, 200)
        let user = try await site.get(forwarded("/auth/oauth/userinfo", removing: removed), bearer: tokens.accessToken)
        expectEqual(user.string("email"), "ada@example.com")
        let left = try await agent.get(
            forwarded("/auth/oauth/logout?id_token_hint=\(tokens.string("id_token"))", removing: removed))
        expectEqual(left.title, "You are signed out")
        await site.close()
    }

    @Test func `Each route of the server exists also below the path`() async throws {
        let (plain, site) = (try await Site.authorizing(), try await Self.site("/some/path"))
        let routes = try #require(plain.identity.handler as? Router).routes.map { ($0.method, $0.pattern) }
        let found = try #require(site.identity.handler as? Router).routes.map { "\($0.method) \($0.pattern)" }
        for (method, pattern) in routes {
            let below = pattern == "/" ? "/some/path" : "/some/path" + pattern
            #expect(found.contains("\(method) \(pattern)") && found.contains("\(method) \(below)"), "\(pattern)")
        }
        await plain.close()
        await site.close()
    }

    @Test(arguments: ["/auth", "/oauth", "/api", "/device", "/a/b"])
    func `The metadata is where OpenID and OAuth look for it`(path: String) async throws {
        let site = try await Self.site(path)
        for url in [
            "\(path)/.well-known/openid-configuration", "/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server\(path)", "/.well-known/oauth-authorization-server",
            "\(path)/.well-known/oauth-authorization-server", "/.well-known/openid-configuration\(path)",
        ] {
            let json = try await site.get(url)
            expectEqual(json.string("issuer"), "https://example.com\(path)", "\(url)")
            expectEqual(json.string("token_endpoint"), "https://example.com\(path)/oauth/token")
        }
        for url in ["\(path)/oauth/token", "/oauth/token"] {
            try await expectEqual(site.form(url, ["grant_type": "x"]).oauthError, "unsupported_grant_type", "\(url)")
        }
        await site.close()
    }

    @Test func `A path that means two routes is a page's for a form, and the API's for JSON`() async throws {
        let site = try await Self.site()
        // A JSON client of seed 001 whose proxy removes the path, and one whose proxy does not.
        let json: JSONValue = ["email": "ada@example.com", "password": .string(Site.password)]
        for path in ["/auth/login", "/auth/auth/login"] {
            try await expectEqual(site.post(path, json).status, 200, "\(path)")
        }
        let form = try await site.form("/auth/login", ["token": "x", "name": "ada"])
        expectEqual(form.title, "This sign-in has ended")
        await site.close()
    }

    @Test func `Pages of clients may call the endpoints below the path`() async throws {
        let site = try await Self.site()
        for path in ["/oauth/userinfo", "/auth/oauth/userinfo"] {
            let response = try await site.send(
                .options, path,
                fields: ["Origin": "https://notes.example.com", "Access-Control-Request-Method": "GET"])
            expectEqual(response.field("Access-Control-Allow-Origin"), "https://notes.example.com", "\(path)")
        }
        await site.close()
    }

    @Test func `The contents of calls below the path have the same limits`() async throws {
        let site = try await Self.site()
        let router = try #require(site.identity.handler as? Router)
        let limits = router.contentPolicy.limits
        let (plain, below) = (
            limits.filter { !$0.key.hasPrefix("/auth/") }, limits.filter { $0.key.hasPrefix("/auth/") }
        )
        #expect(!plain.isEmpty)
        expectEqual(below, Dictionary(uniqueKeysWithValues: plain.map { ("/auth" + $0.key, $0.value) }))
        await site.close()
    }
}
