// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestSupport
import TestTags
import Testing

/// The modules of the conformance suite about the algorithm of logout tokens, as in `AdvancedSecurityTests`.
@Suite struct LogoutTokenTests {
    /// Returns a provider that publishes keys of two algorithms, the first of which signs ID tokens.
    private func provider() throws -> (ScriptedProvider, other: Key) {
        let provider = try ScriptedProvider(algorithm: .es256)
        let other = provider.key
        try provider.rotate(.rs256, keepingOld: true)
        provider.deviate {
            $0.metadata = { $0["id_token_signing_alg_values_supported"] = ["none", "RS256", "ES256"] }
        }
        return (provider, other)
    }

    @Test(.tags(.logoutTokenForgery))
    func `A high-security client (backchannel-logout-wrong-alg) refuses an algorithm that no ID token had`()
        async throws
    {
        let (provider, other) = try provider()
        let client = provider.client()
        _ = try await client.finish(provider.approve(try await client.begin()))
        let wrong = try provider.logoutToken(signedBy: other)
        await #expect(throws: OAuthError.invalidLogoutToken) { try await client.endedSession(ofLogoutToken: wrong) }
        try await expectEqual(client.endedSession(ofLogoutToken: provider.logoutToken()).subject, "ada")
    }

    @Test(.tags(.logoutTokenForgery))
    func `A high-security client (backchannel-logout-wrong-alg) refuses an algorithm that it has not chosen`()
        async throws
    {
        let (provider, other) = try provider()
        let client = provider.client { $0.idTokenAlgorithms = [.rs256] }
        let wrong = try provider.logoutToken(signedBy: other)
        await #expect(throws: OAuthError.invalidLogoutToken) { try await client.endedSession(ofLogoutToken: wrong) }
        try await expectEqual(client.endedSession(ofLogoutToken: provider.logoutToken()).subject, "ada")
    }

    @Test func `A client that has seen no ID token accepts logout tokens of each published algorithm`() async throws {
        let (provider, other) = try provider()
        let client = provider.client()
        try await expectEqual(client.endedSession(ofLogoutToken: provider.logoutToken(signedBy: other)).subject, "ada")
        try await expectEqual(client.endedSession(ofLogoutToken: provider.logoutToken(id: "j2")).subject, "ada")
    }

    @Test func `A client accepts logout tokens of each algorithm that its ID tokens had`() async throws {
        let (provider, other) = try provider()
        let client = provider.client()
        _ = try await client.finish(provider.approve(try await client.begin()))
        provider.deviate { deviations in
            deviations.metadata = { $0["id_token_signing_alg_values_supported"] = ["RS256", "ES256"] }
            deviations.claims = { $0["at_hash"] = nil }
            deviations.sign = { try JWT.sign($0, with: other) }
        }
        _ = try await client.finish(provider.approve(try await client.begin()))
        try await expectEqual(client.endedSession(ofLogoutToken: provider.logoutToken(signedBy: other)).subject, "ada")
    }

    @Test(.tags(.logoutTokenForgery))
    func `A high-security client (backchannel-logout-alg-none) refuses an unsigned token`() async throws {
        let (provider, _) = try provider()
        let claims = try JWT(unverified: provider.logoutToken()).claims
        let header = Base64URL.encode(Array(#"{"alg":"none","typ":"logout+jwt"}"#.utf8))
        let token = "\(header).\(Base64URL.encode(JSONValue.object(claims.members).serialized()))."
        await #expect(throws: OAuthError.invalidLogoutToken) {
            try await provider.client().endedSession(ofLogoutToken: token)
        }
    }
}
