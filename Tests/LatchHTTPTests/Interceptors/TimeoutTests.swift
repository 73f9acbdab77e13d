// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct TimeoutTests {
    let clock = ManualClock()
    let request = HTTPRequest(authority: "h", path: "/")

    private func limit(_ duration: Duration) -> TimeoutInterceptor {
        TimeoutInterceptor(duration, clock: clock.wallClock())
    }

    /// A handler that answers only when its task is cancelled, and says so.
    private func hanging(_ ended: Recording<String>) -> ClosureHandler {
        ClosureHandler { [clock] _ in
            do { try await clock.wallClock().sleep(for: .seconds(1_000_000)) } catch {
                ended.add("cancelled")
                throw HTTPError.cancelled
            }
            return HTTPResponse(status: .ok)
        }
    }

    @Test func `A deadline lets an answer through that comes in time, and leaves nothing behind`() async throws {
        let quick = ClosureHandler { _ in HTTPResponse(status: .noContent) }
        let response = try await quick.intercepted(by: [limit(.seconds(5))]).respond(to: request)
        expectEqual(response.status, .noContent)
        #expect(clock.sleepers.isEmpty)
    }

    @Test func `A deadline lets an error through as it came`() async {
        let failing = ClosureHandler { _ in throw HTTPError.tls }
        await #expect(throws: HTTPError.tls) {
            try await failing.intercepted(by: [limit(.seconds(5))]).respond(to: request)
        }
        #expect(clock.sleepers.isEmpty)
    }

    @Test func `A deadline ends the inner work when it passes, as a timeout`() async {
        let ended = Recording<String>()
        let handler = hanging(ended).intercepted(by: [limit(.seconds(5))])
        let asking = Task { try await handler.respond(to: request) }
        _ = await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(5))
        await #expect(throws: HTTPError.timeout) { try await asking.value }
        expectEqual(ended.entries, ["cancelled"])
        #expect(clock.sleepers.isEmpty)
    }

    @Test func `A deadline does not apply to a request that only its connection ends`() async throws {
        var request = request
        request.isUninterruptible = true
        request.timeout = .seconds(1)
        let slow = ClosureHandler { [clock] request in
            clock.advance(by: .seconds(3_600))
            expectNil(request.deadline)
            #expect(request.timeLimit(usual: .seconds(60)) > .seconds(86_400))
            return HTTPResponse(status: .ok)
        }
        let handler = BoundedResponses(slow, maximumSize: 1, within: .seconds(2))
        try await expectEqual(handler.intercepted(by: [limit(.seconds(5))]).respond(to: request).status, .ok)
        #expect(clock.sleepers.isEmpty)
    }

    @Test func `A deadline is not reported if the task is canceled from outside`() async {
        let ended = Recording<String>()
        let handler = hanging(ended).intercepted(by: [limit(.seconds(5))])
        let asking = Task { try await handler.respond(to: request) }
        _ = await clock.sleepers(atLeast: 2)
        asking.cancel()
        await #expect(throws: HTTPError.cancelled) { try await asking.value }
        expectEqual(ended.entries, ["cancelled"])
        #expect(clock.sleepers.isEmpty)
    }

    @Test(arguments: [(3, 9), (9, 3), (3, 3)])
    func `A deadline within another is never later than it`(outer: Int, inner: Int) async throws {
        let left = Recording<Duration>()
        let reading = ClosureHandler { request in
            if let deadline = request.deadline { left.add(deadline.remaining) }
            return HTTPResponse(status: .ok)
        }
        let handler = reading.intercepted(by: [limit(.seconds(outer)), limit(.seconds(inner))])
        _ = try await handler.respond(to: request)
        expectEqual(left.entries, [.seconds(3)])
    }

    @Test func `A deadline that has passed before lets nothing be sent`() async {
        let asked = Recording<Int>()
        let counting = ClosureHandler { _ in
            asked.add(1)
            return HTTPResponse(status: .ok)
        }
        for duration in [Duration.zero, .seconds(-1)] {
            await #expect(throws: HTTPError.timeout) {
                try await counting.intercepted(by: [limit(duration)]).respond(to: request)
            }
        }
        #expect(asked.entries.isEmpty)
    }

    @Test func `A deadline is not moved by a jump of the date`() {
        let deadline = Deadline(in: .seconds(10), clock: clock.wallClock())
        clock.jump(by: 86_400)
        expectEqual(deadline.remaining, .seconds(10))
        #expect(!deadline.hasPassed)
        clock.advance(by: .seconds(11))
        expectEqual(deadline.remaining, .seconds(-1))
        #expect(deadline.hasPassed)
    }

    @Test func `A deadline bounds the time for each transfer, and never lengthens it`() {
        var request = request
        expectEqual(request.timeLimit(usual: .seconds(60)), .seconds(60))
        request.timeout = .seconds(20)
        request.tighten(to: Deadline(in: .seconds(30), clock: clock.wallClock()))
        expectEqual(request.timeLimit(usual: .seconds(60)), .seconds(20))
        clock.advance(by: .seconds(25))
        expectEqual(request.timeLimit(usual: .seconds(60)), .seconds(5))
        request.tighten(to: Deadline(in: .seconds(90), clock: clock.wallClock()))
        expectEqual(request.timeLimit(usual: .seconds(60)), .seconds(5))
    }

    @Test func `A deadline inside a retry bounds each attempt, and outside it all of them`() async throws {
        let attempts = Recording<Int>()
        let slow = ClosureHandler { [clock] request in
            attempts.add(request.attempt)
            try await clock.wallClock().sleep(for: .seconds(100))
            return HTTPResponse(status: .ok)
        }
        let retry = RetryInterceptor(RetryPolicy(baseDelay: .zero), clock: clock.wallClock())
        let handler = slow.intercepted(by: [limit(.seconds(15)), retry, limit(.seconds(10))])
        let asking = Task { try await handler.respond(to: request) }
        await expectEqual(clock.sleepers(atLeast: 3), [.seconds(10), .seconds(15), .seconds(100)])
        clock.advance(by: .seconds(10))
        // The second attempt has what is left of the outer one.
        try await eventually { attempts.entries.count >= 2 }
        await expectEqual(clock.sleepers(atLeast: 3), [.seconds(5), .seconds(5), .seconds(100)])
        clock.advance(by: .seconds(5))
        await #expect(throws: HTTPError.timeout) { try await asking.value }
        expectEqual(attempts.entries, [1, 2])
    }

    @Test func `A deadline aborts a transfer that a server leaves hanging`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        let handler = CurlTransport().intercepted(by: [limit(.seconds(5))])
        let asking = Task {
            try await handler.respond(
                to: HTTPRequest(scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/"))
        }
        var closed = false
        for await event in server.events {
            if case .received = event {
                _ = await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(5))
            }
            if case .closedByClient = event {
                closed = true
                break
            }
        }
        await #expect(throws: HTTPError.timeout) { try await asking.value }
        #expect(closed)
    }
}
