// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Nevod
import Synchronization
import TestTags
import Testing

@Suite struct BackoffTests {
    /// A provider whose refreshes fail a number of times, with a stepping clock.
    private func failing(
        _ failures: Int, _ backend: Backend, _ url: URL, clock: SteppingClock, backoff: RetryPolicy?
    ) async -> (NetworkProvider, TokenStorage<Token>) {
        let storage = await oldTokens(clock: clock.refreshClock)
        let left = Countdown(failures)
        let auth = AuthenticationInterceptor(
            tokenStorage: storage,
            refreshStrategy: { _ in
                if left.take() { throw NetworkError.noConnection }
                return Token(value: backend.issue())
            }, retryBackoff: backoff)
        return (provider(url, interceptor: auth), storage)
    }

    @Test(.tags(.refreshRecovery)) func `The backoff after a failed refresh is absent without a policy`() async throws {
        let backend = Backend()
        let clock = SteppingClock()
        try await backend.serve { url in
            let (provider, _) = await failing(5, backend, url, clock: clock, backoff: nil)
            for _ in 0..<5 { await expectEqual(failure { () -> User in try await provider.get("a") }, .noConnection) }
            let _: User = try await provider.get("a")
            #expect(clock.waits.isEmpty)
        }
    }

    @Test(.tags(.refreshRecovery)) func `The backoff after a failed refresh ends with a new sign-in`() async throws {
        let backend = Backend()
        let clock = SteppingClock()
        try await backend.serve { url in
            let backoff = RetryPolicy(baseDelay: 100, maxDelay: 1_000, jitter: false)
            let (provider, storage) = await failing(2, backend, url, clock: clock, backoff: backoff)
            for _ in 0..<2 { await expectEqual(failure { () -> User in try await provider.get("a") }, .noConnection) }
            expectEqual(clock.waits, [.seconds(100)])
            await storage.save(Token(value: "another"))
            let _: User = try await provider.get("a")
            expectEqual(clock.waits, [.seconds(100)])
        }
    }

    @Test(.tags(.refreshRecovery))
    func `The backoff after a failed refresh is shared by all waiting requests`() async throws {
        let backend = Backend()
        let clock = SteppingClock()
        try await backend.serve { url in
            let backoff = RetryPolicy(baseDelay: 10, maxDelay: 10, jitter: false)
            let (provider, _) = await failing(1, backend, url, clock: clock, backoff: backoff)
            await expectEqual(failure { () -> User in try await provider.get("a") }, .noConnection)
            let users = await atOnce(20) { _ -> User? in try? await provider.get("a") }
            #expect(users.allSatisfy { $0 != nil })
            expectEqual(clock.waits, [.seconds(10)])
            expectEqual(backend.state.withLock { $0.issued }, 1)
        }
    }
}

/// A counter that returns true a number of times.
private final class Countdown: Sendable {
    private let left: Mutex<Int>
    init(_ count: Int) { left = Mutex(count) }
    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
