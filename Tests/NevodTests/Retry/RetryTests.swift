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

@Suite struct RetryTests {
    @Test(
        .tags(.retryPolicy),
        arguments: [
            (RetryPolicy.conservative, [2, 4, 8, 10, 10]), (RetryPolicy.none, [0, 0, 0]),
            (RetryPolicy(baseDelay: 1, maxDelay: 5, multiplier: 3, jitter: false), [1, 3, 5, 5]),
            (RetryPolicy(baseDelay: 0.5, maxDelay: 60, multiplier: 1, jitter: false), [0.5, 0.5, 0.5]),
        ])
    func `A retry policy has these delays without jitter`(policy: RetryPolicy, pauses: [TimeInterval]) {
        for (attempt, pause) in pauses.enumerated() { #expect(abs(policy.delay(for: attempt) - pause) < 1e-9) }
        expectEqual(policy.delay(for: -1), 0)
        #expect(policy.delay(for: .max) <= policy.maxDelay)
    }

    @Test(.tags(.retryPolicy)) func `A retry policy varies a delay by a half at most, and never beyond the maximum`() {
        let policy = RetryPolicy(baseDelay: 1, maxDelay: 5)
        for attempt in 0..<6 {
            let exact = min(pow(2, Double(attempt)), 5)
            let delays = (0..<500).map { _ in policy.delay(for: attempt) }
            #expect(delays.allSatisfy { $0 >= 0.5 * exact - 1e-9 && $0 <= min(1.5 * exact, 5) + 1e-9 })
            #expect(Set(delays).count > 100)
        }
        let lowest = policy.delay(for: 2, random: RandomSource { 0 })
        let highest = policy.delay(for: 2, random: RandomSource { .max })
        #expect(abs(lowest - 2) < 1e-9)
        #expect(abs(highest - 5) < 1e-9)
    }

    @Test(.tags(.retryPolicy)) func `A retry policy has the presets of Nevod`() {
        let presets: [(RetryPolicy, Int, Double, Double, Double, Bool)] = [
            (.default, 3, 1, 60, 2, true), (.aggressive, 5, 0.5, 30, 2, true),
            (.conservative, 2, 2, 10, 2, false), (.none, 1, 0, 0, 1, false),
        ]
        for (policy, attempts, base, most, multiplier, jitter) in presets {
            expectEqual(policy.maxAttempts, attempts)
            expectEqual(policy.baseDelay, base)
            expectEqual(policy.maxDelay, most)
            expectEqual(policy.multiplier, multiplier)
            expectEqual(policy.jitter, jitter)
            expectEqual((0..<attempts).map(policy.shouldRetry), (0..<attempts).map { $0 < attempts - 1 })
        }
        #expect("\(RetryPolicy.default)".contains("maxAttempts: 3"))
    }

    @Test(.tags(.retryPolicy)) func `A retry policy clamps values out of range`() {
        let policy = RetryPolicy(maxAttempts: -1, baseDelay: -5, maxDelay: -10, multiplier: 0, jitter: false)
        expectEqual(policy.maxAttempts, 1)
        expectEqual(policy.delay(for: 3), 0)
        let wild = RetryPolicy(baseDelay: .infinity, maxDelay: .nan, multiplier: .nan)
        #expect(wild.delay(for: 1_000_000).isFinite)
        #expect(RetryPolicy(baseDelay: 1e300, maxDelay: 1e300).delay(for: 10_000).isFinite)
    }

    @Test(.tags(.retryPolicy)) func `A retry policy waits for its delay, or until the task is canceled`() async throws {
        try await RetryPolicy.none.performDelay(for: 0)
        let task = Task { try await RetryPolicy(baseDelay: 86_400, maxDelay: 86_400).performDelay(for: 0) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

@Suite struct TransientFailureTests {
    /// Sends a request to a server with these responses; returns the number of attempts and the delays.
    private func attempts(
        _ answers: [RawHTTPServer.Response], policy: RetryPolicy,
        send: (NetworkProvider) async throws -> Void = { let _: EmptyResponse = try await $0.get("a") }
    ) async throws -> (count: Int, waits: [Duration], error: NetworkError?) {
        let script = Mutex(answers)
        let server = try RawHTTPServer { _ in
            script.withLock { $0.isEmpty ? .response(200, body: "{}") : $0.removeFirst() }
        }
        let clock = SteppingClock()
        let config = NetworkConfig(
            environments: [DefaultDomain.default: SimpleEnvironment(baseURL: try #require(URL(string: server.url)))],
            retryPolicy: policy)
        let provider = NetworkProvider(config: config, logger: nil, clock: clock.wallClock)
        let error = await failure { try await send(provider) }
        return (server.requests.count, clock.waits, error)
    }

    private static let exact = RetryPolicy(baseDelay: 1, jitter: false)

    @Test(.tags(.retryPolicy), arguments: [429, 500, 502, 503, 504, 599])
    func `A request with a transient failure is repeated after the delays of the policy`(status: Int) async throws {
        let (count, waits, error) = try await attempts([.response(status), .response(status)], policy: Self.exact)
        expectEqual(count, 3)
        expectEqual(waits, [.seconds(1), .seconds(2)])
        expectNil(error)
    }

    @Test(.tags(.retryPolicy), arguments: [400, 401, 403, 404, 409, 422, 304])
    func `A request with a transient failure is not repeated after a permanent failure`(status: Int) async throws {
        let (count, _, error) = try await attempts([.response(status)], policy: Self.exact)
        expectEqual(count, 1)
        expectEqual(error?.statusCode, status)
    }

    @Test(.tags(.retryPolicy)) func `A request with a transient failure fails with the last response`() async throws {
        let (count, _, error) = try await attempts(
            [.response(500), .response(502), .response(503, body: "down"), .response(200, body: "{}")],
            policy: Self.exact)
        expectEqual(count, 3)
        expectEqual(error?.statusCode, 503)
        expectEqual(error?.responseString, "down")
    }

    @Test(.tags(.retryPolicy))
    func `A request with a transient failure is repeated after a lost connection`() async throws {
        let (count, _, error) = try await attempts([.closing(after: "")], policy: Self.exact)
        expectEqual(count, 2)
        expectNil(error)
    }

    @Test(.tags(.retryPolicy))
    func `A request with a transient failure is not repeated if its method is not idempotent, unless allowed`()
        async throws
    {
        let post: (NetworkProvider) async throws -> Void = { provider in
            let _: EmptyResponse = try await provider.post("a", body: ["x": "y"])
        }
        let once = try await attempts([.response(503)], policy: Self.exact, send: post)
        expectEqual(once.count, 1)
        expectEqual(once.error?.statusCode, 503)
        let again = try await attempts([.response(503)], policy: Self.exact.includingNonIdempotent, send: post)
        expectEqual(again.count, 2)
        expectNil(again.error)
        let put = try await attempts([.response(503)], policy: Self.exact) { provider in
            let _: EmptyResponse = try await provider.put("a", body: ["x": "y"])
        }
        expectEqual(put.count, 2)
    }

    @Test(.tags(.retryPolicy))
    func `A request with a transient failure respects Retry-After, in seconds and as a date`() async throws {
        let seconds = try await attempts(
            [.response(429, fields: ["Retry-After: 7"]), .response(503, fields: ["Retry-After: 3"])],
            policy: Self.exact)
        expectEqual(seconds.waits, [.seconds(7), .seconds(3)])
        // The stepping clock begins at 2027-01-15 08:00:00 GMT.
        let date = try await attempts(
            [.response(503, fields: ["Retry-After: Fri, 15 Jan 2027 08:00:30 GMT"])], policy: Self.exact)
        expectEqual(date.waits, [.seconds(30)])
        let long = try await attempts([.response(503, fields: ["Retry-After: 86400"])], policy: Self.exact)
        #expect(long.waits.isEmpty)
        expectEqual(long.error?.statusCode, 503)
    }

    @Test(.tags(.retryPolicy))
    func `A request with a transient failure takes its attempts from the configuration without a policy`() async throws
    {
        let server = try RawHTTPServer { _ in .response(503) }
        let config = NetworkConfig(
            environments: [DefaultDomain.default: SimpleEnvironment(baseURL: try #require(URL(string: server.url)))],
            retries: 2)
        let provider = NetworkProvider(config: config, logger: nil, clock: SteppingClock().wallClock)
        await expectEqual(failure { () -> User in try await provider.get("a") }?.statusCode, 503)
        expectEqual(server.requests.count, 2)
    }

    @Test(.tags(.retryPolicy)) func `A request with a transient failure is canceled during a delay`() async throws {
        let server = try RawHTTPServer { _ in .response(503) }
        let pausing = Gate()
        pausing.open()
        let clock = WallClock(
            now: { Date() },
            sleep: { _ in
                await pausing.pass()
                try await untilCancelled()
            })
        let config = NetworkConfig(
            environments: [DefaultDomain.default: SimpleEnvironment(baseURL: try #require(URL(string: server.url)))])
        let provider = NetworkProvider(config: config, logger: nil, clock: clock)
        let task = Task { await failure { () -> User in try await provider.get("a") } }
        await pausing.reached()
        task.cancel()
        await expectEqual(task.value, .cancelled)
        expectEqual(server.requests.count, 1)
    }
}
