// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

/// What holds for each route of the server, also for one that is added later.
@Suite struct EveryRouteTests {
    /// The routes with paths that name something.
    private func routes(_ site: Site) throws -> [(method: HTTPMethod, pattern: String, path: String)] {
        let router = try #require(site.identity.handler as? Router)
        return router.routes.map { route in
            let parts = route.pattern.split(separator: "/", omittingEmptySubsequences: false)
            let path = parts.map { $0.hasPrefix("{") ? "x" : String($0) }.joined(separator: "/")
            return (route.method, route.pattern, path)
        }
    }

    private func site() async throws -> Site {
        let site = try await Site.authorizing {
            $0.issuer = Site.issuer
            $0.registration = .open
            $0.loginLimitPerMinute = 1000
            $0.requestLimitPerMinute = 1000
            $0.tokenLimitPerMinute = 1000
            $0.mailLimitPerHour = 1000
            $0.signUpLimitPerHour = 1000
        }
        return site
    }

    // MARK: Requests of other sites

    /// What a form of another site can send with the cookies of its visitor, without asking the server first.
    private static let forgeries: [HTTPFields] = [
        // The server's own pages have the origin `null`, too, since they have no referrer.
        ["Origin": "https://evil.example"], ["Origin": "null", "Sec-Fetch-Site": "cross-site"],
        ["Sec-Fetch-Site": "cross-site"],
        ["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"],
    ]

    /// The routes that answer a form without reading a cookie, and change nothing of a browser's user.
    private static let cookieless: Set<String> = ["POST /oauth/revoke", "POST /api/auth/passkeys/sign-in/options"]

    @Test(
        .tags(.crossSiteRequest), arguments: forgeries.indices,
        ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"])
    func `A form of another site changes nothing with its visitor's cookies, at any route`(
        index: Int, type: String
    ) async throws {
        let site = try await site()
        var agent = UserAgent(site)
        let app = SignInApp()
        _ = try await agent.authorize(app)
        let login = try await agent.send(
            .post, "/api/auth/clients/login", fields: [.contentType: "application/json"],
            body: HTTPBody(
                JSONValue.object(["email": "ada@example.com", "password": .string(Site.password)]).serialized()))
        #expect(login.status == 200 && agent.cookies.count >= 2)
        let account = try #require(try await site.identity.services.store.account(emailKey: "ada@example.com"))
        func state() async throws -> [String] {
            try await site.identity.services.store.devices(of: account.id, at: site.clock.now).map(\.publicID).sorted()
        }
        let (before, mails) = (try await state(), site.mailer.messages.count)
        // The names of many forms at once; a route takes those that it knows.
        let form = FormEncoding.encode([
            ("email", "ada@example.com"), ("token", "x"), ("user_code", "BCDF-GHJK"), ("code", "x"),
            ("client_id", "notes"), ("post_logout_redirect_uri", "https://notes.example.com/bye"), ("refuse", "yes"),
        ])
        for route in try routes(site) where !route.method.isSafe {
            var forger = agent
            var fields = Self.forgeries[index]
            fields[.contentType] = type
            let response = try await forger.send(route.method, route.path, fields: fields, body: HTTPBody(form))
            let name = "\(route.method) \(route.pattern): \(response.status)"
            #expect(forger.received.isEmpty, "\(name)")
            let isAnswered = Self.cookieless.contains("\(route.method) \(route.pattern)")
            #expect(isAnswered || (300...499).contains(response.status), "\(name)")
        }
        try await expectEqual(state(), before)
        await site.identity.flushMails()
        expectEqual(site.mailer.messages.count, mails)
        // Both sessions of the browser work as before.
        var silent = agent
        #expect(try await silent.get(app.path(["prompt": "none"])).parameters["code"] != nil)
        try await expectEqual(agent.send(.post, "/api/auth/refresh-token").status, 200)
        await site.close()
    }

    // MARK: Caches

    /// The routes whose responses are the same for everybody.
    private static let common: Set<String> = [
        "GET /healthz", "GET /livez", "GET /readyz", "GET /metrics", "GET /passkey.js", "GET /password.js",
        "GET /favicon.ico",
        "GET /.well-known/jwks.json", "GET /.well-known/oauth-authorization-server",
        "GET /.well-known/openid-configuration", "GET /.well-known/webfinger", "GET /.well-known/change-password",
        "GET /.well-known/passkey-endpoints", "GET /api/openapi.json", "GET /api/auth/ways",
    ]

    @Test(.tags(.responseCaching), arguments: [true, false])
    func `No response of a route about a user is kept by a cache, also if it is an error`(isSignedIn: Bool)
        async throws
    {
        let site = try await site()
        let account = try #require(try await site.identity.services.store.account(emailKey: "ada@example.com"))
        _ = try await site.identity.administration.setRole(of: account.id, to: .superAdmin)
        for route in try routes(site) {
            let name = "\(route.method) \(route.pattern)"
            // Some of them sign out, or remove the account.
            let token = isSignedIn ? try await site.logIn().access : ""
            var fields: HTTPFields = isSignedIn ? [.authorization: "Bearer \(token)"] : [:]
            if !route.method.isSafe { fields[.contentType] = "application/json" }
            let response = try await site.send(
                route.method, route.path, fields: fields, body: route.method.isSafe ? .empty : HTTPBody("{}"))
            let policy = response.field(.cacheControl) ?? ""
            if Self.common.contains(name) {
                let isDiscovery = name.hasPrefix("GET /.well-known/") && response.status == 200
                if isDiscovery { #expect(policy.contains("max-age"), "\(name): \(policy)") }
            } else {
                #expect(policy.contains("no-store"), "\(name): \(response.status) \(policy)")
            }
        }
        await site.close()
    }
}
