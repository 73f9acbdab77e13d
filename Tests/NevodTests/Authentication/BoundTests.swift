// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Nevod
import Synchronization
import TestTags
import Testing

@Suite struct BoundTests {
    @Test(.tags(.boundedRefresh))
    func `The number of repeats is one refresh and one replay when the server always rejects`() async throws {
        let backend = Backend()
        backend.on("/users/me") { _ in .json(#"{"error":"never"}"#, status: .unauthorized) }
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) }, maxRetryAttempts: 5)
            let provider = provider(url, interceptor: auth, retryPolicy: RetryPolicy(maxAttempts: 5, baseDelay: 0))
            let error = await failure { () -> User in try await provider.get("/users/me") }
            expectEqual(error?.statusCode, 401)
            expectEqual(error?.responseString, #"{"error":"never"}"#)
            expectEqual(backend.requests.count, 2)
            expectEqual(backend.state.withLock { $0.issued }, 1)
        }
    }

    @Test(.tags(.replayAfterRefresh), arguments: [RetryPolicy.none, RetryPolicy(maxAttempts: 1)])
    func `The number of repeats allows the replay after a refresh even with a single attempt`(policy: RetryPolicy)
        async throws
    {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) })
            let user: User = try await provider(url, interceptor: auth, retryPolicy: policy).get("/users/me")
            expectEqual(user.id, 7)
        }
    }

    @Test(.tags(.replayAfterRefresh))
    func `The number of repeats replays a POST with its body after a refresh`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) })
            let _: User = try await provider(url, interceptor: auth).post("/notes", body: ["text": "hello"])
            expectEqual(backend.requests.map(\.body.text), [#"{"text":"hello"}"#, #"{"text":"hello"}"#])
        }
    }

    @Test(.tags(.replayAfterRefresh)) func `The number of repeats does not count a refresh as a retry`() async throws {
        let backend = Backend()
        let script = Mutex<[HTTPStatus]>([401, 503, 503, 200])
        backend.on("/flaky") { _ in
            let status = script.withLock { $0.isEmpty ? 500 : $0.removeFirst() }
            return .json(#"{"id":7,"name":"Ada"}"#, status: status)
        }
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) })
            let provider = provider(url, interceptor: auth, retryPolicy: RetryPolicy(maxAttempts: 3, baseDelay: 0))
            let user: User = try await provider.get("/flaky")
            expectEqual(user.id, 7)
            expectEqual(backend.requests.count, 4)
        }
    }

    @Test(.tags(.boundedRefresh))
    func `The number of repeats is limited when an interceptor always wants to repeat`() async throws {
        struct Insatiable: RequestInterceptor {
            func retry(
                _ request: URLRequest, response: HTTPURLResponse?, error: NetworkError
            ) async throws -> Bool { true }
        }
        let backend = Backend()
        backend.on("/a") { _ in HTTPResponse(status: .notFound) }
        try await backend.serve { url in
            let provider = provider(url, interceptor: Insatiable())
            await expectEqual(failure { () -> User in try await provider.get("/a") }?.statusCode, 404)
            expectEqual(backend.requests.count, 4)
        }
    }
}
