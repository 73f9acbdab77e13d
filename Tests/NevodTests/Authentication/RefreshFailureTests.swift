// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import Synchronization
import TestTags
import Testing

/// A storage with an old token and a strategy that fails as it is told.
private final class Failing: Sendable {
    let backend = Backend()
    let storage = TokenStorage<Token>(storage: InMemoryStorage())
    let failures = Mutex<[any Error]>([])
    let attempts = Mutex(0)

    func interceptor(backoff: RetryPolicy? = nil) async -> AuthenticationInterceptor<Token> {
        await storage.save(Token(value: "old"))
        return AuthenticationInterceptor(
            tokenStorage: storage,
            refreshStrategy: { _ in
                self.attempts.withLock { $0 += 1 }
                let failure = self.failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if let failure { throw failure }
                return Token(value: self.backend.issue())
            }, retryBackoff: backoff)
    }
}

private struct OwnError: Error {}

@Suite struct RefreshFailureTests {
    @Test(
        .tags(.refreshRecovery),
        arguments: [
            (NetworkError.timeout as any Error, NetworkError.timeout),
            (NetworkError.noConnection, .noConnection),
            (NetworkError.unauthorized, .unauthorized),
            (
                NetworkError.serverError(code: 503, data: nil, response: nil),
                .serverError(code: 503, response: FailedResponse())
            ),
            (URLError(.notConnectedToInternet), .noConnection),
            (HTTPError.offline, .noConnection),
            (CancellationError(), .authenticationFailed),
            (OwnError(), .authenticationFailed),
        ])
    func `A failed refresh is reported by its cause, and a lost network is not a rejection`(
        thrown: any Error, told: NetworkError
    )
        async throws
    {
        let failing = Failing()
        try await failing.backend.serve { url in
            failing.failures.withLock { $0 = [thrown] }
            let provider = provider(url, interceptor: await failing.interceptor())
            let error = await failure { () -> User in try await provider.get("/users/me") }
            expectEqual(error, told)
            await expectEqual(failing.storage.load()?.value, "old")
        }
    }

    @Test(.tags(.refreshRecovery))
    func `A failed refresh is followed by any number of others, and by recovery`() async throws {
        let failing = Failing()
        try await failing.backend.serve { url in
            failing.failures.withLock { $0 = Array(repeating: NetworkError.timeout, count: 20) }
            let provider = provider(url, interceptor: await failing.interceptor())
            for _ in 0..<20 {
                await expectEqual(failure { () -> User in try await provider.get("/users/me") }, .timeout)
            }
            let user: User = try await provider.get("/users/me")
            expectEqual(user.name, "Ada")
            expectEqual(failing.attempts.withLock { $0 }, 21)
        }
    }

    @Test(.tags(.refreshRecovery)) func `A failed refresh is reported to all waiting requests`() async throws {
        let backend = Backend()
        let refused = Gate()
        backend.on("/users/me") { _ in
            await refused.pass()
            return HTTPResponse(status: .unauthorized)
        }
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.noConnection })
            let provider = provider(url, interceptor: auth)
            async let errors = atOnce(50) { _ in await failure { () -> User in try await provider.get("/users/me") } }
            await refused.reached(by: 50)
            refused.open()
            #expect(await errors.allSatisfy { $0 == .noConnection })
            await expectEqual(storage.load()?.value, "old")
        }
    }

    @Test(.tags(.refreshRecovery))
    func `A failed refresh delays the next attempt by the backoff, until one succeeds`() async throws {
        let backend = Backend()
        let clock = SteppingClock()
        try await backend.serve { url in
            let storage = await oldTokens(clock: clock.refreshClock)
            let failures = Mutex(3)
            let auth = AuthenticationInterceptor(
                tokenStorage: storage,
                refreshStrategy: { _ in
                    let isFailure = failures.withLock { left in
                        left -= 1
                        return left >= 0
                    }
                    if isFailure { throw NetworkError.timeout }
                    return Token(value: backend.issue())
                }, retryBackoff: RetryPolicy(baseDelay: 2, maxDelay: 5, jitter: false))
            let provider = provider(url, interceptor: auth)
            for _ in 0..<3 { await expectEqual(failure { () -> User in try await provider.get("/a") }, .timeout) }
            let _: User = try await provider.get("/a")
            expectEqual(clock.waits, [.seconds(2), .seconds(4), .seconds(5)])
            backend.issue()
            let _: User = try await provider.get("/a")
            expectEqual(clock.waits.count, 3)
        }
    }
}
