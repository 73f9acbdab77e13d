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
import TestTags
import Testing

@testable import LatchIdentity

/// The modules of `oidcc-frontchannel-rp-initiated-logout-certification-test-plan`; Documentation/Conformance.md lists
/// them.
@Suite struct FrontChannelPlanTests {
    private static let uri = "https://notes.example.com/frame?tenant=a&b=c"
    private static let bye = "https://notes.example.com/bye"

    private static func site(change: (inout IdentityConfiguration) -> Void = { _ in }) async throws -> Site {
        try await Site.authorizing { configuration in
            configuration.clients[0].frontchannelLogoutURI = Self.uri
            configuration.clients[0].requiresFrontchannelSession = true
            configuration.clients[1].frontchannelLogoutURI = "https://foreign.example/frame"
            change(&configuration)
        }
    }

    private func tokens(
        _ agent: inout UserAgent, _ site: Site, _ app: SignInApp = SignInApp()
    ) async throws -> Response {
        try await site.exchange(try await agent.authorize(app).parameters["code"] ?? "", app)
    }

    private func path(_ hint: String, _ more: [(String, String)] = []) -> String {
        "/oauth/logout?" + FormEncoding.encode([("id_token_hint", hint)] + more)
    }

    /// The URLs of a page's frames.
    private func frames(_ page: Response) -> [String] {
        page.text.components(separatedBy: "<iframe src=\"").dropFirst().map { part in
            String(part.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
        }
    }

    private func policy(_ page: Response) -> String { page.field("Content-Security-Policy") ?? "" }

    @Test
    func `The metadata says so [oidcc-frontchannel-logout-discovery-endpoint-verification]`() async throws {
        let site = try await Self.site()
        let json = try await site.get("/.well-known/openid-configuration").json
        #expect(json["frontchannel_logout_supported"] == true && json["frontchannel_logout_session_supported"] == true)
        await site.close()
    }

    @Test func `A sign-out loads the page of the client with its session [oidcc-frontchannel-rp-initiated-logout]`()
        async throws
    {
        let site = try await Self.site()
        var agent = UserAgent(site)
        let session = try await tokens(&agent, site)
        let page = try await agent.get(
            path(session.string("id_token"), [("post_logout_redirect_uri", Self.bye), ("state", "s&t")]))
        #expect(page.status == 200 && page.title == "You are signed out" && page.location.isEmpty)
        let url = try #require(frames(page).first)
        #expect(frames(page).count == 1 && url.hasPrefix(Self.uri + "&"))
        // Our own library takes it for the session of the ID token.
        let issuer = try #require(site.identity.issuer.flatMap(URL.init(string:)))
        let client = AuthorizationClient(
            OAuthConfiguration(issuer: issuer, clientID: "notes"), transport: site.transport,
            clock: site.clock.wallClock())
        let ended = try client.endedSession(ofFrontChannel: try #require(URL(string: url)))
        expectEqual(ended?.sessionID, try JWT(unverified: session.string("id_token")).claims.string("sid"))
        // It then returns, without a script.
        #expect(page.text.contains(#"<meta http-equiv="refresh" content="3;url=\#(Self.bye)?state=s%26t">"#))
        #expect(page.text.contains(#"href="\#(Self.bye)?state=s%26t""#) && !page.text.contains("<script"))
        #expect(try await !site.accepts(session.accessToken))
        #expect(agent.cookies.keys.allSatisfy { !$0.contains("session") })
        await site.close()
    }

    @Test func `The page of a sign-out may load the clients' pages and nothing else`() async throws {
        let site = try await Self.site()
        var agent = UserAgent(site)
        let session = try await tokens(&agent, site)
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back")
        _ = try await tokens(&agent, site, foreign)
        let page = try await agent.get(path(session.string("id_token")))
        expectEqual(frames(page).count, 2)
        expectEqual(page.text.components(separatedBy: #"sandbox="allow-scripts allow-same-origin" hidden"#).count, 3)
        #expect(policy(page).hasPrefix("default-src 'none'; "))
        #expect(policy(page).hasSuffix("; frame-src https://foreign.example https://notes.example.com"))
        #expect(policy(page).contains("frame-ancestors 'none'") && page.field("Referrer-Policy") == "no-referrer")
        #expect(!page.text.contains("http-equiv=\"refresh\""))
        // Each client learns its own session ID.
        let ids = frames(page).map { $0.components(separatedBy: "sid=").last ?? "" }
        expectEqual(Set(ids).count, 2)
        await site.close()
    }

    @Test func `The page of a sign-out loads no page of a client that has no session in the browser`() async throws {
        let site = try await Self.site()
        var (agent, other) = (UserAgent(site), UserAgent(site))
        _ = try await tokens(&other, site)
        let tool = SignInApp(clientID: "tool", redirect: "http://127.0.0.1:9/callback")
        let session = try await tokens(&agent, site, tool)
        // One that has revoked its token has signed its user out itself.
        let own = try await tokens(&agent, site)
        _ = try await site.form("/oauth/revoke", ["token": own.refreshToken, "client_id": "notes"])
        let page = try await agent.get(path(session.string("id_token")))
        #expect(page.title == "You are signed out" && frames(page).isEmpty && !policy(page).contains("frame-src"))
        await site.close()
    }

    @Test func `A sign-out that the user confirms loads the pages, too`() async throws {
        let site = try await Self.site()
        var agent = UserAgent(site)
        _ = try await tokens(&agent, site)
        let page = try await agent.submit(try await agent.get("/oauth/logout"))
        #expect(page.title == "You are signed out" && frames(page).count == 1)
        await site.close()
    }

    @Test func `The page of a client is one of its own, of https or of this machine`() throws {
        let word =
            "a;frontchannel_logout_uri=https://a.example/x;frontchannel_logout_session_required"
            + ";grants=authorization_code;redirects=https://a.example/back"
        let client = try #require(OAuthClient(word: word))
        #expect(OAuthClient(word: client.word) == client && client.requiresFrontchannelSession)
        for url in ["http://a.example/", "a://logout", "https://a.example/#b", "x", ""] {
            expectNil(OAuthClient(word: "a;frontchannel_logout_uri=\(url)"), "\(url)")
        }
        var configuration = IdentityConfiguration()
        configuration.clients = [client]
        _ = try OAuthClients(configuration)
        for url in ["https://b.example/x", "https://a.example:8443/x", "a://logout"] {
            configuration.clients[0].frontchannelLogoutURI = url
            #expect(throws: IdentityError.self, "\(url)") { try OAuthClients(configuration) }
        }
    }
}
