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

private let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"
private let contoso = "72f988bf-86f1-41af-91ab-2d7cd011db47"
private let evil = "11111111-2222-3333-4444-555555555555"

private func microsoft(_ tenant: String = "common") throws -> ScriptedUpstream {
    try ScriptedUpstream(
        issuer: "https://login.microsoftonline.com/\(tenant)/v2.0",
        stated: "https://login.microsoftonline.com/{tenantid}/v2.0")
}

/// A user of a directory, as Microsoft describes them.
private func user(_ subject: String, of tenant: String, email: String) -> Claims {
    [
        "sub": .string(subject), "tid": .string(tenant), "email": .string(email),
        "iss": .string("https://login.microsoftonline.com/\(tenant)/v2.0"),
    ]
}

@Suite struct MicrosoftDirectoryTests {
    private static let words = "microsoft;client_id=m"
    private static let secrets = "microsoft=s"

    @Test(.tags(.tenantIssuer))
    func `Microsoft's directories each have their own issuer, and their own users`() async throws {
        let upstream = try microsoft()
        let site = try await Site.brokering(upstream, Self.words, secrets: Self.secrets)
        let users = [
            user("same", of: contoso, email: "a@contoso.example"),
            user("same", of: consumers, email: "b@outlook.example"),
        ]
        var ids: Set<String> = []
        for user in users {
            let signedIn = try await site.signIn(through: upstream, "microsoft", as: user)
            expectEqual(signedIn.status, 200)
            ids.insert(try await site.get("/user/profile", bearer: signedIn.access).string("id"))
        }
        expectEqual(ids.count, 2)
        await site.close()
    }

    @Test(.tags(.tenantIssuer))
    func `Microsoft's directories cannot speak for each other, nor for the template`() async throws {
        let upstream = try microsoft()
        let site = try await Site.brokering(upstream, Self.words, secrets: Self.secrets)
        for issuer in [
            "https://login.microsoftonline.com/\(evil)/v2.0", "https://login.microsoftonline.com/{tenantid}/v2.0",
            "https://login.microsoftonline.com/common/v2.0", "https://login.microsoftonline.com/\(contoso)/v2.0/",
            "https://evil.example/\(contoso)/v2.0",
        ] {
            var claims = user("x", of: contoso, email: "x@contoso.example")
            claims.issuer = issuer
            let page = try await site.signIn(through: upstream, "microsoft", as: claims)
            expectEqual(page.status, 502, "\(issuer)")
        }
        for tenant in ["{tenantid}", "common", "\(contoso)/../\(evil)", ""] {
            let page = try await site.signIn(
                through: upstream, "microsoft", as: user("x", of: tenant, email: "x@contoso.example"))
            // A word for several directories is an issuer of none; but one that is well formed names its own users.
            expectEqual(page.status, tenant == "common" ? 200 : 502, "\(tenant)")
        }
        await site.close()
    }

    @Test(.tags(.tenantIssuer)) func `Microsoft's directories are those in the configuration`() async throws {
        let upstream = try microsoft("organizations")
        let site = try await Site.brokering(
            upstream, Self.words + ";tenant=organizations;tenants=\(contoso.uppercased())", secrets: Self.secrets)
        let inside = user("in", of: contoso, email: "in@contoso.example")
        try await expectEqual(site.signIn(through: upstream, "microsoft", as: inside).status, 200)
        for tenant in [evil, consumers] {
            let page = try await site.signIn(
                through: upstream, "microsoft", as: user("out", of: tenant, email: "out@contoso.example"))
            expectEqual(page.status, 403)
            #expect(page.text.contains("error=tenant_not_allowed"))
        }
        try await expectNil(site.accountID("out@contoso.example"))
        await site.close()
    }
}

@Suite struct UpstreamAddressTests {
    @Test(.tags(.emailLinking))
    func `An address from a provider neither signs in to its account, nor links it`() async throws {
        let upstream = try microsoft()
        let site = try await Site.brokering(
            upstream, "microsoft;client_id=m;email_domains=example.com", secrets: "microsoft=s")
        try await site.signUp()
        var claims = user("attacker", of: evil, email: "ADA@example.com")
        for flag: JSONValue in [false, true, "1"] {
            claims["xms_edov"] = flag
            claims["email_verified"] = true
            let page = try await site.signIn(through: upstream, "microsoft", as: claims)
            expectEqual(page.status, 409)
            #expect(page.text.contains("You already have an account"))
            #expect(page.text.contains("notes://auth/callback?error=account_exists"))
        }
        let id = try #require(try await site.accountID("ada@example.com"))
        #expect(try await site.identity.services.store.links(of: id).isEmpty)
        #expect(try await site.tokens.devices(of: id).isEmpty)
        await site.close()
    }

