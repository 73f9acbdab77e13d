// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchIdentity
import Testing

@testable import latch

@Suite struct ReloadingTests {
    private let first: Settings
    private let now: Settings

    init() throws {
        first = try Settings(environment: ["LATCH_LISTEN": "127.0.0.1:1", "LATCH_REPLAY_WINDOW": "1"])
        now = try Settings(environment: [
            "LATCH_LISTEN": "127.0.0.1:2", "LATCH_REPLAY_WINDOW": "2", "LATCH_ISSUER": "http://other",
            "LATCH_REQUIRE_VERIFIED_EMAIL": "true", "LATCH_TOKEN_PEPPER": "another",
        ])
    }

    @Test func `Settings that are read again take effect if they can`() {
        let configuration = now.keeping(first).configuration.identity
        expectEqual(configuration.replayWindow, .seconds(2))
        #expect(configuration.requireVerifiedEmail)
    }

    @Test func `Settings that are read again keep what a running server cannot change`() {
        let kept = now.keeping(first)
        expectEqual(kept.configuration.listen.text, "127.0.0.1:1")
        expectNil(kept.configuration.identity.issuer)
        expectNil(kept.configuration.identity.tokenPepper)
    }

    @Test func `Settings that are read again report which of them wait for the next start`() {
        expectEqual(now.keysNeedingRestart(since: first), ["listen", "issuer", "token_pepper"])
        expectEqual(first.keysNeedingRestart(since: first), [])
    }
}
