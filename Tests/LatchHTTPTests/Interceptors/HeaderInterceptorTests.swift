// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct HeaderInterceptorTests {
    private let echo = ClosureHandler { request in HTTPResponse(status: .ok, fields: request.fields) }
    private let request = HTTPRequest(authority: "h", path: "/", fields: [.accept: "mine", "X-Own": "own"])

    private func sent(_ interceptor: HeaderInterceptor) async throws -> HTTPFields {
        try await echo.intercepted(by: [interceptor]).respond(to: request).fields
    }

    @Test
    func `An interceptor of header fields sets its fields in place of the request's, regardless of case`() async throws
    {
        let fields = try await sent(HeaderInterceptor(["accept": "theirs", .userAgent: "Notes/1"]))
        expectEqual(fields.values(of: .accept), ["theirs"])
        expectEqual(fields[.userAgent], "Notes/1")
        expectEqual(fields["X-Own"], "own")
    }

    @Test func `An interceptor of header fields keeps the request's fields if it is told to`() async throws {
        let fields = try await sent(
            HeaderInterceptor([.accept: "theirs", .userAgent: "a", .userAgent: "b"], replacing: false))
        expectEqual(fields.values(of: .accept), ["mine"])
        expectEqual(fields.values(of: .userAgent), ["a", "b"])
    }

    @Test func `An interceptor of header fields keeps all lines of one name`() async throws {
        let fields = try await sent(HeaderInterceptor([.accept: "a", "X-New": "1", "ACCEPT": "b", .accept: "c"]))
        expectEqual(fields.values(of: .accept), ["a", "b", "c"])
        expectEqual(fields.values(of: "X-New"), ["1"])
    }

    @Test func `An interceptor of header fields asks for the fields of each request`() async throws {
        let fields = try await sent(HeaderInterceptor { request in ["X-Path": request.path] })
        expectEqual(fields["X-Path"], "/")
    }

    @Test func `An interceptor of header fields sends nothing if the fields cannot be obtained`() async {
        await #expect(throws: HTTPError.offline) { try await sent(HeaderInterceptor { _ in throw HTTPError.offline }) }
    }
}

@Suite struct IdempotencyKeyTests {
    private let seen = Recording<String?>()

    private func client(_ interceptors: [any Interceptor], failing times: Int = 0) -> any Handler {
        ClosureHandler { [seen] request in
            seen.add(request.fields[.idempotencyKey])
            return HTTPResponse(status: seen.entries.count > times ? 200 : 503)
        }
        .intercepted(by: interceptors)
    }

    private func request(_ method: HTTPMethod, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: method, authority: "h", path: "/", fields: fields)
    }

    @Test(arguments: [
        (HTTPMethod.post, true), (.patch, true), (.get, false), (.put, false), (.delete, false), (.head, false),
    ])
    func `An idempotency key is added to requests that are not idempotent`(method: HTTPMethod, isGiven: Bool)
        async throws
    {
        _ = try await client([IdempotencyInterceptor()]).respond(to: request(method))
        let key = try #require(seen.entries.first)
        expectEqual(key != nil, isGiven)
        expectEqual(key?.utf8.count ?? 32, 32)
    }

    @Test func `An idempotency key is another for each request`() async throws {
        let client = client([IdempotencyInterceptor()])
        for _ in 0..<100 { _ = try await client.respond(to: request(.post)) }
        expectEqual(Set(seen.entries).count, 100)
    }

    @Test func `An idempotency key is the same for each attempt, and lets the request be repeated`() async throws {
        let clock = ManualClock().leapingClock()
        let client = client([IdempotencyInterceptor(), RetryInterceptor(clock: clock)], failing: 2)
        try await expectEqual(client.respond(to: request(.post)).status, .ok)
        expectEqual(seen.entries.count, 3)
        expectEqual(Set(seen.entries).count, 1)
    }

    @Test func `An idempotency key is the caller's if there is one`() async throws {
        _ = try await client([IdempotencyInterceptor()]).respond(to: request(.post, [.idempotencyKey: "mine"]))
        expectEqual(seen.entries, ["mine"])
    }

    @Test func `An idempotency key is written in quotation marks if the server wants a string`() async throws {
        let zero = RandomSource { 0 }
        _ = try await client([IdempotencyInterceptor(quoted: true, random: zero)]).respond(to: request(.post))
        expectEqual(seen.entries, ["\"00000000000000000000000000000000\""])
    }

    @Test func `An idempotency key is added to other methods if configured`() async throws {
        let client = client([IdempotencyInterceptor(methods: [.put])])
        _ = try await client.respond(to: request(.put))
        _ = try await client.respond(to: request(.post))
        expectEqual(seen.entries.map { $0 != nil }, [true, false])
    }
}
