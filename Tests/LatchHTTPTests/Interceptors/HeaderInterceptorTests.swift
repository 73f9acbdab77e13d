// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct `An interceptor of header fields` {
    private let echo = ClosureHandler { request in HTTPResponse(status: .ok, fields: request.fields) }
    private let request = HTTPRequest(authority: "h", path: "/", fields: [.accept: "mine", "X-Own": "own"])

    private func sent(_ interceptor: HeaderInterceptor) async throws -> HTTPFields {
        try await echo.intercepted(by: [interceptor]).respond(to: request).fields
    }

    @Test func `sets its fields in place of the request's, whatever their case`() async throws {
        let fields = try await sent(HeaderInterceptor(["accept": "theirs", .userAgent: "Notes/1"]))
        #expect(fields.values(of: .accept) == ["theirs"])
        #expect(fields[.userAgent] == "Notes/1")
        #expect(fields["X-Own"] == "own")
    }

    @Test func `leaves what the request has where it is told to`() async throws {
        let fields = try await sent(
            HeaderInterceptor([.accept: "theirs", .userAgent: "a", .userAgent: "b"], replacing: false))
        #expect(fields.values(of: .accept) == ["mine"])
        #expect(fields.values(of: .userAgent) == ["a", "b"])
    }

    @Test func `keeps all lines of one name`() async throws {
        let fields = try await sent(HeaderInterceptor([.accept: "a", "X-New": "1", "ACCEPT": "b", .accept: "c"]))
        #expect(fields.values(of: .accept) == ["a", "b", "c"])
        #expect(fields.values(of: "X-New") == ["1"])
    }

    @Test func `asks for the fields of each request`() async throws {
        let fields = try await sent(HeaderInterceptor { request in ["X-Path": request.path] })
        #expect(fields["X-Path"] == "/")
    }

    @Test func `sends nothing where the fields cannot be had`() async {
        await #expect(throws: HTTPError.offline) { try await sent(HeaderInterceptor { _ in throw HTTPError.offline }) }
    }
}

@Suite struct `An idempotency key` {
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
    func `is given to what is not idempotent by itself`(method: HTTPMethod, isGiven: Bool) async throws {
        _ = try await client([IdempotencyInterceptor()]).respond(to: request(method))
        let key = try #require(seen.entries.first)
        #expect((key != nil) == isGiven)
        #expect(key?.utf8.count ?? 32 == 32)
    }

    @Test func `is another for each request`() async throws {
        let client = client([IdempotencyInterceptor()])
        for _ in 0..<100 { _ = try await client.respond(to: request(.post)) }
        #expect(Set(seen.entries).count == 100)
    }

    @Test func `is the same for each attempt, and makes the request one that is repeated`() async throws {
        let clock = ManualClock().leapingClock()
        let client = client([IdempotencyInterceptor(), RetryInterceptor(clock: clock)], failing: 2)
        #expect(try await client.respond(to: request(.post)).status == .ok)
        #expect(seen.entries.count == 3)
        #expect(Set(seen.entries).count == 1)
    }

    @Test func `is the caller's where there is one`() async throws {
        _ = try await client([IdempotencyInterceptor()]).respond(to: request(.post, [.idempotencyKey: "mine"]))
        #expect(seen.entries == ["mine"])
    }

    @Test func `is written in quotation marks where the server wants a string`() async throws {
        let zero = RandomSource { 0 }
        _ = try await client([IdempotencyInterceptor(quoted: true, random: zero)]).respond(to: request(.post))
        #expect(seen.entries == ["\"00000000000000000000000000000000\""])
    }

    @Test func `is given to other methods where somebody says so`() async throws {
        let client = client([IdempotencyInterceptor(methods: [.put])])
        _ = try await client.respond(to: request(.put))
        _ = try await client.respond(to: request(.post))
        #expect(seen.entries.map { $0 != nil } == [true, false])
    }
}
