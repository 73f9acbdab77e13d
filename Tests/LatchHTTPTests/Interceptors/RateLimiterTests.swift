// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchTesting
import TestSupport
import TestTags
import Testing

@Suite(.tags(.rateLimiter), .timeLimit(.minutes(2))) struct RateLimiterTests {
    let clock = ManualClock()
    let began = Recording<Int>()

    private func limiter(_ requests: Int, per interval: Duration) -> RateLimiter {
        RateLimiter(requests: requests, per: interval, clock: clock.wallClock())
    }

    /// Begins a task for each number, one after the other in the line.
    private func line(_ numbers: Range<Int>, at limiter: RateLimiter) async throws -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for number in numbers {
            let waiting = limiter.waiting
            tasks.append(
                Task {
                    try await limiter.acquire()
                    began.add(number)
                })
            try await eventually { limiter.waiting != waiting || began.entries.contains(number) }
        }
        return tasks
    }

    @Test
    func `A rate limiter lets a number begin at once, and the next when the first has left the window`() async throws {
        let limiter = limiter(3, per: .seconds(10))
        let tasks = try await line(0..<5, at: limiter)
        expectEqual(began.entries, [0, 1, 2])
        try await eventually { limiter.waiting == 2 }
        await expectEqual(clock.sleepers(atLeast: 1), [.seconds(10)])
        clock.advance(by: .milliseconds(9_999))
        expectEqual(clock.sleepers, [.milliseconds(1)])
        clock.advance(by: .milliseconds(1))
        for task in tasks { try await task.value }
        // Both are let in at the same instant, and each says so when its task gets a thread.
        #expect(began.entries.prefix(3) == [0, 1, 2] && began.entries.dropFirst(3).sorted() == [3, 4])
        expectEqual(limiter.waiting, 0)
    }

    @Test func `A rate limiter slides its window, so that no interval holds more`() async throws {
        let limiter = limiter(2, per: .seconds(10))
        try await limiter.acquire()
        clock.advance(by: .seconds(6))
        try await limiter.acquire()
        let tasks = try await line(0..<2, at: limiter)
        await expectEqual(clock.sleepers(atLeast: 1), [.seconds(4)])
        clock.advance(by: .seconds(4))
        try await tasks[0].value
        // The second of the first window began at 6 s, so the next may at 16 s.
        await expectEqual(clock.sleepers(atLeast: 1), [.seconds(6)])
        clock.advance(by: .seconds(6))
        try await tasks[1].value
        #expect(clock.sleepers.isEmpty)
    }

    @Test func `A rate limiter lets callers wait in order, with one sleeper for all`() async throws {
        let limiter = limiter(1, per: .seconds(1))
        let tasks = try await line(0..<12, at: limiter)
        for number in 1..<12 {
            await expectEqual(clock.sleepers(atLeast: 1), [.seconds(1)])
            clock.advance(by: .seconds(1))
            try await tasks[number].value
        }
        expectEqual(began.entries, Array(0..<12))
    }

    @Test func `A rate limiter gives the place of a canceled caller to the next`() async throws {
        let limiter = limiter(1, per: .seconds(10))
        let tasks = try await line(0..<5, at: limiter)
        // The first of the line sleeps for all, the third waits behind it.
        for number in [1, 3] {
            tasks[number].cancel()
            await #expect(throws: HTTPError.cancelled) { try await tasks[number].value }
        }
        expectEqual(limiter.waiting, 2)
        await expectEqual(clock.sleepers(atLeast: 1), [.seconds(10)])
        clock.advance(by: .seconds(10))
        try await tasks[2].value
        expectEqual(began.entries, [0, 2])
        await expectEqual(clock.sleepers(atLeast: 1), [.seconds(10)])
        clock.advance(by: .seconds(10))
        try await tasks[4].value
        expectEqual(began.entries, [0, 2, 4])
    }

    @Test func `A rate limiter takes no place for a task that was canceled before`() async throws {
        let limiter = limiter(1, per: .seconds(10))
        let (gate, open) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate {}
            try await limiter.acquire()
        }
        task.cancel()
        open.finish()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        try await limiter.acquire()
        #expect(clock.sleepers.isEmpty)
    }

    @Test(arguments: [-86_400.0, 86_400])
    func `A rate limiter is not moved by a jump of the date`(seconds: Double) async throws {
        let limiter = limiter(1, per: .seconds(10))
        let tasks = try await line(0..<2, at: limiter)
        _ = await clock.sleepers(atLeast: 1)
        clock.jump(by: seconds)
        expectEqual(clock.sleepers, [.seconds(10)])
        expectEqual(began.entries, [0])
        clock.advance(by: .seconds(10))
        try await tasks[1].value
    }

    @Test
    func `A rate limiter holds all back as long as a server asks, and no shorter when asked again`() async throws {
        let limiter = limiter(100, per: .seconds(1))
        limiter.pause(for: .seconds(30))
        limiter.pause(for: .seconds(5))
        let tasks = try await line(0..<2, at: limiter)
        await expectEqual(clock.sleepers(atLeast: 1), [.seconds(30)])
        limiter.pause(for: .seconds(40))
        clock.advance(by: .seconds(30))
        await expectEqual(clock.sleepers(atLeast: 1), [.seconds(10)])
        clock.advance(by: .seconds(10))
        for task in tasks { try await task.value }
        expectEqual(began.entries.sorted(), [0, 1])
    }

    @Test(arguments: [(0, Duration.seconds(1)), (-5, .seconds(1)), (1, .zero), (1, .seconds(-1))])
    func `A rate limiter lets at least one request begin each millisecond`(requests: Int, interval: Duration)
        async throws
    {
        let limiter = RateLimiter(requests: requests, per: interval, clock: clock.leapingClock())
        for _ in 0..<3 { try await limiter.acquire() }
    }

    @Test(arguments: [UInt64](0..<20))
    func `A rate limiter never lets more begin within an interval`(seed: UInt64) async throws {
        var random = SplitMix64(state: seed)
        let capacity = 1 + random.below(5)
        let limiter = RateLimiter(requests: capacity, per: .milliseconds(100), clock: clock.leapingClock())
        var starts: [Duration] = []
        for _ in 0..<200 {
            if random.below(3) == 0 { clock.advance(by: .milliseconds(random.below(80))) }
            try await limiter.acquire()
            starts.append(clock.uptime)
        }
        for (first, last) in zip(starts, starts.dropFirst(capacity)) {
            #expect(last - first >= .milliseconds(100))
        }
    }
}

