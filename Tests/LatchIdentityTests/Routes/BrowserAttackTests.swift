// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct BrowserAttackTests {
    @Test(.tags(.loginForgery), arguments: [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")])
    func `A page of another site cannot sign a browser in as another user`(name: String, value: String) async throws {
        let site = try await Site()
        try await site.signUp()
        let credentials: JSONValue = ["email": "ada@example.com", "password": .string(Site.password)]
        let forged = try await site.post(
            "/api/auth/clients/login", credentials, fields: [HTTPFieldName(name): value])
        #expect(forged.status == 403 && forged.field(.setCookie) == nil)
        // A form can be sent without asking the server first, unlike JSON.
        let form = try await site.post("/api/auth/clients/login", form: "email=ada@example.com&password=x")
        #expect(form.status == 415 && form.field(.setCookie) == nil)
        try await expectEqual(site.logIn().status, 200)
    }

    @Test(.tags(.crossOriginReading), arguments: ["/user/profile", "/oauth/token", "/api/auth/refresh-token"])
    func `A page of another site can read no response, with or without a preflight request`(path: String) async throws {
        let site = try await Site()
        // Any page may ask whether it may call the endpoint of clients, which says nothing of one.
        for method in [HTTPMethod.options, .get, .post] where method != .options || path != "/oauth/token" {
            let response = try await site.send(
                method, path,
                fields: ["Origin": "https://evil.example", "Access-Control-Request-Method": "POST"])
            for line in response.response.fields {
                #expect(!line.name.canonicalName.hasPrefix("access-control-"), "\(line.name)")
            }
        }
    }
}

@Suite struct SessionCookieTests {
    @Test(.tags(.loginForgery))
    func `The cookie of a session is not used if another host of the site has set one beside it`() async throws {
        let site = try await Site()
        try await site.signUp()
        let (own, other) = (try await site.logIn().refresh, try await site.logIn().refresh)
        let refresh = { (cookies: String) in
            try await site.post("/api/auth/refresh-token", [:], fields: ["Cookie": cookies])
        }
        try await expectEqual(refresh("refreshToken=\(other); refreshToken=\(own)").status, 400)
        try await expectEqual(refresh("refreshToken=\(own); theme=dark; refreshToken=\(own)").status, 200)
        await site.close()
    }

    @Test(.tags(.sessionFixation))
    func `The cookie of a session is new after a login, and does not adopt an existing one`() async throws {
        let site = try await Site()
        try await site.signUp()
        try await site.signUp("eve@example.com")
        let planted = try await site.logIn("eve@example.com").refresh
        let login = try await site.post(
            "/api/auth/clients/login", ["email": "ada@example.com", "password": .string(Site.password)],
            fields: ["Cookie": "refreshToken=\(planted)"])
        #expect(login.status == 200 && login.refresh != planted)
        // The planted session stays its owner's.
        let profile = try await site.get("/user/profile", bearer: try await site.renew(planted).access)
        expectEqual(profile.string("email"), "eve@example.com")
        try await expectEqual(site.get("/user/profile", bearer: login.access).string("email"), "ada@example.com")
    }

    @Test(.tags(.cookieAttributes))
    func `The cookie of a session is hidden from scripts, other sites, other paths and plain http`() async throws {
        let site = try await Site { $0.issuer = "https://id.example.com" }
        try await site.signUp()
        let cookie = try #require(try await site.logIn().field(.setCookie))
        let attributes = Set(cookie.split(separator: "; ").dropFirst())
        #expect(attributes.isSuperset(of: ["Path=/api/auth", "HttpOnly", "SameSite=Strict", "Secure"]), "\(cookie)")
        #expect(!attributes.contains { $0.hasPrefix("Domain") })
    }
}

@Suite struct PasswordlessLoginTests {
    @Test(.tags(.emptyPassword), arguments: [JSONValue.string(""), .string(" "), .null, .array([])])
    func `A login without a password reaches no account, not even one without a password`(password: JSONValue)
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        for address in ["ada@example.com", "nobody@example.com"] {
            let response = try await site.post(
                "/api/auth/clients/login", ["email": .string(address), "password": password])
            #expect((400...401).contains(response.status), "\(response.status)")
            #expect(response.access.isEmpty && response.field(.setCookie) == nil)
        }
        let empty = try await site.post(
            "/oauth/token", form: "grant_type=password&username=ada%40example.com&password=")
        #expect(empty.status == 400 && empty.string("access_token").isEmpty)
    }
}
