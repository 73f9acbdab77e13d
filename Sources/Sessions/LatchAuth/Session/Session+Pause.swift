// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchHTTP

extension Session {
    /// The longest that an issuer is left alone because it asks for that; who is renewed later than this is as good as lost.
    private nonisolated static var longestPause: Duration { .seconds(600) }

    /// Puts off the next attempt by the policy's pause, or as long as the issuer asks for, and up to a quarter more.
    ///
    /// The quarter spreads the devices that one outage has brought into step.
    func pauseRenewal(after error: any Error) {
        let asked = min(askedPause(by: error) ?? .zero, Self.longestPause)
        let jitter = 1 + random.unit() / 4
        pausedUntil = clock.now.addingTimeInterval(max(policy.pauseAfterFailure, asked).inSeconds * jitter)
    }

    /// How long the issuer wants to be left alone (RFC 9110 §10.2.3), by an error or by what has caused it.
    private func askedPause(by error: any Error) -> Duration? {
        switch error {
        case let error as any PatienceError: error.retryAfter
        case let error as HTTPError: error.response?.retryDelay(now: clock.now)
        case let error as AuthError: error.cause.flatMap(askedPause)
        default: nil
        }
    }
}