@Suite(.tags(.rateLimiter)) struct RateLimitHandlerTests {
    let clock = ManualClock()
    let waits = Recording<Duration>()

    private func leaping() -> WallClock { clock.leapingClock { [waits] in waits.add($0) } }

    private func get(_ authority: String, path: String = "/") -> HTTPRequest {
        HTTPRequest(authority: authority, path: path)
    }

    private let answering = ClosureHandler { _ in HTTPResponse(status: .ok) }

    @Test func `A rate limit around a handler counts each origin by itself`() async throws {
        let handler = answering.intercepted(by: [RateLimitInterceptor(requests: 1, per: .seconds(9), clock: leaping())])
        _ = try await handler.respond(to: get("a.example"))
        _ = try await handler.respond(to: get("b.example"))
        #expect(waits.entries.isEmpty)
        _ = try await handler.respond(to: get("A.example:443"))
        expectEqual(waits.entries, [.seconds(9)])
    }

    @Test func `A rate limit around a handler counts by any key`() async throws {
        let limit = RateLimitInterceptor(requests: 1, per: .seconds(9), clock: leaping()) {
            $0.fields["X-Tenant"] ?? "none"
        }
        let handler = answering.intercepted(by: [limit])
        var request = get("a.example")
        _ = try await handler.respond(to: request)
        request.fields["X-Tenant"] = "7"
        _ = try await handler.respond(to: request)
        #expect(waits.entries.isEmpty)
        _ = try await handler.respond(to: request)
        expectEqual(waits.entries, [.seconds(9)])
    }

    @Test func `A rate limit around a handler can be shared by several clients`() async throws {
        let limit = RateLimitInterceptor(requests: 1, per: .seconds(9), clock: leaping())
        let clients = (0..<2).map { _ in answering.intercepted(by: [limit]) }
        for client in clients { _ = try await client.respond(to: get("a.example")) }
        expectEqual(waits.entries, [.seconds(9)])
    }

    @Test(arguments: [(429, "20", [20]), (503, "20", [20]), (429, "3600", [60]), (500, "20", []), (429, "?", [])])
    func `A rate limit around a handler holds the next request back if the server asks for it`(
        status: Int, field: String, seconds: [Int]
    )
        async throws
    {
        let refusing = ClosureHandler { _ in
            HTTPResponse(status: HTTPStatus(rawValue: status), fields: [.retryAfter: field])
        }
        let handler = refusing.intercepted(by: [RateLimitInterceptor(requests: 99, per: .seconds(1), clock: leaping())])
        _ = try await handler.respond(to: get("a.example"))
        _ = try await handler.respond(to: get("b.example"))
        #expect(waits.entries.isEmpty)
        _ = try await handler.respond(to: get("a.example"))
        expectEqual(waits.entries, seconds.map { .seconds($0) })
    }

    @Test func `A rate limit around a handler leaves a refusal to the caller if it is told to`() async throws {
        let refusing = ClosureHandler { _ in HTTPResponse(status: 429, fields: [.retryAfter: "20"]) }
        let limit = RateLimitInterceptor(requests: 99, per: .seconds(1), pausingUpTo: .zero, clock: leaping())
        let handler = refusing.intercepted(by: [limit])
        for _ in 0..<2 { _ = try await handler.respond(to: get("a.example")) }
        #expect(waits.entries.isEmpty)
    }

    @Test func `A rate limit around a handler counts every attempt inside a retry`() async throws {
        let times = Recording<Duration>()
        let failing = ClosureHandler { [clock] _ in
            times.add(clock.uptime)
            return HTTPResponse(status: times.entries.count < 3 ? 502 : 200)
        }
        let began = clock.uptime
        let handler = failing.intercepted(by: [
            RetryInterceptor(RetryPolicy(baseDelay: .zero), clock: leaping()),
            RateLimitInterceptor(requests: 1, per: .seconds(9), clock: leaping()),
        ])
        try await expectEqual(handler.respond(to: get("a.example")).status, .ok)
        expectEqual(times.entries.map { $0 - began }, [.zero, .seconds(9), .seconds(18)])
    }

    @Test func `A rate limit around a handler sends nothing if the deadline has passed in the queue`() async throws {
        let asked = Recording<Int>()
        let counting = ClosureHandler { _ in
            asked.add(1)
            return HTTPResponse(status: .ok)
        }
        let handler = counting.intercepted(by: [RateLimitInterceptor(requests: 1, per: .seconds(9), clock: leaping())])
        var request = get("a.example")
        _ = try await handler.respond(to: request)
        request.tighten(to: Deadline(in: .seconds(5), clock: clock.wallClock()))
        await #expect(throws: HTTPError.timeout) { try await handler.respond(to: request) }
        expectEqual(asked.entries.count, 1)
    }

    @Test func `A rate limit around a handler forgets keys that hold nothing back, and no others`() async throws {
        let handler = answering.intercepted(by: [RateLimitInterceptor(requests: 1, per: .seconds(9), clock: leaping())])
        for number in 0..<600 { _ = try await handler.respond(to: get("h\(number).example")) }
        #expect(waits.entries.isEmpty)
        // None of them is out of its window, so none was bufferingTransfers.
        _ = try await handler.respond(to: get("h0.example"))
        expectEqual(waits.entries, [.seconds(9)])
        for number in 600..<1400 { _ = try await handler.respond(to: get("h\(number).example")) }
        _ = try await handler.respond(to: get("h1399.example"))
        expectEqual(waits.entries, [.seconds(9), .seconds(9)])
    }
}
