// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import Synchronization
import Testing

@Suite struct InterceptorTests {
    struct Unexpected: Error {}

    static let echoID = ClosureHandler { request in
        HTTPResponse(status: .ok, body: HTTPBody(request.fields[.requestID] ?? "none"))
    }

    static func request(_ fields: HTTPFields = [:], path: String = "/p?token=secret", body: String = "") -> HTTPRequest
    {
        HTTPRequest(method: .post, authority: "localhost", path: path, fields: fields, body: HTTPBody(body))
    }

    @Test(arguments: ["abc-1_2.Z", String(repeating: "a", count: 64)])
    func `The server's interceptors keep a safe request id`(id: String) async throws {
        let handler = Self.echoID.intercepted(by: [RequestIDInterceptor()])
        let response = try await handler.respond(to: Self.request([.requestID: id]))
        expectEqual(response.fields[.requestID], id)
        expectEqual(response.body.text, id)
    }

    @Test(arguments: ["", "a b", "a\r\nb", "<script>", "\u{E9}", String(repeating: "a", count: 65)])
    func `The server's interceptors replace an unsafe request id`(id: String) async throws {
        let handler = Self.echoID.intercepted(by: [RequestIDInterceptor(making: { "made" })])
        let response = try await handler.respond(to: Self.request([.requestID: id]))
        expectEqual(response.fields[.requestID], "made")
        expectEqual(response.body.text, "made")
    }

    @Test(arguments: ["sent", "not safe"])
    func `The server's interceptors keep the request id of an outer interceptor`(sent: String) async throws {
        let handler = Self.echoID.intercepted(by: [
            RequestIDInterceptor(making: { "outer" }), RequestIDInterceptor(making: { "inner" }),
        ])
        let response = try await handler.respond(to: Self.request([.requestID: sent]))
        expectEqual(response.fields.values(of: .requestID), [sent == "sent" ? "sent" : "outer"])
        expectEqual(response.body.text, response.fields[.requestID])
    }

    /// A handler may make a request of its own with the context of another one, out of content that nobody has checked.
    @Test(arguments: [[:], [.requestID: "not safe"]] as [HTTPFields])
    func `The server's interceptors replace the request id of another request with the same context`(fields: HTTPFields)
        async throws
    {
        let inner = Self.echoID.intercepted(by: [RequestIDInterceptor(making: { "inner" })])
        let outer = ClosureHandler { request in
            var other = Self.request(fields)
            other.context = request.context
            return try await inner.respond(to: other)
        }
        .intercepted(by: [RequestIDInterceptor(making: { "outer" })])
        let response = try await outer.respond(to: Self.request())
        expectEqual(response.body.text, "inner")
        expectEqual(response.fields.values(of: .requestID), ["outer"])
    }

    @Test func `The server's interceptors make a new request id for each request`() async throws {
        let handler = Self.echoID.intercepted(by: [RequestIDInterceptor()])
        var ids: Set<String> = []
        for _ in 0..<100 { ids.insert(try await handler.respond(to: Self.request()).body.text ?? "") }
        expectEqual(ids.count, 100)
        #expect(ids.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func `The server's interceptors log requests without their secrets`() async throws {
        let log = Mutex<[AccessLogEntry]>([])
        let logging = AccessLogInterceptor { entry in log.withLock { $0.append(entry) } }
        let handler = Self.echoID.intercepted(by: [RequestIDInterceptor(making: { "id" }), logging])
        _ = try await handler.respond(to: Self.request([.authorization: "Bearer secret", .cookie: "s=secret"]))
        let entry = try #require(log.withLock { $0.first })
        expectEqual(entry.method, .post)
        expectEqual(entry.path, "/p")
        expectEqual(entry.status, .ok)
        expectEqual(entry.contentLength, 2)
        expectEqual(entry.requestID, "id")
        expectNil(entry.remoteAddress)
        #expect(entry.duration >= .zero)
        #expect(!String(describing: entry).contains("secret"))
    }

    @Test func `The server's interceptors log a request that failed, and pass on the error`() async throws {
        let log = Mutex<[AccessLogEntry]>([])
        let logging = AccessLogInterceptor { entry in log.withLock { $0.append(entry) } }
        let handler = ClosureHandler { _ in throw Unexpected() }.intercepted(by: [logging])
        await #expect(throws: Unexpected.self) { try await handler.respond(to: Self.request()) }
        expectEqual(log.withLock { $0.map(\.status) }, [nil])
        expectEqual(log.withLock { $0.map(\.failure) }, ["Unexpected"])
    }

    @Test func `The server's interceptors log that a streamed response failed`() async throws {
        let log = Mutex<[AccessLogEntry]>([])
        let logging = AccessLogInterceptor { entry in log.withLock { $0.append(entry) } }
        let handler = ClosureHandler { _ in
            let pieces = Mutex([[UInt8](repeating: 1, count: 7)])
            return HTTPResponse(
                status: .ok,
                body: HTTPBody(
                    HTTPBodyStream(length: nil) {
                        guard let piece = pieces.withLock({ $0.popLast() }) else { throw Unexpected() }
                        return piece
                    }))
        }.intercepted(by: [logging])
        await #expect(throws: Unexpected.self) {
            let stream = try #require(try await handler.respond(to: Self.request()).body.stream)
            for try await piece in stream { expectEqual(piece.count, 7) }
        }
        expectEqual(log.withLock { $0.map(\.failure) }, ["Unexpected"])
        expectEqual(log.withLock { $0.map(\.contentLength) }, [7])
    }

    @Test func `The server's interceptors report only unexpected errors`() async throws {
        let reports = Mutex<[String]>([])
        let problems = ProblemInterceptor { error, request in
            reports.withLock { $0.append("\(type(of: error)) \(request.path)") }
        }
        let failing = ClosureHandler { request in
            if request.path == "/client" { throw ServerError.unsupportedMediaType }
            if request.path == "/server" { throw ServerError.outOfResources }
            throw Unexpected()
        }
        let handler = failing.intercepted(by: [problems])
        try await expectEqual(handler.respond(to: Self.request(path: "/client")).status, .unsupportedMediaType)
        try await expectEqual(handler.respond(to: Self.request(path: "/server")).status, .internalServerError)
        try await expectEqual(handler.respond(to: Self.request(path: "/other")).status, .internalServerError)
        expectEqual(reports.withLock { $0 }, ["ServerError /server", "Unexpected /other"])
    }
}
