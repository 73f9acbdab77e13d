// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Nevod
import Synchronization
import TestSupport
import TestTags
import Testing

/// A session that a test implements.
private struct FakeSession: URLSessionProtocol {
    let answer: @Sendable (URLRequest, (any URLSessionTaskDelegate)?) throws -> (Data, URLResponse)
    func requestData(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) { try answer(request, delegate) }
}

private final class Observer: NSObject, URLSessionTaskDelegate {}

/// A delegate that follows an upload.
private final class UploadObserver: NSObject, URLSessionTaskDelegate {
    struct Report: Sendable { let bytes, sent, total: Int64 }
    let reports = Mutex<[Report]>([])

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let report = Report(bytes: bytesSent, sent: totalBytesSent, total: totalBytesExpectedToSend)
        reports.withLock { $0.append(report) }
    }
}

/// A delegate that follows every redirect.
private final class Follower: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(request)
    }
}

@Suite struct UploadSessionTests {
    @Test func `An upload without a session reports its progress to its delegate`() async throws {
        let backend = Backend(accepting: [])
        backend.on("/files") { _ in .json(#"{"id":7,"name":"Ada"}"#) }
        try await backend.serve { url in
            let observer = UploadObserver()
            let route = MultipartRoute<User, DefaultDomain>.uploadFile(
                endpoint: "files", domain: .default, fieldName: "file", filename: "a.bin",
                fileData: Data(repeating: 7, count: 500_000), mimeType: "application/octet-stream")
            try await expectEqual(provider(url).perform(route, delegate: observer), User(id: 7, name: "Ada"))
            let reports = observer.reports.withLock(\.self)
            let last = try #require(reports.last)
            #expect(last.sent == last.total && last.total > 500_000)
            expectEqual(reports.map(\.bytes).reduce(0, +), last.sent)
        }
    }
}

@Suite struct SessionTests {
    @Test func `A custom session gets the request and the delegate`() async throws {
        let url = try #require(URL(string: "https://api.example.com/v1"))
        let observer = Observer()
        let session = FakeSession { request, delegate in
            expectEqual(request.httpMethod, "POST")
            expectEqual(request.url?.absoluteString, "https://api.example.com/v1/users?a=b")
            expectEqual(request.httpBody, Data(#"{"n":"v"}"#.utf8))
            expectEqual(request.value(forHTTPHeaderField: "Authorization"), "Bearer t")
            #expect(delegate === observer)
            let response = HTTPURLResponse(url: url, statusCode: 201, httpVersion: nil, headerFields: ["X-A": "b"])
            return (Data(#"{"id":7,"name":"Ada"}"#.utf8), try #require(response))
        }
        let storage = TokenStorage<Token>(storage: InMemoryStorage())
        await storage.save(Token(value: "t"))
        let provider = NetworkProvider.quick(
            baseURL: url, session: session,
            interceptor: AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized }), logger: nil)
        let route = SimplePostRoute<User, DefaultDomain>(
            endpoint: "users", domain: .default, queryParameters: ["a": "b"], bodyParameters: ["n": "v"])
        try await expectEqual(provider.perform(route, delegate: observer), User(id: 7, name: "Ada"))
    }

    @Test func `A custom session that returns no HTTP response is an error`() async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let session = FakeSession { _, _ in
            (Data(), URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil))
        }
        let provider = NetworkProvider.quick(
            baseURL: url, retryPolicy: RetryPolicy.none, session: session, logger: nil)
        guard case .unknown? = await failure({ () -> User in try await provider.get("a") }) else {
            Issue.record("it was taken")
            return
        }
    }

    @Test(.tags(.tokenDestination))
    func `A custom session that is a URLSession leaves redirects and cookies to the provider`() async throws {
        let target = try RawHTTPServer { _ in .response(200, body: "{}") }
        let location = "Location: http://localhost:\(target.port)/there"
        let server = try RawHTTPServer { request in
            request.line.contains("/set")
                ? .response(200, fields: ["Set-Cookie: sid=1; Path=/"], body: "{}")
                : .response(302, fields: [location])
        }
        let storage = TokenStorage<APIKeyToken>(storage: InMemoryStorage())
        await storage.save(APIKeyToken(apiKey: "k"))
        let provider = NetworkProvider.quick(
            baseURL: try #require(URL(string: server.url)), session: URLSession(configuration: .default),
            interceptor: AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized }), logger: nil)
        let _: EmptyResponse = try await provider.get("set")
        let _: EmptyResponse = try await provider.get("here")
        expectEqual(server.requests.map { $0.values(of: "X-API-Key") }, [["k"], ["k"]])
        #expect(server.requests.allSatisfy { $0.values(of: "Cookie").isEmpty })
        expectEqual(target.requests.map { $0.values(of: "X-API-Key") }, [[]])
    }

    @Test
    func `A custom session that is a URLSession does not let its delegates decide about redirects`() async throws {
        let target = try RawHTTPServer { _ in .response(200, body: "{}") }
        let location = "Location: http://localhost:\(target.port)/there"
        let server = try RawHTTPServer { _ in .response(302, fields: [location]) }
        let storage = TokenStorage<APIKeyToken>(storage: InMemoryStorage())
        await storage.save(APIKeyToken(apiKey: "k"))
        let session = URLSession(configuration: .default, delegate: Follower(), delegateQueue: nil)
        let provider = NetworkProvider.quick(
            baseURL: try #require(URL(string: server.url)), session: session,
            interceptor: AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized }), logger: nil)
        let route = SimpleGetRoute<EmptyResponse, DefaultDomain>(endpoint: "here", domain: .default)
        _ = try await provider.perform(route)
        _ = try await provider.perform(route, delegate: Follower())
        expectEqual(server.requests.map { $0.values(of: "X-API-Key") }, [["k"], ["k"]])
        // The provider follows, without the key.
        expectEqual(target.requests.map { $0.values(of: "X-API-Key") }, [[], []])
        session.invalidateAndCancel()
    }

    @Test(.tags(.bothPlatforms)) func `A custom session is optional on each platform`() async throws {
        let server = try RawHTTPServer { _ in .response(200, body: #"{"id":7,"name":"Ada"}"#) }
        let provider = NetworkProvider.quick(baseURL: try #require(URL(string: server.url)))
        let user: User = try await provider.get("users/me")
        expectEqual(user, User(id: 7, name: "Ada"))
        expectEqual(server.connectionCount, 1)
    }
}
