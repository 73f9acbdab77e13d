// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// RFC 8628.
@Suite struct DeviceGrantTests {
    private func begin(_ site: Site, scope: String? = "openid email", as client: String = "tool") async throws
        -> Response
    {
        try await site.form("/oauth/device_authorization", ["client_id": client, "scope": scope])
    }

    private func poll(_ site: Site, _ begun: Response, as client: String = "tool") async throws -> Response {
        try await site.token([
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": begun.string("device_code"),
            "client_id": client,
        ])
    }

    private func enter(_ agent: inout UserAgent, _ code: String) async throws -> Response {
        try await agent.post("/device", form: FormEncoding.encode([("user_code", code)]))
    }

    @Test
    func `A sign-in of another device is refused for the operator's own apps, whatever they are allowed`() async throws
    {
        let site = try await Site.authorizing { $0.firstPartyGrants.insert(.deviceCode) }
        let refused = try await site.form("/oauth/device_authorization", ["scope": "openid"])
        #expect(refused.status == 400 && refused.oauthError == "unauthorized_client")
        await site.close()
    }

    @Test(arguments: Way.allCases)
    func `A sign-in of another device yields tokens once its user has approved it`(way: Way) async throws {
        let site = try await Site.authorizing(way)
        let begun = try await begin(site)
        #expect(begun.status == 200 && begun.number("interval") == 5 && begun.number("expires_in") == 600)
        expectEqual(begun.field(.cacheControl), "no-store")
        let issuer = try #require(site.identity.issuer)
        expectEqual(begun.string("verification_uri"), "\(issuer)/device")
        try await expectEqual(poll(site, begun).oauthError, "authorization_pending")
        var agent = UserAgent(site)
        // Opening the link fills the code in, and does nothing else.
        let link = String(begun.string("verification_uri_complete").dropFirst(issuer.count))
        let form = try await agent.get(link)
        #expect(form.text.contains(#"value="\#(begun.string("user_code"))""#))
        let login = try await enter(&agent, begun.string("user_code"))
        expectEqual(login.title, "Sign in")
        let decision = try await agent.signIn(login)
        expectEqual(decision.title, "Sign in another device?")
        for text in ["ada@example.com", "tool", begun.string("user_code"), "your email address"] {
            #expect(decision.text.contains(text), "\(text)")
        }
        site.clock.advance(by: 5)
        try await expectEqual(poll(site, begun).oauthError, "authorization_pending")
        try await expectEqual(agent.submit(decision).title, "The device is signed in")
        site.clock.advance(by: 5)
        let tokens = try await poll(site, begun)
        expectEqual(tokens.status, 200)
        let claims = try JWT(unverified: tokens.string("id_token")).claims
        #expect(claims.audience == ["tool"] && claims["c_hash"] == nil)
        #expect(try await site.accepts(tokens.accessToken))
        try await expectEqual(site.refreshGrant(tokens.refreshToken, as: "tool").status, 200)
        // The code is used up, on the device and on the page.
        try await expectEqual(poll(site, begun).oauthError, "invalid_grant")
        try await expectEqual(enter(&agent, begun.string("user_code")).status, 400)
        await site.close()
    }

    @Test func `A sign-in of another device is refused if its user refuses, and nowhere else`() async throws {
        let site = try await Site.authorizing()
        let begun = try await begin(site)
        var agent = UserAgent(site)
        let decision = try await agent.signIn(try await enter(&agent, begun.string("user_code").lowercased()))
        var stranger = UserAgent(site)
        try await expectEqual(stranger.submit(decision, [("refuse", "yes")]).title, "Sign in")
        try await expectEqual(agent.submit(decision, [("refuse", "yes")]).title, "The device is not signed in")
        try await expectEqual(poll(site, begun).oauthError, "access_denied")
        await site.close()
    }

    @Test(.tags(.deviceCodePolling))
    func `A sign-in of another device polls at its pace, and slower each time that it does not`() async throws {
        let site = try await Site.authorizing()
        let begun = try await begin(site)
        try await expectEqual(poll(site, begun).oauthError, "authorization_pending")
        site.clock.advance(by: 3)
        try await expectEqual(poll(site, begun).oauthError, "slow_down")
        site.clock.advance(by: 5)
        try await expectEqual(poll(site, begun).oauthError, "slow_down")
        site.clock.advance(by: 15)
        try await expectEqual(poll(site, begun).oauthError, "authorization_pending")
        site.clock.advance(by: 600)
        try await expectEqual(poll(site, begun).oauthError, "expired_token")
        await site.close()
    }

    @Test(.tags(.deviceCodePolling))
    func `A sign-in of another device is not found by guessing its code`() async throws {
        let site = try await Site.authorizing()
        let begun = try await begin(site)
        var agent = UserAgent(site)
        _ = try await agent.authorize(SignInApp())
        let wrong = UserCode(.system).text
        for _ in 0..<10 { try await expectEqual(enter(&agent, wrong).status, 400) }
        try await expectEqual(enter(&agent, wrong).status, 429)
        try await expectEqual(enter(&agent, begun.string("user_code")).status, 429)
        // What no code looks like costs no attempt, and says the same.
        site.clock.advance(by: 60)
        for _ in 0..<20 { try await expectEqual(enter(&agent, "hello").status, 400) }
        try await expectEqual(enter(&agent, begun.string("user_code")).title, "Sign in another device?")
        await site.close()
    }