    @Test(
        .tags(.emailLinking),
        arguments: [
            ("xms_edov", true, "example.com", true), ("email_verified", true, "example.com", false),
            ("xms_edov", true, "example.org", false), ("xms_edov", false, "example.com", false),
        ])
    func `An address from a provider counts as verified only if the provider decides about its domain`(
        flag: String, value: Bool, domain: String, isVerified: Bool
    ) async throws {
        let upstream = try microsoft()
        let site = try await Site.brokering(
            upstream, "microsoft;client_id=m;email_domains=\(domain)", secrets: "microsoft=s")
        var user = user("ada", of: contoso, email: "ada@example.com")
        user[flag] = .bool(value)
        let signedIn = try await site.signIn(through: upstream, "microsoft", as: user)
        let profile = try await site.get("/user/profile", bearer: signedIn.access)
        expectEqual(profile.json["emailVerified"], .bool(isVerified))
        await site.close()
    }

    @Test(.tags(.emailLinking))
    func `An address from a provider does not distinguish two issuers' users with one subject`()
        async throws
    {
        let upstream = try microsoft()
        let site = try await Site.brokering(upstream, "microsoft;client_id=m", secrets: "microsoft=s")
        let first = user("same", of: contoso, email: "ada@example.com")
        try await expectEqual(site.signIn(through: upstream, "microsoft", as: first).status, 200)
        let second = user("same", of: evil, email: "ada@example.com")
        try await expectEqual(site.signIn(through: upstream, "microsoft", as: second).status, 409)
        await site.close()
    }

    @Test(.tags(.accountPreHijack, .emailLinking))
    func `An address from a provider ends the links of strangers when its owner proves it`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        // A stranger signs up with the address, through a provider that lets them claim it.
        let stranger = try await site.signIn(through: upstream)
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let reset: JSONValue = ["token": .string(token), "password": "a sentence of the owner"]
        try await expectEqual(site.post("/api/auth/reset-password", reset).status, 200)
        try await expectEqual(site.get("/user/profile", bearer: stranger.access).status, 401)
        try await expectEqual(site.signIn(through: upstream).status, 409)
        try await expectEqual(site.logIn(password: "a sentence of the owner").status, 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `An address from a provider keeps the link of the session that proves it`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let signedIn = try await site.signIn(through: upstream)
        _ = try await site.post("/api/auth/resend-verification", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let verified = try await site.call(
            .post, "/api/auth/verify-email", bearer: signedIn.access, ["token": .string(token)])
        expectEqual(verified.status, 200)
        try await expectEqual(site.signIn(through: upstream).status, 200)
        await site.close()
    }
}

@Suite struct UpstreamAttackTests {
    @Test(.tags(.upstreamState))
    func `A provider's response is accepted once, in time, unchanged, and from the browser that began`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let begun = try await agent.get(UpstreamApp().path())
        let kept = agent.cookies
        let callback = try "/api/auth/staff/callback?" + upstream.approve(begun.location, as: Site.ada)
        // Another browser: without a cookie, and with that of an attempt of its own.
        var other = UserAgent(site)
        try await expectEqual(other.get(callback).status, 400)
        _ = try await other.get(UpstreamApp().path())
        try await expectEqual(other.get(callback).status, 400)
        // The cookie of another attempt under the name of this one, and a changed one.
        var forged = UserAgent(site)
        let value = try #require(kept.first)
        forged.cookies[value.key] = try #require(other.cookies.first?.value)
        try await expectEqual(forged.get(callback).status, 400)
        forged.cookies[value.key] = String(value.value.dropLast()) + (value.value.last == "A" ? "B" : "A")
        try await expectEqual(forged.get(callback).status, 400)
        // HEAD, as scanners send it, uses nothing up.
        try await expectEqual(agent.send(.head, callback).status, 400)
        agent.cookies = kept
        try await expectEqual(agent.get(callback).status, 302)
        // The same response with the same cookie, which somebody kept.
        agent.cookies = kept
        let replayed = try await agent.get(callback)
        expectEqual(replayed.status, 400)
        #expect(replayed.text.contains("This sign-in has ended"))
        await site.close()
    }

