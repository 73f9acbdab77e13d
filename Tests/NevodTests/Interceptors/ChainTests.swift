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

/// A recorder of calls, in order.
private final class Journal: Sendable {
    let lines = Mutex<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
}

private struct Noting: RequestInterceptor {
    let name: String
    let journal: Journal
    var retries = false
    var failure: NetworkError?

    func adapt(_ request: URLRequest) async throws -> URLRequest {
        journal.note("adapt \(name)")
        if let failure { throw failure }
        var request = request
        request.setValue((request.value(forHTTPHeaderField: "X-Way") ?? "") + name, forHTTPHeaderField: "X-Way")
        return request
    }

    func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        journal.note("retry \(name) \(error.statusCode ?? 0) \(response?.statusCode ?? 0)")
        return retries
    }
}

/// An interceptor that changes every part of a request.
private struct Rewriting: RequestInterceptor {
    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        request.url = URL(string: request.url?.absoluteString.replacing("/a", with: "/b?q=1") ?? "")
        request.httpMethod = "PUT"
        request.httpBody = Data("new".utf8)
        request.setValue(nil, forHTTPHeaderField: "X-Old")
        request.setValue("v", forHTTPHeaderField: "X-New")
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        return request
    }
}

@Suite struct ChainTests {
    private func run(
        _ chain: InterceptorChain, answers: [Int]
    ) async throws -> (error: NetworkError?, server: RawHTTPServer) {
        let script = Mutex(answers)
        let server = try RawHTTPServer { _ in
            .response(script.withLock { $0.isEmpty ? 200 : $0.removeFirst() }, body: "{}")
        }
        let provider = provider(try #require(URL(string: server.url)), interceptor: chain)
        return (await failure { () -> EmptyResponse in try await provider.get("a") }, server)
    }

    @Test(.tags(.interceptorOrder))
    func `A chain of interceptors adapts from first to last and retries from last to first`() async throws {
        let journal = Journal()
        let chain = InterceptorChain(["A", "B", "C"].map { Noting(name: $0, journal: journal) })
        let (error, server) = try await run(chain, answers: [404])
        expectEqual(error?.statusCode, 404)
        expectEqual(
            journal.lines.withLock { $0 },
            [
                "adapt A", "adapt B", "adapt C", "retry C 404 404", "retry B 404 404", "retry A 404 404",
            ])
        expectEqual(server.requests.map { $0.values(of: "X-Way") }, [["ABC"]])
    }

    @Test(.tags(.interceptorOrder))
    func `A chain of interceptors repeats for the first interceptor that wants it, and adapts again`() async throws {
        let journal = Journal()
        let chain = InterceptorChain(interceptors: [
            Noting(name: "A", journal: journal), Noting(name: "B", journal: journal, retries: true),
            Noting(name: "C", journal: journal),
        ])
        let (error, server) = try await run(chain, answers: [404])
        expectNil(error)
        expectEqual(
            journal.lines.withLock { $0 },
            [
                "adapt A", "adapt B", "adapt C", "retry C 404 404", "retry B 404 404", "adapt A", "adapt B", "adapt C",
            ])
        expectEqual(server.requests.map { $0.values(of: "X-Way") }, [["ABC"], ["ABC"]])
    }

    @Test(.tags(.interceptorOrder))
    func `A chain of interceptors stops when one throws, and nothing is sent`() async throws {
        let journal = Journal()
        let chain = InterceptorChain([
            Noting(name: "A", journal: journal), Noting(name: "B", journal: journal, failure: .authenticationFailed),
            Noting(name: "C", journal: journal),
        ])
        let (error, server) = try await run(chain, answers: [])
        expectEqual(error, .authenticationFailed)
        expectEqual(journal.lines.withLock { $0 }, ["adapt A", "adapt B"])
        #expect(server.requests.isEmpty)
    }

    @Test(.tags(.interceptorOrder)) func `A chain of interceptors can be part of a chain`() async throws {
        let journal = Journal()
        let inner = InterceptorChain(["B", "C"].map { Noting(name: $0, journal: journal) })
        let (_, server) = try await run(
            InterceptorChain([Noting(name: "A", journal: journal), inner, HeadersInterceptor.userAgent("Own/1")]),
            answers: [])
        expectEqual(server.requests.first?.values(of: "X-Way"), ["ABC"])
        expectEqual(server.requests.first?.values(of: "User-Agent"), ["Own/1"])
    }

    @Test(.tags(.interceptorOrder)) func `A chain of interceptors can change every part of a request`() async throws {
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let chain = InterceptorChain([HeadersInterceptor(headers: ["X-Old": "o", "x-old": "p"]), Rewriting()])
        let provider = provider(try #require(URL(string: server.url)), interceptor: chain)
        let _: EmptyResponse = try await provider.get("a")
        let request = try #require(server.requests.first)
        expectEqual(request.line, "PUT /b?q=1 HTTP/1.1")
        expectEqual(String(decoding: request.body, as: UTF8.self), "new")
        #expect(request.values(of: "X-Old").isEmpty)
        expectEqual(request.values(of: "X-New"), ["v"])
        expectEqual(request.values(of: "Content-Type"), ["text/plain"])
    }

    @Test(.tags(.interceptorOrder))
    func `A chain of interceptors is called for a lost connection without a response`() async throws {
        let journal = Journal()
        let provider = provider(
            try #require(URL(string: "http://127.0.0.1:1")), interceptor: Noting(name: "A", journal: journal))
        await expectEqual(failure { () -> EmptyResponse in try await provider.get("a") }, .noConnection)
        expectEqual(journal.lines.withLock { $0 }, ["adapt A", "retry A 0 0"])
    }
}
