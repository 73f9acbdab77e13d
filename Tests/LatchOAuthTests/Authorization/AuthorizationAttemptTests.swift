// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestSupport
import Testing

@Suite struct AuthorizationAttemptTests {
    @Test(arguments: [0, -1, -30, -3_500, 3_500] as [TimeInterval])
    func `An attempt to sign in survives a clock that is set while the user is at the page`(jump: TimeInterval)
        async throws
    {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let url = try provider.approve(try await client.begin())
        provider.clock.jump(by: jump)
        try await expectEqual(client.finish(url).idTokenClaims?.subject, "ada")
    }

    @Test(arguments: [-3_700, 3_700] as [TimeInterval])
    func `An attempt to sign in ends with its lifetime, whichever way the clock was set`(jump: TimeInterval)
        async throws
    {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let url = try provider.approve(try await client.begin())
        provider.clock.jump(by: jump)
        await #expect(throws: OAuthError.stateMismatch) { try await client.finish(url) }
    }

    @Test
    func `An attempt to sign in is not removed from the store by one that begins after the clock was set back`()
        async throws
    {
        let provider = try ScriptedProvider()
        let store = InMemorySecretStore()
        let client = provider.client(attempts: store)
        let url = try provider.approve(try await client.begin())
        provider.clock.jump(by: -60)
        _ = try await client.begin()
        expectEqual(store.names().count, 2)
        try await expectEqual(client.finish(url).idTokenClaims?.subject, "ada")
        provider.clock.jump(by: -7_200)
        _ = try await client.begin()
        expectEqual(store.names().count, 1)
    }

    @Test func `An attempt that an earlier version began can be finished`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client { $0.responseMode = .query }
        let attempt = try await client.attempt()
        let callback = try provider.approve(attempt)
        var members = try JSONValue(parsing: Array(JSONEncoder().encode(attempt))).objectValue ?? [:]
        expectEqual(members["responseMode"], "query")
        members["responseMode"] = nil
        let stored = Data(JSONValue.object(members).serialized())
        let earlier = try JSONDecoder().decode(AuthorizationAttempt.self, from: stored)
        #expect(try await client.finish(AuthorizationResponse(callback), of: earlier).tokens.idToken != nil)
    }
}