    @Test(.tags(.upstreamState)) func `A provider's response is taken within ten minutes`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let begun = try await agent.get(UpstreamApp().path())
        site.clock.advance(by: 601)
        let callback = try "/api/auth/staff/callback?" + upstream.approve(begun.location, as: Site.ada)
        try await expectEqual(agent.get(callback).status, 400)
        await site.close()
    }

    @Test(.tags(.upstreamState), arguments: SharedStore.all)
    func `A provider's response is accepted by any node, but by only one`(store: SharedStore) async throws {
        let (upstream, location) = (try ScriptedUpstream(), try await store.location())
        let site = try await Site.brokering(upstream, storedAt: location)
        var agent = UserAgent(site)
        let app = UpstreamApp()
        let begun = try await agent.get(app.path())
        let callback = try "/api/auth/staff/callback?" + upstream.approve(begun.location, as: Site.ada)
        let node = try await Site(in: site.folder, storedAt: location, upstream: upstream) {
            $0 = site.identity.services.configuration
        }
        var there = UserAgent(node)
        there.cookies = agent.cookies
        let returned = try await there.get(callback)
        expectEqual(returned.status, 302)
        try await expectEqual(agent.get(callback).status, 400)
        try await expectEqual(site.exchange(returned.parameters["code"] ?? "", app).status, 200)
        await node.close()
        await site.close()
    }

    @Test(.tags(.upstreamState)) func `A provider's response is not that of another provider`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(
            upstream,
            "staff;issuer=https://sso.example.com;client_id=latch evil;issuer=https://sso.example.com;client_id=latch",
            secrets: "staff=s evil=s")
        var agent = UserAgent(site)
        let begun = try await agent.get(UpstreamApp().path())
        let query = try upstream.approve(begun.location, as: Site.ada)
        try await expectEqual(agent.get("/api/auth/evil/callback?\(query)").status, 400)
        let page = try await agent.get("/api/auth/staff/callback?\(query)&iss=https%3A%2F%2Fevil.example")
        expectEqual(page.status, 502)
        await site.close()
    }

    @Test(.tags(.upstreamState)) func `A provider's response carries the nonce of its attempt`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var claims = Site.ada
        claims["nonce"] = "another"
        try await expectEqual(site.signIn(through: upstream, as: claims).status, 502)
        await site.close()
    }

    /// The ways in which a provider fails, and the errors that apps get.
    private static let failures: [String: (ScriptedUpstream.Deviations, String)] = {
        var all: [String: (ScriptedUpstream.Deviations, String)] = [:]
        func add(_ name: String, _ error: String, _ change: (inout ScriptedUpstream.Deviations) -> Void) {
            var deviations = ScriptedUpstream.Deviations()
            change(&deviations)
            all[name] = (deviations, error)
        }
        func onToken(_ respond: @escaping @Sendable () throws -> HTTPResponse)
            -> @Sendable (HTTPRequest) throws -> HTTPResponse?
        {
            { $0.path == "/token" ? try respond() : nil }
        }
        add("500", "temporarily_unavailable") {
            $0.response = onToken { HTTPResponse(status: .internalServerError) }
        }
        add("timeout", "temporarily_unavailable") { $0.response = onToken { throw HTTPError.timeout } }
        add("huge JSON", "server_error") {
            $0.response = onToken { HTTPResponse(status: .ok, body: HTTPBody(String(repeating: "[", count: 900_000))) }
        }
        add("no JSON", "server_error") { $0.response = onToken { HTTPResponse(status: .ok, body: HTTPBody("<p>")) } }
        add("redirect", "server_error") {
            $0.response = onToken { HTTPResponse(status: 307, fields: ["Location": "https://evil.example/"]) }
        }
        add("no ID token", "server_error") { $0.tokenResponse = { $0["id_token"] = nil } }
        // Signed with the provider's key.
        add("another audience", "server_error") { $0.claims = { $0.audience = ["another"] } }
        add("another issuer", "server_error") { $0.claims = { $0["iss"] = "https://another.example" } }
        add("expired", "server_error") { $0.claims = { $0["exp"] = .integer(1_000_000_000) } }
        add("another party of two", "server_error") {
            $0.claims = {
                $0.audience += ["another"]
                $0["azp"] = "another"
            }
        }
        add("unsigned", "server_error") {
            $0.sign = { claims in
                let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
                return "\(header).\(Base64URL.encode(JSONValue.object(claims.members).serialized()))."
            }
        }
        add("a key that it does not publish", "server_error") {
            let key = try? Key.generate(.rs256)
            $0.sign = { claims in
                guard let key else { throw HTTPError.timeout }
                return try JWT.sign(claims, with: key)
            }
        }
        add("no keys", "temporarily_unavailable") {
            $0.response = { $0.path == "/jwks" ? HTTPResponse(status: .internalServerError) : nil }
        }
        return all
    }()

    @Test(.tags(.upstreamFailure), arguments: failures.keys.sorted())
    func `A provider's response that is invalid leaves no account and no session, and shows the reason`(name: String)
        async throws
    {
        let upstream = try ScriptedUpstream()
        let (deviations, error) = try #require(Self.failures[name])
        upstream.deviate { $0 = deviations }
        let site = try await Site.brokering(upstream)
        let page = try await site.signIn(through: upstream)
        #expect(page.status >= 500, "\(name)")
        #expect(page.text.contains("notes://auth/callback?error=\(error)"), "\(name): \(page.text)")
        expectEqual(page.field(.contentType)?.hasPrefix("text/html"), true)
        #expect(!page.text.contains("code-") && !page.text.contains("access-"))
        try await expectNil(site.accountID("ada@example.com"))
        // The provider is well again, a minute later: keys that could not be fetched are not asked for immediately.
        upstream.deviate { $0 = ScriptedUpstream.Deviations() }
        site.clock.advance(by: 60)
        try await expectEqual(site.signIn(through: upstream).status, 200)
        await site.close()
    }

    @Test(.tags(.upstreamFailure))
    func `A provider's response that is an error passes no text of the provider on`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let begun = try await agent.get(UpstreamApp().path())
        let query = FormEncoding.encode([
            ("error", "<script>x</script>"), ("error_description", "Call 0900 123456"),
            ("state", begun.parameters["state"] ?? ""),
        ])
        let page = try await agent.get("/api/auth/staff/callback?\(query)")
        expectEqual(page.status, 502)
        #expect(!page.text.contains("script") && !page.text.contains("0900"))
        await site.close()
    }

    @Test(.tags(.upstreamFailure))
    func `A provider's response cannot be requested while the provider is away`() async throws {
        let upstream = try ScriptedUpstream()
        upstream.deviate { $0.response = { _ in throw HTTPError.timeout } }
        let site = try await Site.brokering(upstream)
        var agent = UserAgent(site)
        let page = try await agent.get(UpstreamApp().path())
        expectEqual(page.status, 503)
        #expect(page.text.contains("The provider isn&#39;t responding") && page.field(.retryAfter) != nil)
        await site.close()
    }

    @Test(.tags(.upstreamPKCE)) func `A provider's response with a stolen code is refused by its nonce`()
        async throws
    {
        let upstream = try ScriptedUpstream()
        // The provider does not check the verifier.
        upstream.deviate { $0.checksVerifier = false }
        let site = try await Site.brokering(upstream)
        var (victim, attacker) = (UserAgent(site), UserAgent(site))
        let stolen = try await upstream.approve(victim.get(UpstreamApp().path()).location, as: Site.ada)
        let begun = try await attacker.get(UpstreamApp().path())
        let code = try #require(ScriptedUpstream.parameters("?\(stolen)")["code"])
        let query = FormEncoding.encode([("code", code), ("state", begun.parameters["state"] ?? "")])
        try await expectEqual(attacker.get("/api/auth/staff/callback?\(query)").status, 502)
        try await expectNil(site.accountID("ada@example.com"))
        await site.close()
    }
}

