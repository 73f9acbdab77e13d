// SPDX-License-Identifier: Apache-2.0

import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import Testing

@testable import LatchIdentity

/// The modules of the FAPI 2.0 plans that need the rules of a client's profile.
@Suite struct FAPIProfileTests {
    /// A client of the profile whose registration names no algorithms, and its key for RS256 and PS256.
    private func clientWithoutAlgorithms(signsRequests: Bool = false) async throws -> (SuitePeer, key: Key) {
        let key = try Key.generate(.rs256)
        var jwk = key.jwk
        jwk["alg"] = nil
        let first = try await SuitePeer.secure(signsRequests: signsRequests) {
            let keys = $0.clients[0].jwks?["keys"]?.arrayValue ?? []
            $0.clients[0].jwks = ["keys": .array(keys + [.object(jwk)])]
        }.first
        return (first, key)
    }

    /// FAPI 2.0 §5.3.2.1: the audience is the issuer as one string.
    static let audiences: [SuiteModule<JSONValue>] = [
        .init("par-test-array-as-audience-fails", [.string(Site.issuer), "https://other1.example"]),
        .init("par-test-par-endpoint-url-as-audience-fails", .string(Site.issuer + "/oauth/par")),
        .init("par-test-token-endpoint-url-as-audience-fails", .string(Site.issuer + "/oauth/token")),
    ]

    @Test(arguments: audiences)
    func `An assertion is for the issuer alone, as one string`(module: SuiteModule<JSONValue>) async throws {
        let peer = try await SuitePeer.secure().first
        let assertion = try peer.signer.assertion(for: peer.site, ["aud": module.change])
        let errors = ["invalid_client", "invalid_request"]
        peer.expect(try await peer.push(assertion: assertion), errors, in: module.name)
        await peer.site.close()
    }

    /// FAPI 2.0 §5.4: PS256, ES256 and EdDSA only.
    @Test
    func `A client signs no assertion with RS256 [ensure-signed-client-assertion-with-RS256-fails]`() async throws {
        let (peer, key) = try await clientWithoutAlgorithms()
        let refused = try await peer.exchange("ac1.x", assertion: try peer.signer.assertion(for: peer.site, with: key))
        peer.expect(refused, ["invalid_client"])
        await peer.site.close()
    }

    @Test
    func `A client signs no request with RS256 [ensure-signed-request-object-with-RS256-fails]`() async throws {
        let (peer, key) = try await clientWithoutAlgorithms(signsRequests: true)
        let form = [("client_id", peer.clientID), ("request", try peer.requestObject(by: key))]
        peer.expect(
            try await peer.post("/oauth/par", form, proofs: []), ["invalid_request_object", "invalid_request"])
        await peer.site.close()
    }

    /// FAPI 2.0 §5.3.2.1 permits no rotation, or wants the previous token to work for some time.
    ///
    /// The suite waits for 31 seconds, and the default of `replay_window` is 30: a profile makes it longer.
    @Test
    func `A refresh token works again half a minute after its use [refresh-token]`() async throws {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let tokens = try await peer.signIn(&agent, ["scope": "openid offline_access", "prompt": "consent"]).tokens
        try await peer.idToken(in: try await peer.refresh(tokens.refreshToken))
        peer.site.clock.advance(by: 31)
        try await peer.idToken(in: try await peer.refresh(tokens.refreshToken))
        await peer.site.close()
    }
}
