// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite(.tags(.interceptorOrder)) struct OrderTests {
    private let steps = Recording<String>()
    private let request = HTTPRequest(authority: "api.example.com", path: "/")

    /// Notes when it sees the request and when the answer; asks again after a status that it is there for.
    private func step(_ name: String, repeatingAfter status: HTTPStatus? = nil) -> ClosureInterceptor {
        ClosureInterceptor { [steps] request, next in
            steps.add("\(name) adapts")
            var request = request
            request.fields.append(name, for: "X-Step")
            let response = try await next.respond(to: request)
            guard response.status == status else { return response }
            steps.add("\(name) repeats")
            return try await next.respond(to: request)
        }
    }

    private func server(_ statuses: HTTPStatus...) -> ClosureHandler {
        let count = Mutex(0)
        return ClosureHandler { request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return HTTPResponse(status: statuses[min(number, statuses.count - 1)], fields: request.fields)
        }
    }

    @Test func `A chain of interceptors adapts from the first to the last`() async throws {
        let chain = server(.ok).intercepted(by: [step("logging"), step("headers"), step("auth")])
        let response = try await chain.respond(to: request)
        expectEqual(steps.entries, ["logging adapts", "headers adapts", "auth adapts"])
        expectEqual(response.fields.values(of: "X-Step"), ["logging", "headers", "auth"])
    }

    @Test
    func `A chain of interceptors repeats from the last to the first, and the first that repeats wins`() async throws {
        let chain = server(.unauthorized, .ok).intercepted(by: [
            step("a", repeatingAfter: .unauthorized), step("b", repeatingAfter: .unauthorized),
            step("c", repeatingAfter: .unauthorized),
        ])
        try await expectEqual(chain.respond(to: request).status, .ok)
        expectEqual(steps.entries, ["a adapts", "b adapts", "c adapts", "c repeats"])
    }

    @Test
    func `A chain of interceptors lets the next outer one repeat a request that the last could not mend`() async throws
    {
        let chain = server(.unauthorized, .unauthorized, .ok).intercepted(by: [
            step("a", repeatingAfter: .unauthorized), step("b"), step("c", repeatingAfter: .unauthorized),
        ])
        try await expectEqual(chain.respond(to: request).status, .ok)
        expectEqual(
            steps.entries,
            [
                "a adapts", "b adapts", "c adapts", "c repeats", "a repeats", "b adapts", "c adapts",
            ])
    }

    @Test func `A chain of interceptors ends if one throws, and nothing is sent`() async {
        let stopping = ClosureInterceptor { _, _ in throw HTTPError.offline }
        let sent = Recording<Int>()
        let counting = ClosureHandler { _ in
            sent.add(1)
            return HTTPResponse(status: .ok)
        }
        let chain = counting.intercepted(by: [step("a"), stopping, step("c")])
        await #expect(throws: HTTPError.offline) { try await chain.respond(to: request) }
        expectEqual(steps.entries, ["a adapts"])
        #expect(sent.entries.isEmpty)
    }

    @Test
    func `A chain of interceptors in the recommended order logs once, keeps one key, and counts attempts`() async throws
    {
        let clock = ManualClock()
        let entries = Recording<LogEntry>()
        let keys = Recording<String?>()
        let spans = Recording<String?>()
        let metrics = SampleRecorder()
        let transport = ClosureHandler { request in
            keys.add(request.fields[.idempotencyKey])
            spans.add(request.fields[.traceparent])
            return HTTPResponse(status: keys.entries.count < 3 ? 503 : 201)
        }
        let client = Client(
            baseURL: try #require(URL(string: "https://api.example.com")), transport: transport,
            interceptors: [
                TraceInterceptor(propagatingTo: { _ in true }),
                LoggingInterceptor(clock: clock.wallClock()) { entries.add($0) },
                MetricsInterceptor(metrics, clock: clock.wallClock()),
                HeaderInterceptor([.userAgent: "Notes/1"]),
                IdempotencyInterceptor(),
                RetryInterceptor(RetryPolicy(baseDelay: .seconds(1), jitter: .none), clock: clock.leapingClock()),
                RateLimitInterceptor(requests: 2, per: .seconds(60), clock: clock.leapingClock()),
            ])
        let response = try await client.perform(.raw(.post, "notes"))
        expectEqual(response.status, .created)
        expectEqual(entries.entries.map(\.status), [201])
        // Two concurrently, then the third waits for the window: 60 s after the first began.
        expectEqual(entries.entries.first?.duration, .seconds(60))
        expectEqual(metrics.samples.count, 1)
        expectEqual(keys.entries.count, 3)
        expectEqual(Set(keys.entries).count, 1)
        expectEqual(Set(spans.entries).count, 1)
        expectEqual(entries.entries.first?.traceID, spans.entries.first??.split(separator: "-")[1].description)
    }

    @Test func `A chain of interceptors in the recommended order is bounded as a whole`() async throws {
        let clock = ManualClock()
        let attempts = Recording<Int>()
        let hanging = ClosureHandler { request in
            attempts.add(request.attempt)
            try await clock.wallClock().sleep(for: .seconds(1000))
            return HTTPResponse(status: .ok)
        }
        let entries = Recording<LogEntry>()
        let chain = hanging.intercepted(by: [
            LoggingInterceptor(clock: clock.wallClock()) { entries.add($0) },
            TimeoutInterceptor(.seconds(20), clock: clock.wallClock()), RetryInterceptor(clock: clock.wallClock()),
            RateLimitInterceptor(requests: 5, per: .seconds(1), clock: clock.wallClock()),
        ])
        let asking = Task { try await chain.respond(to: request) }
        _ = await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(20))
        await #expect(throws: HTTPError.timeout) { try await asking.value }
        expectEqual(attempts.entries, [1])
        expectEqual(entries.entries.map(\.errorCode), ["timeout"])
        #expect(clock.sleepers.isEmpty)
    }
}