@Suite struct UpstreamMetadataTests {
    @Test(
        .tags(.serverSideRequest),
        arguments: [
            "http://127.0.0.1:8080/jwks", "https://127.0.0.1/jwks", "https://localhost/jwks", "https://[::1]/jwks",
            "https://169.254.169.254/latest/meta-data", "https://2130706433/", "https://0x7f000001/",
            "https://10.0.0.1/x",
            "https://a.localhost/", "http://sso.example.com/jwks", "https://127.1/", "https://localhost./jwks",
            "https://a.localhost./", "https://metadata/", "https://[::ffff:127.0.0.1]/",
        ])
    func `A provider's metadata leads to no request within this machine or its network`(url: String) async throws {
        for member in ["jwks_uri", "token_endpoint", "userinfo_endpoint"] {
            let upstream = try ScriptedUpstream()
            upstream.deviate { $0.metadata = { $0[member] = .string(url) } }
            let site = try await Site.brokering(upstream)
            let page = try await site.signIn(through: upstream, as: ["sub": "carol"])
            #expect(page.status >= 500, "\(member)")
            expectEqual(upstream.hosts, ["sso.example.com"], "\(member)")
            #expect(upstream.requests.allSatisfy { $0.scheme == "https" })
            await site.close()
        }
    }

    @Test(
        .tags(.serverSideRequest), arguments: ["http://127.0.0.1/x", "https://localhost/x", "https://other.example/x"])
    func `A provider's metadata follows no redirect to another origin`(target: String) async throws {
        for path in ["/.well-known/openid-configuration", "/jwks", "/token", "/userinfo"] {
            let upstream = try ScriptedUpstream()
            upstream.deviate {
                $0.response = {
                    $0.path == path ? HTTPResponse(status: 302, fields: ["Location": target]) : nil
                }
            }
            let site = try await Site.brokering(upstream)
            let page = try await site.signIn(through: upstream, as: ["sub": "carol"])
            #expect(page.status >= 500, "\(path)")
            expectEqual(upstream.hosts, ["sso.example.com"], "\(path)")
            await site.close()
        }
    }
}
