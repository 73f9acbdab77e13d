// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite(.tags(.retryPolicy)) struct RetryTests {
    let clock = ManualClock()
    let attempts = Recording<Int>()
    let pauses = Recording<Duration>()

    /// A client whose server does one thing after the other, the last for ever, and whose pauses are the bounds.
    func client(
        _ script: Result<HTTPResponse, any Error>...,
        policy: RetryPolicy = RetryPolicy(baseDelay: .seconds(1), jitter: .none),
        observing observe: (@Sendable (RetryInterceptor.Retry) -> Void)? = nil
    ) -> any Handler {
        let leaping = clock.leapingClock { [pauses] in pauses.add($0) }
        return ClosureHandler { [attempts] request in
            attempts.add(request.attempt)
            return try script[min(attempts.entries.count, script.count) - 1].get()
        }
        .intercepted(by: [RetryInterceptor(policy, clock: leaping, observing: observe)])
    }

    /// Asks, and says which pauses there were; they take no time.
    func ask(
        _ client: any Handler, _ request: HTTPRequest = HTTPRequest(authority: "h", path: "/")
    ) async -> (Result<HTTPResponse, any Error>, pauses: [Duration]) {
        let asking = Task { try await client.respond(to: request) }
        return (await asking.result, pauses.entries)
    }

    /// A source of the largest numbers.
    static let most = RandomSource { .max }

    static func answer(_ status: HTTPStatus, _ fields: HTTPFields = [:]) -> Result<HTTPResponse, any Error> {
        .success(HTTPResponse(status: status, fields: fields))
    }

    @Test(arguments: [HTTPError.offline, .timeout])
    func `A request that fails for the network is tried again after growing pauses`(error: HTTPError) async throws {
        let (result, pauses) = await ask(client(.failure(error), .failure(error), Self.answer(200)))
        try expectEqual(result.get().status, .ok)
        expectEqual(pauses, [.seconds(1), .seconds(2)])
        expectEqual(attempts.entries, [1, 2, 3])
    }

    @Test(arguments: [429, 502, 503, 504])
    func `A request that fails for a temporary state of the server is tried again`(status: Int) async throws {
        let (result, pauses) = await ask(client(Self.answer(HTTPStatus(rawValue: status)), Self.answer(200)))
        try expectEqual(result.get().status, .ok)
        expectEqual(pauses, [.seconds(1)])
    }

    @Test(arguments: [200, 204, 301, 304, 400, 401, 403, 404, 409, 422, 500, 501, 505])
    func `A request that fails for another reason, or not at all, is not tried again`(status: Int) async throws {
        let (result, pauses) = await ask(client(Self.answer(HTTPStatus(rawValue: status))))
        try expectEqual(result.get().status.rawValue, status)
        #expect(pauses.isEmpty)
        expectEqual(attempts.entries, [1])
    }

    @Test func `A request that fails with 500 is tried again if the policy says so`() async throws {
        var policy = RetryPolicy(jitter: .none)
        policy.statuses.insert(.internalServerError)
        let (result, _) = await ask(client(Self.answer(500), Self.answer(200), policy: policy))
        try expectEqual(result.get().status, .ok)
    }

    @Test(arguments: [HTTPError.tls, .cancelled, .malformedMessage, .invalidURL, .redirectRefused])
    func `A request that fails for a lasting reason is not tried again`(error: HTTPError) async {
        let (result, pauses) = await ask(client(.failure(error)))
        #expect(throws: error) { try result.get() }
        #expect(pauses.isEmpty)
        expectEqual(attempts.entries, [1])
    }

    @Test func `A request that fails to the last returns its failure unchanged`() async throws {
        let (result, _) = await ask(client(.failure(HTTPError.offline), Self.answer(503, ["X-Last": "yes"])))
        try expectEqual(result.get().fields["X-Last"], "yes")
        expectEqual(attempts.entries, [1, 2, 3])
        let failing = client(.failure(HTTPError.timeout))
        let (failure, _) = await ask(failing)
        #expect(throws: HTTPError.timeout) { try failure.get() }
    }

    @Test func `A request that fails and is not idempotent is sent once`() async throws {
        let post = HTTPRequest(method: .post, authority: "h", path: "/", body: HTTPBody("x"))
        let (result, _) = await ask(client(Self.answer(503), Self.answer(200)), post)
        try expectEqual(result.get().status, .serviceUnavailable)
        expectEqual(attempts.entries, [1])
    }

    @Test func `A request that fails and carries an Idempotency-Key is tried again`() async throws {
        let request = HTTPRequest(method: .post, authority: "h", path: "/", fields: [.idempotencyKey: "k"])
        let (result, _) = await ask(client(Self.answer(503), Self.answer(200)), request)
        try expectEqual(result.get().status, .ok)
    }

    @Test func `A request that fails waits as long as the server asks, in seconds or until a date`() async throws {
        let date = HTTPDate(clock.now)
        let later = HTTPDate(date.date.addingTimeInterval(30)).description
        let handler = client(
            Self.answer(429, [.retryAfter: "7"]), Self.answer(503, [.retryAfter: later, .date: date.description]),
            Self.answer(200))
        let (result, pauses) = await ask(handler)
        try expectEqual(result.get().status, .ok)
        expectEqual(pauses, [.seconds(7), .seconds(30)])
    }

    @Test func `A request that fails waits no shorter than its own pause if the server asks for less`() async throws {
        let (_, pauses) = await ask(client(Self.answer(503, [.retryAfter: "0"]), Self.answer(200)))
        expectEqual(pauses, [.seconds(1)])
    }

    @Test func `A request that fails is answered at once if the server asks for more than the limit`() async throws {
        let policy = RetryPolicy(baseDelay: .seconds(1), jitter: .none, maximumRetryAfter: .seconds(60))
        let (result, pauses) = await ask(
            client(Self.answer(429, [.retryAfter: "61"]), Self.answer(200), policy: policy))
        try expectEqual(result.get().status, .tooManyRequests)
        #expect(pauses.isEmpty)
    }

    @Test func `A request that fails reports each repeat before its pause`() async throws {
        let told = Recording<RetryInterceptor.Retry>()
        let handler = client(
            .failure(HTTPError.offline), Self.answer(503), Self.answer(200), observing: { told.add($0) })
        _ = await ask(handler)
        expectEqual(told.entries.map(\.attempt), [1, 2])
        expectEqual(told.entries.map(\.delay), [.seconds(1), .seconds(2)])
        expectEqual(told.entries.map(\.status), [nil, .serviceUnavailable])
        expectEqual(told.entries.map(\.errorCode), ["offline", nil])
    }

    @Test func `A request that fails ends with the task during a pause`() async {
        let failing = ClosureHandler { [attempts] request in
            attempts.add(request.attempt)
            return HTTPResponse(status: 503)
        }
        let handler = failing.intercepted(by: [RetryInterceptor(clock: clock.wallClock(), random: Self.most)])
        let asking = Task { try await handler.respond(to: HTTPRequest(authority: "h", path: "/")) }
        _ = await clock.sleepers(atLeast: 1)
        asking.cancel()
        await #expect(throws: HTTPError.cancelled) { try await asking.value }
        expectEqual(attempts.entries, [1])
    }

    @Test func `A request that fails is not repeated in a task that is canceled meanwhile`() async {
        let (began, begin) = AsyncStream<Void>.makeStream()
        let failing = ClosureHandler { [attempts] request in
            attempts.add(request.attempt)
            begin.finish()
            while !Task.isCancelled { await Task.yield() }
            throw HTTPError.timeout
        }
        let handler = failing.intercepted(by: [RetryInterceptor(clock: clock.wallClock())])
        let asking = Task { try await handler.respond(to: HTTPRequest(authority: "h", path: "/")) }
        for await _ in began {}
        asking.cancel()
        await #expect(throws: HTTPError.timeout) { try await asking.value }
        expectEqual(attempts.entries, [1])
        #expect(clock.sleepers.isEmpty)
    }

    @Test func `A request that fails does not wait if the deadline would pass meanwhile`() async throws {
        let policy = RetryPolicy(maximumAttempts: 9, baseDelay: .seconds(4), jitter: .none, deadline: .seconds(10))
        let failing = ClosureHandler { [attempts] request in
            attempts.add(request.attempt)
            return HTTPResponse(status: 503)
        }
        let handler = failing.intercepted(by: [RetryInterceptor(policy, clock: clock.wallClock())])
        let asking = Task { try await handler.respond(to: HTTPRequest(authority: "h", path: "/")) }
        await expectEqual(clock.sleepers(atLeast: 2), [.seconds(4), .seconds(10)])
        clock.advance(by: .seconds(4))
        // The next pause would be of 8 s, and end at 12 s.
        try await expectEqual(asking.value.status, .serviceUnavailable)
        expectEqual(attempts.entries, [1, 2])
    }

    @Test func `A request that fails is ended by the deadline over all attempts while one hangs`() async {
        let hanging = ClosureHandler { [clock, attempts] request in
            attempts.add(request.attempt)
            try await clock.wallClock().sleep(for: .seconds(1000))
            return HTTPResponse(status: .ok)
        }
        let policy = RetryPolicy(deadline: .seconds(10))
        let handler = hanging.intercepted(by: [RetryInterceptor(policy, clock: clock.wallClock())])
        let asking = Task { try await handler.respond(to: HTTPRequest(authority: "h", path: "/")) }
        await expectEqual(clock.sleepers(atLeast: 2), [.seconds(10), .seconds(1000)])
        clock.advance(by: .seconds(10))
        await #expect(throws: HTTPError.timeout) { try await asking.value }
        expectEqual(attempts.entries, [1])
    }

    @Test func `A request that fails sends the same content again`() async throws {
        let bodies = Recording<[UInt8]>()
        let reading = ClosureHandler { request in
            bodies.add(try await request.body.collected(upTo: 100))
            return HTTPResponse(status: bodies.entries.count < 3 ? 503 : 200)
        }
        let stream = HTTPBodyStream {
            let rest = Mutex<[[UInt8]]>([[1, 2], [3]])
            return { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        }
        let handler = reading.intercepted(by: [
            RetryInterceptor(RetryPolicy(baseDelay: .zero), clock: clock.wallClock())
        ])
        let request = HTTPRequest(method: .put, authority: "h", path: "/", body: HTTPBody(stream))
        try await expectEqual(handler.respond(to: request).status, .ok)
        expectEqual(bodies.entries, [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    }
}
