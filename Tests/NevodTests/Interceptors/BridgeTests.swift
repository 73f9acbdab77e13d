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

/// An interceptor made of a closure.
struct Adapting: RequestInterceptor {
    let body: @Sendable (inout URLRequest) -> Void
    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        body(&request)
        return request
    }
}

@Suite struct BridgeTests {
    private func sent(
        _ method: HTTPMethod = .get, body: [String: String]? = nil, headers: [String: String]? = nil,
        by adapt: @escaping @Sendable (inout URLRequest) -> Void
    ) async throws -> (request: RawHTTPServer.Request?, error: NetworkError?) {
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let provider = provider(try #require(URL(string: server.url)), interceptor: Adapting(body: adapt))
        struct Plain: Route {
            typealias Response = EmptyResponse
            let method: HTTPMethod
            let parameters: [String: String]?
            let headers: [String: String]?
            var domain: DefaultDomain { .default }
            var endpoint: String { "/a%20b?x=%2F&y=ü" }
            var parameterEncoding: ParameterEncoding { .json }
        }
        let error = await failure {
            try await provider.perform(Plain(method: method, parameters: body, headers: headers))
        }
        return (server.requests.first, error)
    }

    @Test func `A request that passes an interceptor is unchanged if the interceptor changes nothing`() async throws {
        let (request, error) = try await sent(
            .post, body: ["k": "v"], headers: ["X-B": "2", "X-A": "1", "Content-Type": "application/vnd.x+json"]
        ) { _ in }
        expectNil(error)
        expectEqual(request?.line, "POST /a%20b?x=%2F&y=%C3%BC HTTP/1.1")
        expectEqual(request?.values(of: "X-A"), ["1"])
        expectEqual(request?.values(of: "Content-Type"), ["application/vnd.x+json"])
        expectEqual(request.map { String(decoding: $0.body, as: UTF8.self) }, #"{"k":"v"}"#)
    }

    @Test func `A request that passes an interceptor is shown with everything that is sent`() async throws {
        let seen = Mutex<URLRequest?>(nil)
        _ = try await sent(.put, body: ["k": "v"], headers: ["X-A": "1"]) { request in
            seen.withLock { [request] in $0 = request }
        }
        let request = try #require(seen.withLock { $0 })
        expectEqual(request.httpMethod, "PUT")
        expectEqual(request.url?.path, "/a b")
        expectEqual(request.httpBody, Data(#"{"k":"v"}"#.utf8))
        expectEqual(request.value(forHTTPHeaderField: "x-a"), "1")
        expectEqual(request.timeoutInterval, 30)
    }

    @Test
    func `A request that passes an interceptor loses a field and its content if these are removed`() async throws {
        let (request, _) = try await sent(.post, body: ["k": "v"], headers: ["X-A": "1"]) { request in
            request.setValue(nil, forHTTPHeaderField: "x-a")
            request.httpBody = nil
        }
        expectEqual(request?.values(of: "X-A").isEmpty, true)
        expectEqual(request?.body.isEmpty, true)
    }

    @Test func `A request that passes an interceptor is rejected if its content would be lost`() async throws {
        let (request, error) = try await sent { $0.httpBodyStream = InputStream(data: Data("x".utf8)) }
        expectNil(request)
        expectEqual(error, .bodyEncodingFailed)
    }

    @Test(arguments: ["ftp://example.com/a", "https://user:pass@example.com/", "http://api.example.com/a", ""])
    func `A request that passes an interceptor is rejected if its new URL is invalid`(url: String) async throws {
        let (request, error) = try await sent { $0.url = URL(string: url) }
        expectNil(request)
        expectEqual(error, .invalidURL)
    }

    @Test(arguments: ["a\r\nX-Evil: yes", "a\u{0}b"])
    func `A request that passes an interceptor is rejected if a field is invalid`(value: String) async throws {
        let (request, error) = try await sent { $0.setValue(value, forHTTPHeaderField: "X-A") }
        #expect(request?.values(of: "X-Evil").isEmpty ?? true)
        #expect(request == nil || error == nil)
        expectNotEqual(request?.head.contains("X-Evil"), true)
    }

    @Test func `A request that passes an interceptor can have another timeout`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        let provider = provider(
            try #require(URL(string: server.url)), interceptor: Adapting { $0.timeoutInterval = 0.2 })
        await expectEqual(failure { () -> EmptyResponse in try await provider.get("a") }, .timeout)
    }

    @Test(arguments: [0, -1, .infinity, .nan, 1e300] as [TimeInterval])
    func `A request that passes an interceptor can have an unlimited timeout`(limit: TimeInterval) async throws {
        let (request, error) = try await sent { $0.timeoutInterval = limit }
        #expect(request != nil)
        expectNil(error)
    }

    @Test func `A request that passes an interceptor keeps its fields on a redirect within the origin`() async throws {
        let server = try RawHTTPServer { request in
            request.line.contains("/here")
                ? .response(307, fields: ["Location: there?x=1"]) : .response(200, body: "{}")
        }
        let provider = provider(
            try #require(URL(string: server.url)),
            interceptor: Adapting { $0.setValue("s", forHTTPHeaderField: "X-Secret") })
        let _: EmptyResponse = try await provider.put("here", body: ["k": "v"])
        expectEqual(server.requests.map(\.line), ["PUT /here HTTP/1.1", "PUT /there?x=1 HTTP/1.1"])
        expectEqual(server.requests.map { $0.values(of: "X-Secret") }, [["s"], ["s"]])
        #expect(server.requests.map(\.body).allSatisfy { $0 == Array(#"{"k":"v"}"#.utf8) })
    }

    @Test(.tags(.apiKeys))
    func `A request that passes an interceptor treats added parameters as secrets`() async throws {
        let notes = Mutex<[String]>([])
        let logger = NevodLogger(
            config: LoggerConfiguration(infoHandler: { note in notes.withLock { $0.append(note.message) } }))
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let chain = InterceptorChain([
            Adapting { $0.url = URL(string: ($0.url?.absoluteString ?? "") + "?token=canary") },
            LoggingInterceptor(logger: logger),
        ])
        let provider = provider(try #require(URL(string: server.url)), interceptor: chain)
        let _: EmptyResponse = try await provider.get("a")
        expectEqual(server.requests.first?.line, "GET /a?token=canary HTTP/1.1")
        #expect(notes.withLock { $0 }.contains { $0.contains("/a?token=*") })
    }
}
