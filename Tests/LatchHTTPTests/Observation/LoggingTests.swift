// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct LoggingTests {
    let clock = ManualClock()
    let entries = Recording<LogEntry>()

    private func ask(
        _ request: HTTPRequest, options: LoggingOptions = LoggingOptions(),
        _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse = { _ in HTTPResponse(status: .ok) }
    ) async -> Result<HTTPResponse, any Error> {
        let logging = LoggingInterceptor(options, clock: clock.wallClock()) { [entries] in entries.add($0) }
        let handler = ClosureHandler(answer).intercepted(by: [logging])
        return await Task { try await handler.respond(to: request) }.result
    }

    private func get(_ path: String) -> HTTPRequest { HTTPRequest(authority: "api.example.com:8443", path: path) }

    @Test func `A log of requests states the request, the answer and the duration`() async throws {
        var request = get("/v1/notes?page=2")
        request.method = .post
        request.body = HTTPBody("hello")
        request.fields[.requestID] = "mine"
        _ = await ask(request) { [clock] _ in
            clock.advance(by: .microseconds(12_345))
            return HTTPResponse(status: .created, fields: [.requestID: "r-1.2_3"], body: HTTPBody("abc"))
        }
        let entry = try #require(entries.entries.first)
        expectEqual(entries.entries.count, 1)
        expectEqual(
            entry.description,
            "POST https://api.example.com:8443/v1/notes?page=* → 201 in 12.3 ms, 5 B sent, 3 B received, request r-1.2_3"
        )
        expectEqual(entry.level, .info)
        expectEqual(entry.status, 201)
        expectEqual(entry.duration, .microseconds(12_345))
        expectEqual(entry.sentBytes, 5)
        expectEqual(entry.receivedBytes, 3)
        #expect(entry.fields.isEmpty)
    }

    @Test(arguments: [
        (200, LogLevel.info), (204, .info), (304, .info), (302, .warning), (400, .warning), (401, .warning),
        (429, .warning), (500, .error), (503, .error),
    ])
    func `A log of requests gives each status its level, and leaves out less important ones`(
        status: Int, level: LogLevel
    ) async {
        for minimum in LogLevel.allCases {
            let before = entries.entries.count
            _ = await ask(get("/"), options: LoggingOptions(minimumLevel: minimum)) { _ in
                HTTPResponse(status: HTTPStatus(rawValue: status))
            }
            let written = entries.entries.dropFirst(before)
            expectEqual(written.filter { $0.level == level }.count, level >= minimum ? 1 : 0)
            expectEqual(written.filter { $0.level == .debug }.count, minimum == .debug ? 1 : 0)
        }
    }

    @Test func `A log of requests names an error by its code, or by its type`() async throws {
        struct Odd: Error { let text = "secret" }
        let errors: [any Error] = [HTTPError.timeout, Odd(), HTTPError.cancelled, CancellationError()]
        for error in errors { _ = await ask(get("/")) { _ in throw error } }
        expectEqual(entries.entries.map(\.errorCode), ["timeout", "Odd", "cancelled", "CancellationError"])
        expectEqual(entries.entries.map(\.level), [.error, .error, .info, .info])
        expectEqual(entries.entries.first?.description, "GET https://api.example.com:8443/ → timeout in 0.0 ms")
    }

    @Test(arguments: [
        ("/", "/"), ("/v1/users/me", "/v1/users/me"), ("/users/42", "/users/*"),
        ("/api/auth/refresh-token", "/api/auth/refresh-token"),
        ("/userservice.v1.UserService/GetUser", "/userservice.v1.UserService/GetUser"),
        ("/.well-known/openid-configuration", "/.well-known/openid-configuration"), ("/oauth2/token", "/oauth2/token"),
        ("/reset/9f8b7c6d5e", "/reset/*"), ("/u/aGVsbG8gd29ybGQ", "/u/*"), ("/k/ABCDEF", "/k/*"), ("/x%20y/a", "/*/a"),
        ("/550e8400-e29b-41d4-a716-446655440000", "/*"), ("/a//b/", "/a//b/"), ("/v123", "/*"), ("/a1", "/*"),
        ("/" + String(repeating: "a", count: 41), "/*"), ("/ü", "/*"),
        ("/eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo", "/*"),
    ])
    func `A log of requests shows of a path the words and the versions`(path: String, shown: String) async {
        _ = await ask(get(path))
        expectEqual(entries.entries.last?.target, shown)
    }

    @Test(arguments: [
        ("?", "?*"), ("?page=2", "?page=2"), ("?page=2&sort=name", "?page=2&sort=*"), ("?x", "?*"), ("?=x", "?=*"),
        ("?a1b2=x", "?*=*"), ("?page=a%0Ab", "?page=a%0Ab"), ("?page=&token=a=b", "?page=&token=*"),
        ("?Page=2", "?Page=*"), ("?PAGE=2", "?*=*"),
        ("?page=" + String(repeating: "9", count: 70), "?page=" + String(repeating: "9", count: 64) + "…"),
    ])
    func `A log of requests shows of a query the names, and the values on the list`(query: String, shown: String) async
    {
        _ = await ask(get("/" + query), options: LoggingOptions(queryNames: ["page"]))
        expectEqual(entries.entries.last?.target, "/" + shown)
    }

    @Test func `A log of requests shows the template in place of the path, and hides the rest if told to`() async {
        var request = get("/users/ada?x=1")
        _ = await ask(request, options: LoggingOptions(hidesPaths: true))
        request.template = "/users/{id}"
        _ = await ask(request, options: LoggingOptions(hidesPaths: true))
        expectEqual(entries.entries.map(\.target), ["/*", "/users/{id}?x=*"])
    }

    @Test func `A log of requests is one line, whatever a peer sends`() async {
        let evil = "a\r\nINFO all is well \u{1B}[2J\u{2028}"
        var options = LoggingOptions(minimumLevel: .debug, queryNames: ["q"])
        options.fieldNames = [.contentType]
        var request = get("/\(evil)?q=\(evil)&\(evil)=1")
        request.template = nil
        request.fields = [.contentType: evil, .requestID: evil]
        _ = await ask(request, options: options) { _ in
            HTTPResponse(status: .ok, fields: [.contentType: evil, .requestID: evil])
        }
        for entry in entries.entries {
            #expect(
                entry.description.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && $0.value != 0x2028 && $0.value != 0x7F
                })
            expectNil(entry.requestID)
        }
        expectEqual(entries.entries.count, 2)
    }

    @Test func `A log of requests shows fields only when debugging, and only those on its list`() async throws {
        let request = HTTPRequest(
            authority: "h", path: "/", fields: [.accept: "text/plain", "X-Other": "x", .userAgent: "me"])
        let answer: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            HTTPResponse(status: .ok, fields: ["content-type": "text/plain", "Server": "s", .retryAfter: "7"])
        }
        _ = await ask(request) { answer($0) }
        expectEqual(entries.entries.last?.fields, [])
        _ = await ask(request, options: LoggingOptions(minimumLevel: .debug)) { answer($0) }
        expectEqual(
            entries.entries.suffix(2).map(\.fields),
            [
                ["Accept: text/plain", "User-Agent: me"], ["content-type: text/plain", "Retry-After: 7"],
            ])
        expectEqual(entries.entries.last?.description.hasSuffix("[content-type: text/plain; Retry-After: 7]"), true)
    }

    @Test func `A log of requests states the attempt and the trace if they are known`() async throws {
        let count = Recording<Int>()
        let logging = LoggingInterceptor(clock: clock.wallClock()) { [entries] in entries.add($0) }
        let handler = ClosureHandler { _ in
            count.add(1)
            return HTTPResponse(status: count.entries.count < 2 ? 503 : 200)
        }
        .intercepted(by: [TraceInterceptor(), RetryInterceptor(clock: clock.leapingClock()), logging])
        _ = try await handler.respond(to: get("/"))
        expectEqual(entries.entries.map(\.attempt), [1, 2])
        expectEqual(Set(entries.entries.compactMap(\.traceID)).count, 1)
        expectEqual(entries.entries.last?.description.contains("attempt 2, trace "), true)
    }

    @Test func `A log of requests has no size for a stream whose end is not known`() async {
        var request = get("/")
        request.body = HTTPBody(HTTPBodyStream(once: { nil }))
        _ = await ask(request) { _ in HTTPResponse(status: .ok, body: HTTPBody(HTTPBodyStream(once: { nil }))) }
        expectNil(entries.entries.first?.sentBytes)
        expectNil(entries.entries.first?.receivedBytes)
    }
}
