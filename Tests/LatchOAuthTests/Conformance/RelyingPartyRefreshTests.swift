// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestSupport
import Testing

/// The modules of the conformance suite about refreshes, as in `RelyingPartyTests`.
@Suite struct RelyingPartyRefreshTests {
    private func refreshing(
        _ deviate: (inout ScriptedProvider.Deviations) -> Void
    ) async throws -> (Session<Tokens>, String?) {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let session = Session(client: client, store: InMemoryTokenStore())
        let tokens = try await client.finish(provider.approve(try await client.begin())).tokens
        try await session.signIn(tokens)
        provider.deviate(deviate)
        provider.clock.advance(by: .seconds(3_600))
        return (session, tokens.idToken)
    }

    @Test func `A relying party (refresh-token) refreshes, and takes the new ID token`() async throws {
        let (session, first) = try await refreshing { _ in }
        try await expectNotEqual(session.credential().idToken, first)
    }

    @Test
    func `A relying party (refresh-token-invalid-issuer) ends a session that another issuer continues`() async throws {
        let (session, _) = try await refreshing { $0.claims = { $0.issuer = "https://evil.example" } }
        await #expect(throws: AuthError.reauthenticationRequired) { try await session.credential() }
    }

    @Test
    func `A relying party (refresh-token-invalid-sub) ends a session that continues as another user`() async throws {
        let (session, _) = try await refreshing { $0.claims = { $0.subject = "eve" } }
        await #expect(throws: AuthError.reauthenticationRequired) { try await session.credential() }
        #expect(!session.currentState.isSignedIn)
    }

    @Test
    func `A relying party (refresh-token-broken-id-token) keeps the session, and the first ID token`() async throws {
        let (session, first) = try await refreshing { $0.claims = { $0.expiry = nil } }
        try await expectEqual(session.credential().idToken, first)
    }
}
