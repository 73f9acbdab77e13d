// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import Synchronization

/// Obtains tokens for the session of one storage, by the strategy of whoever needs one.
final class RefreshDesk<Token: TokenModel>: Sendable {
    /// How a token is obtained, and how long to wait after a failure.
    struct Strategy: Sendable {
        let refresh: @Sendable (Token?) async throws -> Token
        let backoff: RetryPolicy?
    }

    /// What the last attempts have led to.
    private struct Pause {
        /// Attempts that failed since the last success.
        var failures = 0
        /// Before this uptime there is no other attempt.
        var until = Duration.zero
    }

    private let clock: WallClock
    /// Of the interceptor whose request was refused last; all over one storage obtain the same token.
    private let strategy = Mutex<Strategy?>(nil)
    private let pause = Mutex(Pause())

    init(clock: WallClock) { self.clock = clock }

    /// Lets the next renewal use `strategy`.
    func use(_ strategy: Strategy) { self.strategy.withLock { $0 = strategy } }

    /// Forgets failures: what failed was about another token.
    func forgetFailures() { pause.withLock { $0 = Pause() } }

    /// One renewal; the session sees to it that there is only one at a time.
    ///
    /// - Throws: `RefreshFailure` with what the strategy threw.
    func renew(_ credential: TokenCredential<Token>) async throws -> TokenCredential<Token> {
        guard let strategy = strategy.withLock({ $0 }) else { throw RefreshFailure(cause: NetworkError.unauthorized) }
        do {
            try await waitForTurn()
            let fresh = try TokenCredential(try await obtain(by: strategy, replacing: credential.token))
            // Committing what has ended already would make every request obtain another.
            if let expiry = fresh.expiry, expiry <= clock.now { throw AuthError.loginWithoutCookies }
            forgetFailures()
            return fresh
        } catch {
            if !Task.isCancelled { noteFailure(backoff: strategy.backoff) }
            throw RefreshFailure(cause: error)
        }
    }

    /// What the strategy returns; where it fails after it has saved a token by itself, that one.
    private func obtain(by strategy: Strategy, replacing token: Token?) async throws -> Token {
        let note = RefreshNote(desk: self)
        defer { note.close() }
        do {
            return try await RefreshNote.$current.withValue(note) { try await strategy.refresh(token) }
        } catch {
            guard let saved = note.saved as? Token else { throw error }
            return saved
        }
    }

    private func waitForTurn() async throws {
        let wait = pause.withLock { $0.until } - clock.uptime
        if wait > .zero { try await clock.sleep(for: wait) }
    }

    private func noteFailure(backoff: RetryPolicy?) {
        guard let backoff else { return }
        let now = clock.uptime
        pause.withLock { pause in
            pause.until = now + .seconds(backoff.delay(for: pause.failures))
            pause.failures += 1
        }
    }
}
