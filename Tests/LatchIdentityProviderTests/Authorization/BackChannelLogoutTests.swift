// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

/// A relying party that receives logout tokens.
final class LogoutPeer: Handler {
    private let state = Mutex((requests: [HTTPRequest](), status: HTTPStatus.ok))

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func respond(with status: HTTPStatus) { state.withLock { $0.status = status } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let status = state.withLock { state in
            state.requests.append(request)
            return state.status
        }
        return HTTPResponse(status: status, fields: [.location: "https://elsewhere.example/"])
    }

    /// The logout tokens, in the order of their arrival.
    func tokens() throws -> [String] {
        requests.compactMap { request in
            request.body.text.flatMap { body in
                body.hasPrefix("logout_token=") ? String(body.dropFirst("logout_token=".count)) : nil
            }
        }
    }
}

/// OpenID Connect Back-Channel Logout 1.0.
@Suite struct BackChannelLogoutTests {
    private static let uri = "https://notes.example.com/logout?tenant=a"

    private static func site(
        _ peer: LogoutPeer, in folder: TemporaryFolder? = nil, storedAt location: String? = nil
    ) async throws -> Site {
        let site = try await Site(.inProcess, in: folder, storedAt: location, upstream: peer) { configuration in
            configuration.clients = SignInApp.registrations
            configuration.clients[0].backchannelLogoutURI = Self.uri
            configuration.clientSecretDigests = ["web": ClientSecret.digest]
        }
        if folder == nil { try await site.signUp() }
        return site
    }

    private func tokens(_ agent: inout UserAgent, _ site: Site, _ app: SignInApp = SignInApp()) async throws
        -> Response
    {
        try await site.exchange(try await agent.authorize(app).parameters["code"] ?? "", app)
    }

    private func signOut(_ agent: inout UserAgent, _ hint: Response) async throws {
        let path = "/oauth/logout?" + FormEncoding.encode([("id_token_hint", hint.string("id_token"))])
        try await expectEqual(agent.get(path).title, "You are signed out")
    }

    private func waiting(_ site: Site) async throws -> Int {
        try await site.identity.services.store.read { db throws(IdentityError) in
            try db.number("SELECT count(*) FROM client_notice")
        }
    }

    @Test func `A client is told that its session has ended, by a token that our own library accepts`() async throws {
        let peer = LogoutPeer()
        let site = try await Self.site(peer)
        var agent = UserAgent(site)
        let first = try await tokens(&agent, site)
        try await signOut(&agent, first)
        await site.identity.services.notices.flush()
        let request = try #require(peer.requests.first)
        #expect(peer.requests.count == 1 && request.method == .post && request.absoluteURL == Self.uri)
        expectEqual(request.fields[.contentType], "application/x-www-form-urlencoded")
        let text = try #require(try peer.tokens().first)
        let token = try JWT(unverified: text)
        let claims = try JWT(unverified: first.string("id_token")).claims
        #expect(token.header.type == "logout+jwt" && token.header.algorithm == .es256)
        expectEqual(Set(token.claims.members.keys), ["iss", "aud", "iat", "exp", "jti", "sub", "sid", "events"])
        #expect(token.claims["sub"] == claims["sub"] && token.claims["sid"] == claims["sid"])
        expectEqual((token.claims.int("exp") ?? 0) - (token.claims.int("iat") ?? 0), 120)
        let issuer = try #require(site.identity.issuer.flatMap(URL.init(string:)))
        let client = AuthorizationClient(
            OAuthConfiguration(issuer: issuer, clientID: "notes"), transport: site.transport,
            clock: site.clock.wallClock())
        let ended = try await client.endedSession(ofLogoutToken: text)
        #expect(ended.sessionID == claims.string("sid") && ended.subject == claims.subject)
        try await expectEqual(waiting(site), 0)
        await site.close()
    }

