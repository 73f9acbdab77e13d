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

/// The signed response modes (JWT Secured Authorization Response Mode).
@Suite(.tags(.responseMode)) struct SignedResponseTests {
    private let app = SignInApp()

    /// Returns the claims of a response, which a key of the server has signed for the app.
    private func claims(_ text: String?, at site: Site) async throws -> Claims {
        let keys = try KeySet(jwks: .object(await site.get("/.well-known/jwks.json").json))
        let verifier = JWTVerifier(
            keys: keys, algorithms: [.es256], issuer: site.identity.issuer, audience: app.clientID,
            clock: site.clock.wallClock())
        return try verifier.verify(try #require(text))
    }

    @Test(arguments: ["jwt", "query.jwt"])
    func `A signed response has code, state and issuer in its one parameter`(mode: String) async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let done = try await agent.authorize(app, ["response_mode": mode])
        expectEqual(Set(done.parameters.keys), ["response"])
        let claims = try await claims(done.parameters["response"], at: site)
        #expect(claims.string("state") == app.state && claims.string("nonce") == nil)
        let end = try #require(claims["exp"]?.doubleValue)
        #expect(end <= site.clock.now.timeIntervalSince1970 + 600)
        try await expectEqual(site.exchange(try #require(claims.string("code")), app).status, 200)
        await site.close()
    }

    @Test func `A signed response has the algorithm that its client has registered for it`() async throws {
        let site = try await Site.authorizing { $0.clients[0].responseAlgorithm = .eddsa }
        var agent = UserAgent(site)
        let done = try await agent.authorize(app, ["response_mode": "jwt"])
        try expectEqual(JWT(unverified: done.parameters["response"] ?? "").header.algorithm, .eddsa)
        await site.close()
    }

    @Test func `A signed response by a form, and the errors of a request, are signed too`() async throws {
        let site = try await Site.authorizing()
        var agent = UserAgent(site)
        let page = try await agent.authorize(app, ["response_mode": "form_post.jwt"])
        let text = page.between(#"name="response" value=""#, "\"")
        #expect(try await claims(text, at: site).string("code") != nil)
        let refused = try await agent.get(app.path(["response_mode": "jwt", "response_type": "token"]))
        let error = try await claims(refused.parameters["response"], at: site)
        #expect(error.string("error") == "unsupported_response_type" && error.string("state") == app.state)
        expectNil(refused.parameters["error"])
        let unknown = try await agent.get(app.path(["response_mode": "fragment.jwt"]))
        expectEqual(unknown.parameters["error"], "invalid_request")
        let metadata = try await site.get("/.well-known/openid-configuration").json
        expectEqual(metadata["authorization_signing_alg_values_supported"]?.arrayValue?.contains("ES256"), true)
        await site.close()
    }
}
