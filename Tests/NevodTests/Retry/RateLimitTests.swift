// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import Synchronization
import TestSupport
import TestTags
import Testing

@Suite struct RateLimitTests {
    @Test(.tags(.rateLimiter))
    func `A rate limit lets a number of requests begin in an interval, and the others after it`() async throws {
        let clock = SteppingClock()
        let limiter = RateLimiter(
            configuration: RateLimitConfiguration(requests: 3, perInterval: 10), clock: clock.wallClock)
        for _ in 0..<7 { try await limiter.acquirePermit() }
        expectEqual(clock.waits, [.seconds(10), .seconds(10)])
    }

    @Test(.tags(.rateLimiter)) func `A rate limit gives the permit of a canceled request to the next`() async throws {
        let limiter = RateLimiter(configuration: RateLimitConfiguration(requests: 1, perInterval: 86_400))
        try await limiter.acquirePermit()
        let waiting = Task { try await limiter.acquirePermit() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test(.tags(.rateLimiter))
    func `A rate limit applies to all attempts of a provider, including retries`() async throws {
        let script = Mutex([503, 503])
        let server = try RawHTTPServer { _ in
            .response(script.withLock { $0.isEmpty ? 200 : $0.removeFirst() }, body: "{}")
        }
        final class Counter: RateLimiting {
            let count = Mutex(0)
            func acquirePermit() async throws { count.withLock { $0 += 1 } }
        }
        let counter = Counter()
        let provider = NetworkProvider.quick(
            baseURL: try #require(URL(string: server.url)), retryPolicy: RetryPolicy(baseDelay: 0),
            rateLimiter: counter, logger: nil)
        let _: EmptyResponse = try await provider.get("a")
        expectEqual(counter.count.withLock { $0 }, 3)
    }

    @Test(.tags(.rateLimiter)) func `A rate limit that throws is reported, and nothing is sent`() async throws {
        struct Refusing: RateLimiting { func acquirePermit() async throws { throw CancellationError() } }
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let provider = NetworkProvider.quick(
            baseURL: try #require(URL(string: server.url)), rateLimiter: Refusing(), logger: nil)
        await expectEqual(failure { () -> EmptyResponse in try await provider.get("a") }, .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test(.tags(.rateLimiter)) func `A rate limit clamps values out of range`() {
        let low = RateLimitConfiguration(requests: 0, perInterval: -1)
        expectEqual(low.requests, 1)
        expectEqual(low.perInterval, 0.001)
        expectEqual(RateLimitConfiguration(requests: 5, perInterval: .nan).perInterval, 0.001)
        expectEqual(RateLimitConfiguration(requests: 5, perInterval: .infinity).perInterval, 86_400)
    }

    @Test(.tags(.rateLimiter)) func `A rate limit comes from the configuration`() async throws {
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let clock = SteppingClock()
        let config = NetworkConfig(
            environments: [DefaultDomain.default: SimpleEnvironment(baseURL: try #require(URL(string: server.url)))],
            rateLimit: RateLimitConfiguration(requests: 2, perInterval: 5))
        let provider = NetworkProvider(config: config, logger: nil, clock: clock.wallClock)
        for _ in 0..<5 { let _: EmptyResponse = try await provider.get("a") }
        expectEqual(clock.waits, [.seconds(5), .seconds(5)])
    }
}