    @Test(.tags(.logoutTokenForgery)) func `A client is told by a token that opens nothing`() async throws {
        let peer = LogoutPeer()
        let site = try await Self.site(peer)
        var agent = UserAgent(site)
        try await signOut(&agent, try await tokens(&agent, site))
        await site.identity.services.notices.flush()
        let text = try #require(try peer.tokens().first)
        #expect(try await !site.accepts(text))
        try await expectEqual(site.refreshGrant(text, as: "notes").oauthError, "invalid_grant")
        // It is not a hint of the user either: the page asks.
        var other = UserAgent(site)
        _ = try await tokens(&other, site)
        let path = "/oauth/logout?" + FormEncoding.encode([("id_token_hint", text)])
        try await expectEqual(other.get(path).title, "Sign out?")
        await site.close()
    }

    @Test(arguments: ["password", "suspended", "everywhere", "other device", "deleted"])
    func `A client is told of each end of a session that is not its own request`(cause: String) async throws {
        let peer = LogoutPeer()
        let site = try await Self.site(peer)
        var agent = UserAgent(site)
        let session = try await tokens(&agent, site)
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        switch cause {
        case "password":
            _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
            let token = try #require(await site.mailedToken())
            _ = try await site.post(
                "/api/auth/reset-password", ["token": .string(token), "password": "An0ther!Secret"])
        case "suspended":
            _ = try await site.identity.administration.setStatus(of: account.id, to: .suspended, by: nil)
        case "deleted":
            _ = try await site.identity.administration.delete(account.id, isFinal: true, by: nil, because: "")
        case "everywhere":
            let access = try await site.logIn().access
            _ = try await site.call(.post, "/auth/logout", bearer: access, ["allDevices": true])
        default:
            let id = try JWT(unverified: session.accessToken).claims.string("sid") ?? ""
            _ = try await site.identity.administration.endSession(ofDevice: id, of: account.id)
        }
        await site.identity.services.notices.flush()
        let sent = try peer.tokens().map { try JWT(unverified: $0).claims.string("sid") }
        expectEqual(sent, [try JWT(unverified: session.string("id_token")).claims.string("sid")])
        await site.close()
    }