    @Test(.tags(.deviceCodePolling))
    func `A sign-in of another device is not blocked by the guesses of others`() async throws {
        let site = try await Site.authorizing()
        let begun = try await begin(site)
        // A visitor learns nothing of a code, and uses nothing up.
        var stranger = UserAgent(site)
        for _ in 0..<50 { try await expectEqual(enter(&stranger, UserCode(.system).text).title, "Sign in") }
        try await site.signUp("mallory@example.com")
        _ = try await stranger.authorize(SignInApp(), [:], "mallory@example.com")
        for _ in 0..<11 { _ = try await enter(&stranger, UserCode(.system).text) }
        try await expectEqual(enter(&stranger, begun.string("user_code")).status, 429)
        var agent = UserAgent(site)
        let decision = try await agent.signIn(try await enter(&agent, begun.string("user_code")))
        expectEqual(decision.title, "Sign in another device?")
        await site.close()
    }

    @Test(.tags(.deviceCodePolling))
    func `A sign-in of another device begins, even if a dozen other networks begin ones`() async throws {
        let site = try await Site.authorizing()
        for network in 0..<50 {
            for _ in 0..<31 { _ = try await site.begin(from: "198.51.\(network).1") }
        }
        try await expectEqual(site.begin(from: "198.51.0.1"), 429)
        try await expectEqual(site.begin(from: "192.0.2.1"), 200)
        await site.close()
    }

    @Test func `A sign-in of another device cannot request an invented scope`() async throws {
        let site = try await Site.authorizing()
        let refused = try await begin(site, scope: "openid your-bank-says-press-continue")
        #expect(refused.status == 400 && refused.oauthError == "invalid_scope")
        await site.close()
    }

    @Test func `A sign-in of another device belongs to its client, and needs the grant`() async throws {
        let site = try await Site.authorizing()
        let begun = try await begin(site)
        try await expectEqual(poll(site, begun, as: "latch").oauthError, "invalid_grant")
        try await expectEqual(begin(site, as: "notes").oauthError, "unauthorized_client")
        try await expectEqual(begin(site, as: "nobody").oauthError, "invalid_client")
        try await expectEqual(begin(site, scope: "\"").oauthError, "invalid_scope")
        try await expectEqual(poll(site, begun).oauthError, "authorization_pending")
        await site.close()
    }

    @Test func `A sign-in of another device ends when its user signs out before it has its tokens`() async throws {
        let site = try await Site.authorizing()
        let begun = try await begin(site)
        var agent = UserAgent(site)
        let decision = try await agent.signIn(try await enter(&agent, begun.string("user_code")))
        _ = try await agent.submit(decision)
        let access = try await site.logIn().access
        _ = try await site.call(.post, "/auth/logout", bearer: access, ["allDevices": true])
        try await expectEqual(poll(site, begun).oauthError, "invalid_grant")
        await site.close()
    }

    @Test(arguments: SharedStore.all)
    func `A sign-in of another device gives its tokens to one of many polls, on two nodes`(store: SharedStore)
        async throws
    {
        let location = try await store.location()
        let site = try await Site.authorizing(storedAt: location)
        let other = try await Site.authorizing(in: site.folder, storedAt: location)
        let begun = try await begin(site)
        var agent = UserAgent(other)
        let decision = try await agent.signIn(try await enter(&agent, begun.string("user_code")))
        try await expectEqual(agent.submit(decision).title, "The device is signed in")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<16 { group.addTask { try await poll(number % 2 == 0 ? site : other, begun).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(statuses.sorted(), [200] + Array(repeating: 400, count: 15))
        await other.close()
        await site.close()
    }
}

extension Site {
    /// Returns the status of a device authorization that is begun in another network.
    fileprivate func begin(from address: String) async throws -> Int {
        var request = HTTPRequest(
            method: .post, scheme: origin.scheme, authority: origin.authority, path: "/oauth/device_authorization",
            fields: [.contentType: FormEncoding.mediaType], body: HTTPBody("client_id=tool"))
        request.context[RemoteAddress.self] = address
        return try await identity.handler.respond(to: request).status.rawValue
    }
}

@Suite struct UserCodeTests {
    @Test func `A user code has eight unambiguous letters`() {
        for _ in 0..<100 {
            let code = UserCode(.system)
            expectEqual(code.text.utf8.count, 9)
            #expect(code.letters.utf8.allSatisfy { "BCDFGHJKLMNPQRSTVWXZ".utf8.contains($0) })
            expectEqual(UserCode(typed: " \(code.text.lowercased()) "), code)
            // As phones and web pages write it (RFC 8628 §6.1).
            let dashed = code.letters.prefix(4) + "\u{2013}" + code.letters.dropFirst(4)
            expectEqual(UserCode(typed: "\u{A0}\(dashed)\t"), code)
        }
    }

    @Test(arguments: ["", "WDJB-MJH", "WDJB-MJHTX", "WDJB-MJH1", "WDJB-MJHA", "éDJBMJHT"])
    func `A user code in any other form is refused`(text: String) {
        expectNil(UserCode(typed: text))
    }
}
