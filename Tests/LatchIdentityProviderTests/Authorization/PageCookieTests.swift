// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@testable import LatchIdentity
@testable import LatchSignIn

@Suite struct PageCookieTests {
    private func isSignedIn(_ agent: UserAgent) async throws -> Bool {
        var agent = agent
        return try await agent.get(SignInApp().path(["prompt": "none"])).parameters["code"] != nil
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8081"), ("http://localhost", "http://localhost:8080"),
        ("https://[::1]:1", "https://[::1]:2"),
    ])
    func `The cookies of several servers on a host leave a browser signed in at each`(first: String, second: String)
        async throws
    {
        let sites = [
            try await Site.authorizing { $0.issuer = first }, try await Site.authorizing { $0.issuer = second },
        ]
        var agents = sites.map { UserAgent($0) }
        _ = try await agents[0].authorize(SignInApp())
        // The same browser: it has one jar for all ports.
        agents[1].cookies = agents[0].cookies
        _ = try await agents[1].authorize(SignInApp())
        agents[0].cookies = agents[1].cookies
        for agent in agents { #expect(try await isSignedIn(agent)) }
        for site in sites { await site.close() }
    }

    @Test func `The cookies of several servers on a host have other names at other paths`() async throws {
        var names: Set<String> = []
        for path in ["", "/one", "/two"] {
            let site = try await Site { $0.issuer = "https://id.example.com\(path)" }
            let services = site.identity.services
            let cookies = PageCookies(
                issuer: services.accessTokens.issuer, pepper: services.pepper, clock: services.clock)
            names.insert(cookies.endedSession)
            await site.close()
        }
        expectEqual(names.count, 3)
    }

    @Test func `The cookies of several servers on a host have earlier names without port and path`() async throws {
        let site = try await Site.authorizing { $0.issuer = "https://id.example.com/" }
        var agent = UserAgent(site)
        _ = try await agent.authorize(SignInApp())
        // The digest of "1".
        #expect(agent.cookies.keys.contains("__Host-latch-session-a4ayc_80_OGda4BO"), "\(agent.cookies.keys)")
        await site.close()
    }

    @Test func `The cookies of several servers on a host are read under their earlier name`() async throws {
        let site = try await Site.authorizing { $0.issuer = "http://127.0.0.1:8080" }
        var agent = UserAgent(site)
        _ = try await agent.authorize(SignInApp())
        let services = site.identity.services
        let pair = try #require(agent.cookies.first { $0.key.hasPrefix("latch-session-") })
        var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:8080", path: "/")
        request.fields[.cookie] = "\(pair.key)=\(pair.value)"
        let session = try #require(
            PageCookies(
                issuer: services.accessTokens.issuer, pepper: services.pepper, clock: services.clock
            ).session(in: request))
        let earlier = EncryptedCookies(
            "latch-session", key: services.pepper.derived(for: "latch page cookies"), isSecure: false,
            lifetime: .seconds(3600), clock: services.clock)
        let field = try earlier.set(session, id: "1").split(separator: ";")[0].split(separator: "=", maxSplits: 1)
        var upgraded = UserAgent(site)
        upgraded.cookies[String(field[0])] = String(field[1])
        expectNotEqual(String(field[0]), pair.key)
        #expect(try await isSignedIn(upgraded))
        await site.close()
    }
}
