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

@Suite struct RefusalTests {
    /// Sends a request to a server with this challenge; returns the error and the number of refreshes.
    private func response(to challenge: String) async throws -> (error: NetworkError?, refreshes: Int) {
        let backend = Backend()
        backend.on("/a") { _ in .json("{}", status: .unauthorized, fields: [.wwwAuthenticate: challenge]) }
        return try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) })
            let error = await failure { () -> User in try await provider(url, interceptor: auth).get("a") }
            return (error, backend.state.withLock { $0.issued })
        }
    }

    @Test(
        .tags(.boundedRefresh),
        arguments: [
            #"Bearer error="insufficient_scope", scope="write""#,
            #"Bearer error="insufficient_user_authentication", acr_values="phr", max_age=60"#,
            #"Basic realm="a", Bearer realm="b", error="insufficient_scope""#,
        ])
    func `A 401 that a refresh cannot help is the caller's, with its challenge`(challenge: String) async throws {
        let (error, refreshes) = try await response(to: challenge)
        expectEqual(refreshes, 0)
        guard case .unauthorized(_, let response?)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expectEqual(response.value(forHTTPHeaderField: "WWW-Authenticate"), challenge)
    }

    @Test(.tags(.boundedRefresh), arguments: [#"Bearer error="invalid_token""#, "Bearer", #"Basic realm="a""#])
    func `A 401 that refuses the token, or gives no reason, causes one refresh`(challenge: String) async throws {
        let (error, refreshes) = try await response(to: challenge)
        expectEqual(refreshes, 1)
        expectEqual(error?.statusCode, 401)
    }

    @Test(.tags(.boundedRefresh))
    func `A 401 of a server that refuses every token causes a few refreshes, and is then the caller's`()
        async throws
    {
        let backend = Backend()
        backend.on("/a") { _ in .json(#"{"error":"never"}"#, status: .unauthorized) }
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) })
            let provider = provider(url, interceptor: auth)
            for _ in 0..<12 {
                let error = await failure { () -> User in try await provider.get("a") }
                expectEqual(error?.responseString, #"{"error":"never"}"#)
            }
            expectEqual(backend.state.withLock { $0.issued }, 5)
            // A new sign-in has its own count.
            await storage.save(Token(value: "another"))
            _ = await failure { () -> User in try await provider.get("a") }
            expectEqual(backend.state.withLock { $0.issued }, 6)
        }
    }

    @Test(.tags(.tokenDestination), arguments: [true, false])
    func `A 401 of another origin after a redirect causes no refresh, with a token and without`(hasToken: Bool)
        async throws
    {
        let other = try RawHTTPServer { _ in .response(401) }
        let location = "Location: http://localhost:\(other.port)/there"
        let server = try RawHTTPServer { _ in .response(302, fields: [location]) }
        let storage = TokenStorage<Token>(storage: InMemoryStorage())
        if hasToken { await storage.save(Token(value: "t")) }
        let refreshes = Mutex(0)
        let auth = AuthenticationInterceptor(
            tokenStorage: storage,
            refreshStrategy: { _ in
                refreshes.withLock { $0 += 1 }
                return Token(value: "u")
            })
        let provider = provider(try #require(URL(string: server.url)), interceptor: auth)
        let error = await failure { () -> EmptyResponse in try await provider.get("here") }
        expectEqual(error?.statusCode, 401)
        expectEqual(refreshes.withLock { $0 }, 0)
        expectEqual(server.requests.count, 1)
    }

    @Test(.tags(.boundedRefresh))
    func `A 401 to a stream, which has been read, is not repeated, though the token is refreshed`()
        async throws
    {
        let storage = await oldTokens()
        let auth = AuthenticationInterceptor(tokenStorage: storage, refreshStrategy: { _ in Token(value: "new") })
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com/upload")))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("content".utf8))
        let sent = try await auth.adapt(request)
        try await expectEqual(auth.retry(sent, response: nil, error: .unauthorized), false)
        await expectEqual(storage.load()?.value, "new")
        try await expectEqual(auth.retry(sent, response: nil, error: .unauthorized), false)
    }

    @Test(.tags(.boundedRefresh)) func `A 401 outside a provider is judged by its response`() async throws {
        let storage = await oldTokens()
        let auth = AuthenticationInterceptor(tokenStorage: storage, refreshStrategy: { _ in Token(value: "new") })
        let url = try #require(URL(string: "https://api.example.com"))
        let sent = try await auth.adapt(URLRequest(url: url))
        let response = HTTPURLResponse(
            url: url, statusCode: 401, httpVersion: nil,
            headerFields: ["WWW-Authenticate": #"Bearer error="insufficient_scope""#])
        try await expectEqual(auth.retry(sent, response: response, error: .unauthorized), false)
        let error = NetworkError.unauthorized(data: nil, response: response)
        try await expectEqual(auth.retry(sent, response: nil, error: error), false)
        await expectEqual(storage.load()?.value, "old")
    }
}

@Suite struct RefreshKeyTests {
    @Test(.tags(.refreshRecovery)) func `The idempotency key of a refresh stays the same until the refresh succeeds`()
        async throws
    {
        let backend = Backend()
        let lost = Mutex(2)
        backend.on("/refresh") { _ in
            let isLost = lost.withLock { lost in
                lost -= 1
                return lost >= 0
            }
            return isLost ? HTTPResponse(status: 502) : .json(#"{"token":"\#(backend.issue())"}"#)
        }
        try await backend.serve { url in
            let storage = await oldTokens()
            // Even where the retry policy would repeat a POST with a key.
            let plain = provider(url, retryPolicy: RetryPolicy(maxAttempts: 3, baseDelay: 0))
            let given = Mutex<[String]>([])
            let auth = AuthenticationInterceptor(
                tokenStorage: storage,
                refreshStrategy: { old, key in
                    given.withLock { $0.append(key) }
                    let fresh: FreshToken = try await plain.post("refresh", body: ["token": old?.value ?? ""])
                    return Token(value: fresh.token)
                })
            let provider = provider(url, interceptor: auth)
            for _ in 0..<2 {
                await expectEqual(failure { () -> User in try await provider.get("users/me") }?.statusCode, 502)
            }
            let _: User = try await provider.get("users/me")
            let keys = backend.requests(to: "/refresh").map { $0.fields["Idempotency-Key"] }
            expectEqual(keys, given.withLock { $0 })
            expectEqual(keys.count, 3)
            expectEqual(Set(keys).count, 1)
            backend.issue()
            let _: User = try await provider.get("users/me")
            expectEqual(Set(given.withLock { $0 }).count, 2)
            // Other requests have none.
            let _: User = try await provider.post("users/me", body: [:])
            #expect(backend.requests(to: "/users/me").allSatisfy { $0.fields["Idempotency-Key"] == nil })
        }
    }
}
