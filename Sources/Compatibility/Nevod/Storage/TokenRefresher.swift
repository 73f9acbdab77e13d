// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundationBridge
import Synchronization

/// The refresh of a storage's session, with the strategy of the interceptor that needs a token.
final class TokenRefresher<Token: TokenModel>: Sendable {
    /// A way to obtain a token.
    struct Strategy: Sendable {
        /// Obtains a token that replaces its argument, with an idempotency key.
        let refresh: @Sendable (Token?, String) async throws -> Token
        /// The delays after failures; nil for none.
        let backoff: RetryPolicy?
    }

    /// The result of the attempts since the last success.
    private struct Backoff {
        /// The number of failed attempts.
        var failures = 0
        /// The uptime of the next attempt.
        var nextAttempt = Duration.zero
    }

    private let clock: WallClock
    /// The strategy of the interceptor that was last created or last sent a request.
    ///
    /// All strategies of a storage obtain the same token.
    private let strategy = Mutex<Strategy?>(nil)
    private let backoff = Mutex(Backoff())

    init(clock: WallClock) { self.clock = clock }

    /// Sets the strategy of the next refresh.
    func use(_ strategy: Strategy) { self.strategy.withLock { $0 = strategy } }

    /// Resets the backoff, because the failures concerned another token.
    func resetBackoff() { backoff.withLock { $0 = Backoff() } }

    /// Refreshes the token; the session never calls it twice at the same time.
    ///
    /// - Throws: `RefreshFailure` with the error of the strategy.
    func refresh(_ request: RefreshRequest<TokenCredential<Token>>) async throws -> TokenCredential<Token> {
        guard let strategy = strategy.withLock({ $0 }) else { throw RefreshFailure(cause: NetworkError.unauthorized) }
        do {
            try await waitForNextAttempt()
            let key = request.idempotencyKey
            let token = try await RefreshAttempt.run(of: ActiveRefreshes.sessions.last, idempotencyKey: key) {
                try await strategy.refresh(request.credential.token, key)
            }
            let fresh = try TokenCredential(token)
            // With a token that has already expired, every request would refresh again.
            if let expiry = fresh.expiry, expiry <= clock.now { throw AuthError.invalidTokenResponse }
            resetBackoff()
            return fresh
        } catch {
            if !Task.isCancelled { recordFailure(strategy.backoff) }
            throw RefreshFailure(cause: error)
        }
    }

    private func waitForNextAttempt() async throws {
        let delay = backoff.withLock { $0.nextAttempt } - clock.uptime
        if delay > .zero { try await clock.sleep(for: delay) }
    }

    private func recordFailure(_ policy: RetryPolicy?) {
        guard let policy else { return }
        let now = clock.uptime
        backoff.withLock { backoff in
            backoff.nextAttempt = now + .seconds(policy.delay(for: backoff.failures))
            backoff.failures += 1
        }
    }
}
