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

/// The modules of `oidcc-rp-initiated-logout-certification-test-plan`; Documentation/Conformance.md lists them.
@Suite struct LogoutPlanTests {
    /// A browser that is signed in, and the ID token of the client in it.
    private func signedIn(
        _ algorithm: SignatureAlgorithm = .es256
    ) async throws -> (SuitePeer, agent: UserAgent, hint: String) {
        var peer = try await SuitePeer.basic { $0.clients[0].idTokenAlgorithm = algorithm }.first
        peer.algorithm = algorithm
        var agent = UserAgent(peer.site)
        let hint = try await peer.signIn(&agent).tokens.string("id_token")
        return (peer, agent, hint)
    }

    private func path(_ parameters: [(String, String?)]) -> String {
        let sent = parameters.compactMap { name, value in value.map { (name, $0) } }
        return "/oauth/logout" + (sent.isEmpty ? "" : "?\(FormEncoding.encode(sent))")
    }

    /// Whether a silent request succeeds; otherwise it must be refused for the missing sign-in.
    private func isSignedIn(_ peer: SuitePeer, _ agent: UserAgent) async throws -> Bool {
        var agent = agent
        let answer = try await peer.callback(try await agent.get(try await peer.path(["prompt": "none"])))
        #expect(answer["code"] != nil || answer["error"] == "login_required")
        return answer["code"] != nil
    }

    @Test
    func `The metadata names the endpoint [oidcc-rp-initiated-logout-discovery-endpoint-verification]`() async throws {
        let site = try await SuitePeer.basic().first.site
        let metadata = try await site.get("/.well-known/openid-configuration")
        expectEqual(metadata.string("end_session_endpoint"), Site.issuer + "/oauth/logout")
        await site.close()
    }

    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func `A user is signed out and comes back [oidcc-rp-initiated-logout]`(algorithm: SignatureAlgorithm) async throws {
        var (peer, agent, hint) = try await signedIn(algorithm)
        #expect(try await isSignedIn(peer, agent))
        let left = try await agent.get(
            path([
                ("id_token_hint", hint), ("post_logout_redirect_uri", SuitePeer.logoutRedirect), ("state", "st&te 1"),
            ]))
        #expect(left.status == 303 && left.location.hasPrefix(SuitePeer.logoutRedirect + "?"))
        expectEqual(left.parameters, ["state": "st&te 1"])
        #expect(try await !isSignedIn(peer, agent))
        await peer.site.close()
    }

    @Test func `A sign-out needs no state [oidcc-rp-initiated-logout-no-state]`() async throws {
        var (peer, agent, hint) = try await signedIn()
        let left = try await agent.get(
            path([("id_token_hint", hint), ("post_logout_redirect_uri", SuitePeer.logoutRedirect)]))
        #expect(left.status == 303 && left.location == SuitePeer.logoutRedirect)
        #expect(try await !isSignedIn(peer, agent))
        await peer.site.close()
    }

    /// What the server is sent in place of the ID token and of the URL; nil for none.
    private func parameters(of module: String, _ peer: SuitePeer, _ hint: String) throws -> [(String, String?)] {
        var (sent, redirect): (String?, String) = (hint, SuitePeer.logoutRedirect)
        let parts = hint.split(separator: ".")
        switch module {
        case "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri": redirect += "/x"
        case "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri": redirect += "?foo=bar"
        case "oidcc-rp-initiated-logout-modified-id-token-hint":
            sent = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".\(parts[1])."
        case "oidcc-rp-initiated-logout-bad-id-token-hint":
            sent = try JWT.sign(try JWT(unverified: hint).claims, with: peer.signer.key)
        default: sent = nil
        }
        return [("id_token_hint", sent), ("post_logout_redirect_uri", redirect), ("state", "state")]
    }

    @Test(
        .tags(.logoutRedirect),
        arguments: [
            "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
            "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
            "oidcc-rp-initiated-logout-modified-id-token-hint", "oidcc-rp-initiated-logout-bad-id-token-hint",
            "oidcc-rp-initiated-logout-no-id-token-hint",
        ])
    func `A sign-out that nothing proves leads back to no client, and the user decides`(module: String) async throws {
        var (peer, agent, hint) = try await signedIn()
        let page = try await agent.get(path(try parameters(of: module, peer, hint)))
        #expect(page.location.isEmpty)
        #expect(
            page.status == 400 && page.title == "This sign-out cannot begin"
                || page.status == 200 && page.title == "Sign out?")
        #expect(try await isSignedIn(peer, agent))
        if page.status == 200 { try await expectEqual(agent.submit(page).title, "You are signed out") }
        await peer.site.close()
    }

    @Test(arguments: [
        "oidcc-rp-initiated-logout-no-params", "oidcc-rp-initiated-logout-only-state",
        "oidcc-rp-initiated-logout-no-post-logout-redirect-uri",
    ])
    func `A sign-out without a URL ends on a page of the server`(module: String) async throws {
        var (peer, agent, hint) = try await signedIn()
        let parameters: [(String, String?)] =
            switch module {
            case "oidcc-rp-initiated-logout-no-params": []
            case "oidcc-rp-initiated-logout-only-state": [("state", "state")]
            default: [("id_token_hint", hint), ("state", "state")]
            }
        var page = try await agent.get(path(parameters))
        // Without an ID token any page could have sent the user here.
        expectEqual(page.title == "Sign out?", parameters.count < 2)
        if page.title == "Sign out?" { page = try await agent.submit(page) }
        #expect(page.status == 200 && page.location.isEmpty && page.title == "You are signed out")
        #expect(try await !isSignedIn(peer, agent))
        await peer.site.close()
    }
}
