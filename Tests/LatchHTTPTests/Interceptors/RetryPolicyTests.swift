// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite(.tags(.retryPolicy)) struct RetryPolicyTests {
    /// A source whose `unit()` is always this.
    private func random(_ unit: Double) -> RandomSource {
        RandomSource { UInt64(unit * 0x1p53) << 11 }
    }

    private func seeded(_ seed: UInt64) -> RandomSource {
        let generator = Mutex(SplitMix64(state: seed))
        return RandomSource { generator.withLock { $0.next() } }
    }

    @Test func `A retry policy without jitter waits for the bound, which grows up to the maximum`() {
        let policy = RetryPolicy(
            maximumAttempts: 10, baseDelay: .seconds(1), maximumDelay: .seconds(10), multiplier: 2, jitter: .none)
        let delays = (1...6).map { policy.delay(afterAttempt: $0, random: random(0.3)) }
        expectEqual(delays, [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(10), .seconds(10)])
    }

    @Test(arguments: [
        (0.0, [0.0, 0, 0, 0, 0]), (0.5, [0.5, 1, 2, 4, 5]), (0.75, [0.75, 1.5, 3, 6, 7.5]),
    ])
    func `A retry policy with full jitter waits for any part of the bound`(unit: Double, seconds: [Double]) {
        let policy = RetryPolicy(baseDelay: .seconds(1), maximumDelay: .seconds(10), multiplier: 2, jitter: .full)
        let delays = (1...5).map { policy.delay(afterAttempt: $0, random: random(unit)) }
        expectEqual(delays, seconds.map { .seconds($0) })
    }

    @Test(arguments: [UInt64](0..<100))
    func `A retry policy never waits less than zero or more than the maximum`(seed: UInt64) {
        var choices = SplitMix64(state: seed)
        let source = seeded(seed)
        let durations: [Duration] = [
            .zero, .seconds(-1), .nanoseconds(1), .milliseconds(300), .seconds(5), .seconds(1e15),
        ]
        let multipliers = [-1, 0, 0.5, 1, 1.5, 2, 10, 1e300, .infinity, .nan]
        let policy = RetryPolicy(
            maximumAttempts: choices.below(20) - 5, baseDelay: choices.pick(durations),
            maximumDelay: choices.pick(durations), multiplier: choices.pick(multipliers),
            jitter: choices.pick([.full, .none, .around, .init(-3...9)]))
        #expect(policy.maximumAttempts >= 1)
        for attempt in [Int.min, -1, 0, 1, 2, 3, 50, 10_000, .max] {
            let delay = policy.delay(afterAttempt: attempt, random: source)
            #expect(delay >= .zero && delay <= policy.maximumDelay)
            #expect(policy.bound(afterAttempt: attempt) <= policy.maximumDelay)
        }
    }

    @Test(arguments: [UInt64](0..<50))
    func `A retry policy with jitter around the bound stays within half and one and a half of it`(seed: UInt64) {
        let policy = RetryPolicy(baseDelay: .seconds(2), maximumDelay: .seconds(5), multiplier: 2, jitter: .around)
        let source = seeded(seed)
        let first = policy.delay(afterAttempt: 1, random: source)
        #expect(first >= .seconds(1) && first <= .seconds(3))
        let second = policy.delay(afterAttempt: 2, random: source)
        #expect(second >= .seconds(2) && second <= .seconds(5))
    }

    @Test func `A retry policy has bounds for any number of attempts`() {
        let slow = RetryPolicy(baseDelay: .seconds(1), maximumDelay: .seconds(60), multiplier: 1)
        expectEqual(slow.bound(afterAttempt: .max), .seconds(1))
        let steep = RetryPolicy(baseDelay: .seconds(1), maximumDelay: .seconds(60), multiplier: 1e200)
        expectEqual(steep.bound(afterAttempt: .max), .seconds(60))
        expectEqual(RetryPolicy(baseDelay: .zero).bound(afterAttempt: 9), .zero)
        expectEqual(RetryPolicy.never.maximumAttempts, 1)
    }

    @Test(arguments: [
        (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.options, true), (.post, false),
        (.patch, false), ("QUERY", false),
    ])
    func `A retry policy repeats idempotent requests, and nothing else by itself`(method: HTTPMethod, isRepeated: Bool)
    {
        let request = HTTPRequest(method: method, authority: "h", path: "/")
        expectEqual(RetryPolicy().allowsRetry(of: request), isRepeated)
    }

    @Test func `A retry policy repeats other requests with a key, or if they are marked as safe`() {
        var request = HTTPRequest(method: .post, authority: "h", path: "/")
        #expect(!RetryPolicy().allowsRetry(of: request))
        request.isSafeToRetry = true
        #expect(RetryPolicy().allowsRetry(of: request))
        request.isSafeToRetry = false
        request.fields[.idempotencyKey] = "k"
        #expect(RetryPolicy().allowsRetry(of: request))
        request.fields[.idempotencyKey] = nil
        var policy = RetryPolicy()
        policy.retriesNonIdempotentRequests = true
        #expect(policy.allowsRetry(of: request))
    }

    @Test func `A retry policy repeats no content that can be read only once`() {
        let once = HTTPBody(HTTPBodyStream(once: { nil }))
        let again = HTTPBody(HTTPBodyStream(opening: { { nil } }))
        #expect(!RetryPolicy().allowsRetry(of: HTTPRequest(method: .put, authority: "h", path: "/", body: once)))
        #expect(RetryPolicy().allowsRetry(of: HTTPRequest(method: .put, authority: "h", path: "/", body: again)))
    }

    @Test(arguments: [
        (HTTPError.offline, true), (.timeout, true), (.cancelled, false), (.tls, false), (.tooLarge, false),
        (.malformedMessage, false), (.invalidURL, false), (.insecureURL, false), (.redirectRefused, false),
        (.streamSpent, false),
    ])
    func `A retry policy repeats after failures of the network, and not after lasting ones`(
        error: HTTPError, isRepeated: Bool
    ) {
        expectEqual(RetryPolicy().allowsRetry(after: error), isRepeated)
        #expect(!RetryPolicy().allowsRetry(after: CancellationError()))
    }
}

