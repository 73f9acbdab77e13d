// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Testing

@Suite struct BoundTokensTests {
    let issuer = ScriptedIssuer()
    let grant = PasswordGrant(username: "u", password: "p")
    let bound = #"{"access_token":"a0","refresh_token":"r0","token_type":"DPoP","expires_in":3600}"#

    private func key() throws -> DPoPKey { try DPoPKey.generate(clock: issuer.clock.wallClock()) }

    /// The claims and the header of a request's proof, whose signature is checked by the key that it shows.
    private func proof(of request: HTTPRequest) throws -> Claims {
        let text = try #require(request.fields["DPoP"])
        let jwt = try JWT(unverified: text)
        expectEqual(jwt.header.type, "dpop+jwt")
        return jwt.claims
    }

    @Test func `Tokens bound to a key prove the key at the token endpoint, and carry it from then on`() async throws {
        issuer.on(.ok, bound)
        let key = try key()
        let response = try await issuer.endpoint().tokens(for: grant, boundTo: key)
        expectEqual(response.tokens.key, key)
        expectEqual(response.tokens.tokenType, .dpop)
        let claims = try proof(of: try #require(issuer.requests.first))
        expectEqual(claims["htm"], "POST")
        expectEqual(claims["htu"], "https://id.example.com/oauth/token")
        expectNil(claims["ath"])
    }

    @Test func `Tokens bound to a key are requested once more with the issuer's nonce (RFC 9449 §8)`() async throws {
        let bound = bound
        issuer.on("/oauth/token") { request in
            let proof = try JWT(unverified: request.fields["DPoP"] ?? "").claims
            guard proof["nonce"] == "n1" else {
                return HTTPResponse(
                    status: .badRequest, fields: ["DPoP-Nonce": "n1", .contentType: "application/json"],
                    body: HTTPBody(#"{"error":"use_dpop_nonce"}"#))
            }
            return HTTPResponse(status: .ok, body: HTTPBody(bound))
        }
        let response = try await issuer.endpoint().tokens(for: grant, idempotencyKey: "k", boundTo: try key())
        expectEqual(response.tokens.access, "a0")
        expectEqual(issuer.requests.count, 2)
        expectEqual(issuer.requests.map { $0.fields[.idempotencyKey] }, ["k", "k"])
        expectEqual(issuer.requests[0].body, issuer.requests[1].body)
        try expectNotEqual(proof(of: issuer.requests[0])["jti"], proof(of: issuer.requests[1])["jti"])
    }

    @Test func `Tokens bound to a key are refused after two attempts if the nonce is never accepted`() async throws {
        issuer.on("/oauth/token") { _ in
            HTTPResponse(
                status: .badRequest, fields: ["DPoP-Nonce": "n1", .contentType: "application/json"],
                body: HTTPBody(#"{"error":"use_dpop_nonce"}"#))
        }
        await #expect(throws: OAuthError.useDPoPNonce) {
            try await issuer.endpoint().tokens(for: grant, boundTo: try key())
        }
        expectEqual(issuer.requests.count, 2)
    }

    @Test(arguments: [#","token_type":"Bearer""#, "", #","token_type":"mac""#])
    func `Tokens bound to a key are refused if the issuer binds nothing (RFC 9449 §5)`(type: String) async throws {
        issuer.on(.ok, #"{"access_token":"a0"\#(type)}"#)
        await #expect(throws: OAuthError.unacceptableTokenType) {
            try await issuer.endpoint().tokens(for: grant, boundTo: try key())
        }
    }

    @Test func `Tokens bound to a key are refreshed with their key by a session, which keeps it`() async throws {
        issuer.on(.ok, bound)
        let store = InMemoryTokenStore<Tokens>()
        let session = Session(tokenEndpoint: issuer.endpoint(), store: store)
        let key = try key()
        try await session.signIn(with: grant, at: issuer.endpoint(), boundTo: key)
        issuer.on(.ok, #"{"access_token":"a1","token_type":"dpop","expires_in":3600}"#)
        issuer.clock.advance(by: 3601)
        let refreshed = try await session.credential()
        expectEqual(refreshed.access, "a1")
        expectEqual(refreshed.key, key)
        expectEqual(store.load()?.key, key)
        try expectEqual(proof(of: try #require(issuer.requests.last))["htu"], "https://id.example.com/oauth/token")
    }
}
