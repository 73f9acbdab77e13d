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

/// The authentication context classes of a request (OpenID Connect Core §5.5.1.1, RFC 9470 §5).
@Suite struct AuthenticationClassTests {
    private let app = SignInApp(scope: "openid")

    /// A site whose user has a second factor.
    private func enrolled(
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> (site: Site, factor: AuthenticatorApp) {
        let site = try await Site {
            $0.clients = SignInApp.registrations
            $0.clientSecretDigests = ["web": ClientSecret.digest]
            change(&$0)
        }
        return (site, try await site.enrol().app)
    }

    private func acr(_ response: Response, at site: Site) async throws -> String? {
        let tokens = try await site.exchange(response.parameters["code"] ?? "", app)
        return try JWT(unverified: tokens.string("id_token")).claims.string("acr")
    }

    @Test(arguments: [
        (#"{"id_token":{"acr":{"essential":true,"values":["2"]}}}"#, "unmet_authentication_requirements"),
        (#"{"id_token":{"acr":{"essential":true,"value":"urn:example:gold"}}}"#, "unmet_authentication_requirements"),
        (#"{"id_token":{"acr":{"essential":true,"values":["urn:example:gold","1"]}}}"#, nil),
        (#"{"id_token":{"acr":{"value":"2"}}}"#, nil), (#"{"id_token":{"acr":{"essential":true}}}"#, nil),
        (#"{"id_token":{"acr":null}}"#, nil),
    ])
    func `A request for an essential class that the user cannot reach fails at the client`(
        claims: String, error: String?
    ) async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        for _ in 0..<2 {
            let response = try await agent.authorize(app, ["claims": claims])
            #expect(response.parameters["error"] == error && (response.parameters["code"] == nil) == (error != nil))
        }
        await site.close()
    }

    @Test func `A client whose users need a second factor gets no tokens without one, in any way`() async throws {
        let site = try await Site.authorizing { $0.clients[2].grants.insert(.password) }
        let tool = SignInApp(clientID: "tool", redirect: "http://127.0.0.1:9/callback", scope: "openid offline_access")
        let earlier = try await site.exchange(try await site.code(tool), tool)
        var configuration = site.identity.services.configuration
        for index in configuration.clients.indices { configuration.clients[index].requiresFactor = true }
        let next = try await Site.authorizing(in: site.folder) { $0.clients = configuration.clients }
        var agent = UserAgent(next)
        let refused = try await agent.authorize(app)
        expectEqual(refused.parameters["error"], "unmet_authentication_requirements")
        let grant = try await next.token([
            "grant_type": "password", "username": "ada@example.com", "password": Site.password, "client_id": "tool",
        ])
        #expect(grant.status == 400 && grant.oauthError == "unmet_authentication_requirements")
        let refresh = try await next.token([
            "grant_type": "refresh_token", "refresh_token": earlier.refreshToken, "client_id": "tool",
        ])
        expectEqual(refresh.oauthError, "invalid_grant")
        let device = try await next.form("/oauth/device_authorization", ["client_id": "tool"])
        let page = try await agent.post(
            "/device", form: FormEncoding.encode([("user_code", device.string("user_code"))]))
        #expect(page.status == 400 && page.title == "This app needs a second factor")
        await next.close()
        await site.close()
    }

    @Test func `A client whose users need a second factor gets tokens of a user who has used it`() async throws {
        let (site, factor) = try await enrolled { $0.clients[0].requiresFactor = true }
        var browser = UserAgent(site)
        let page = try await browser.signIn(try await browser.get(app.path()))
        let done = try await browser.submit(page, [("code", factor.code(at: site.clock.now))])
        try await expectEqual(acr(done, at: site), "2")
        try await expectEqual(acr(try await browser.get(app.path(["acr_values": "2"])), at: site), "2")
        await site.close()
    }
}