@Suite struct RetryBudgetTests {
    private let clock = ManualClock()

    private func requests(_ count: Int, through budget: RetryBudget, status: HTTPStatus) async throws -> Int {
        let asked = Recording<Int>()
        let failing = ClosureHandler { request in
            asked.add(request.attempt)
            return HTTPResponse(status: status)
        }
        let policy = RetryPolicy(maximumAttempts: 3, baseDelay: .zero)
        let client = failing.intercepted(by: [RetryInterceptor(policy, budget: budget, clock: clock.wallClock())])
        for _ in 0..<count { _ = try await client.respond(to: HTTPRequest(authority: "h", path: "/")) }
        return asked.entries.count
    }

    @Test func `A retry budget lets a fifth of all requests be repeated, beside its reserve`() async throws {
        let budget = RetryBudget(share: 0.2, reserve: 10)
        #expect(try await requests(1000, through: budget, status: 503) - 1000 <= 210)
        #expect(budget.isEmpty)
        // Without a budget each would have been sent three times.
        try await expectEqual(requests(1000, through: RetryBudget(share: 1, reserve: 3000), status: 503), 3000)
    }

    @Test func `A retry budget is filled again by successful requests, up to its reserve`() async throws {
        let budget = RetryBudget(share: 0.5, reserve: 4)
        #expect(try await requests(20, through: budget, status: 503) > 20)
        #expect(budget.isEmpty)
        try await expectEqual(requests(100, through: budget, status: 200), 100)
        #expect(!budget.isEmpty)
        try await expectEqual(requests(1, through: budget, status: 503), 3)
        try await expectEqual(requests(1, through: budget, status: 503), 3)
        #expect(budget.isEmpty)
        try await expectEqual(requests(1, through: budget, status: 503), 2)
    }

    @Test func `A retry budget that is empty lets nothing be repeated`() async throws {
        let budget = RetryBudget(share: 0, reserve: 0)
        try await expectEqual(requests(5, through: budget, status: 503), 5)
        try await expectEqual(requests(5, through: RetryBudget(share: -1, reserve: -1), status: 503), 5)
    }
}