    /// Back-Channel Logout §2.7.
    @Test func `A client with a session of its own is told of the sign-out, and keeps its refresh token`() async throws
    {
        let peer = LogoutPeer()
        let site = try await Self.site(peer)
        var agent = UserAgent(site)
        let app = SignInApp(scope: "openid offline_access")
        let session = try await tokens(&agent, site, app)
        try await signOut(&agent, session)
        await site.identity.services.notices.flush()
        let claims = try JWT(unverified: try #require(try peer.tokens().first)).claims
        try expectEqual(claims["sid"], JWT(unverified: session.string("id_token")).claims["sid"])
        let refreshed = try await site.form(
            "/oauth/token",
            ["grant_type": "refresh_token", "refresh_token": session.refreshToken, "client_id": "notes"])
        expectEqual(refreshed.status, 200)
        await site.close()
    }

    @Test func `A client is not told of what it ends itself, and one without a URL is told nothing`() async throws {
        let peer = LogoutPeer()
        let site = try await Self.site(peer)
        var agent = UserAgent(site)
        let session = try await tokens(&agent, site)
        let revoked = try await site.form("/oauth/revoke", ["token": session.refreshToken, "client_id": "notes"])
        expectEqual(revoked.status, 200)
        let tool = SignInApp(clientID: "tool", redirect: "http://127.0.0.1:9/callback")
        let other = try await tokens(&agent, site, tool)
        try await signOut(&agent, other)
        await site.identity.services.notices.flush()
        #expect(peer.requests.isEmpty)
        await site.close()
    }

    @Test func `A client is told once of a session with several devices, and again until it accepts`() async throws {
        let peer = LogoutPeer()
        let site = try await Self.site(peer)
        peer.respond(with: .serviceUnavailable)
        var agent = UserAgent(site)
        let first = try await tokens(&agent, site)
        _ = try await tokens(&agent, site)
        try await signOut(&agent, first)
        await site.identity.services.notices.flush()
        expectEqual(peer.requests.count, 1)
        try await expectEqual(waiting(site), 1)
        await site.identity.services.notices.flush()
        expectEqual(peer.requests.count, 1)
        site.clock.advance(by: ClientNoticeQueue.firstPause)
        peer.respond(with: .noContent)
        await site.identity.services.notices.flush()
        expectEqual(peer.requests.count, 2)
        // A new token, which is valid for two minutes again.
        try expectEqual(Set(peer.tokens()).count, 2)
        try await expectEqual(waiting(site), 0)
        await site.close()
    }

    @Test(arguments: [HTTPStatus.internalServerError, .seeOther, .badRequest])
    func `A client that accepts no notice is given up after some attempts, which the audit log tells`(
        status: HTTPStatus
    ) async throws {
        let peer = LogoutPeer()
        let site = try await Self.site(peer)
        peer.respond(with: status)
        var agent = UserAgent(site)
        try await signOut(&agent, try await tokens(&agent, site))
        for _ in 0..<8 {
            await site.identity.services.notices.flush()
            site.clock.advance(by: 200)
        }
        expectEqual(peer.requests.count, ClientNoticeQueue.maximumAttempts)
        #expect(peer.requests.allSatisfy { $0.absoluteURL == Self.uri })
        try await expectEqual(waiting(site), 0)
        let entries = try await site.identity.audit.records(limit: 50)
        #expect(entries.contains { $0.event == "logout.abandoned" && $0.detail == "notes" })
        await site.close()
    }

    @Test(arguments: SharedStore.all)
    func `A client is told once by two servers, and by the other one after a crash`(store: SharedStore) async throws {
        let peer = LogoutPeer()
        let location = try await store.location()
        let site = try await Self.site(peer, storedAt: location)
        let other = try await Self.site(peer, in: site.folder, storedAt: location)
        var agent = UserAgent(site)
        let sessions = [try await tokens(&agent, site)]
        let account = try JWT(unverified: sessions[0].string("id_token")).claims.subject ?? ""
        _ = try await site.identity.services.store.revokeDevices(of: account, because: .administrator, at: noon)
        // As a server that takes a notice and stops.
        let taken = try await other.identity.services.store.claimNotice(at: noon, until: noon + 30)
        #expect(taken?.attempts == 1 && taken?.clientID == "notes")
        await site.identity.services.notices.flush()
        #expect(peer.requests.isEmpty)
        for node in [site, other] { node.clock.advance(by: 30) }
        async let one: Void = site.identity.services.notices.flush()
        async let two: Void = other.identity.services.notices.flush()
        _ = await (one, two)
        expectEqual(peer.requests.count, 1)
        try await expectEqual(waiting(site), 0)
        await other.close()
        await site.close()
    }

    @Test func `A client is told at a URL of https or of this machine, and the metadata says so`() async throws {
        for url in ["https://a.example/logout", "http://127.0.0.1:8080/logout"] {
            expectEqual(OAuthClient(word: "a;backchannel_logout_uri=\(url)")?.backchannelLogoutURI, url)
        }
        for url in ["http://a.example/", "a://logout", "https://a.example/#b", "https://u@a.example/", "x", ""] {
            expectNil(OAuthClient(word: "a;backchannel_logout_uri=\(url)"), "\(url)")
            var configuration = IdentityConfiguration()
            configuration.clients = [OAuthClient(id: "a", backchannelLogoutURI: url)]
            #expect(throws: IdentityError.self) { try OAuthClients(configuration) }
        }
        let site = try await Site()
        let json = try await site.get("/.well-known/openid-configuration").json
        #expect(json["backchannel_logout_supported"] == true && json["backchannel_logout_session_supported"] == true)
        await site.close()
    }
}
