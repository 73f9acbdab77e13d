// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import TestTags
import Testing

@Suite struct SignOutTests {
    /// A provider whose refresh waits at a gate, and a rejected request that waits for it.
    private func during(
        _ act: @escaping @Sendable (TokenStorage<Token>) async -> Void
    ) async throws -> (backend: Backend, kept: InMemoryStorage, storage: TokenStorage<Token>, error: NetworkError?) {
        let backend = Backend()
        return try await backend.serve { url in
            let kept = InMemoryStorage()
            let storage = TokenStorage<Token>(storage: kept)
            await storage.save(Token(value: "ada's"))
            let refreshing = Gate()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage,
                refreshStrategy: { _ in
                    await refreshing.pass()
                    return Token(value: backend.issue())
                })
            let provider = provider(url, interceptor: auth)
            async let error = failure { () -> User in try await provider.get("/users/me") }
            await refreshing.reached()
            await act(storage)
            let told = await error
            refreshing.open()
            return (backend, kept, storage, told)
        }
    }

    @Test(.tags(.userChangeDuringRefresh)) func `A token that arrives after the logout is dropped`() async throws {
        let (backend, kept, storage, error) = try await during { await $0.save(nil) }
        expectEqual(error?.statusCode, 401)
        await expectNil(storage.load())
        expectNil(kept.data(for: .token))
        expectEqual(backend.requests.count, 1)
    }

    @Test(.tags(.userChangeDuringRefresh)) func `A request of one user is never repeated as another`() async throws {
        let (backend, kept, storage, error) = try await during { await $0.save(Token(value: "bob's")) }
        expectEqual(error?.statusCode, 401)
        await expectEqual(storage.load()?.value, "bob's")
        try expectEqual(kept.data(for: .token).map(Token.decode)?.value, "bob's")
        expectEqual(backend.requests.map { $0.fields[.authorization] }, ["Bearer ada's"])
    }

    @Test(.tags(.userChangeDuringRefresh)) func `A retry of one user's request is not sent as another`() async throws {
        let backend = Backend()
        let first = Gate()
        backend.on("/flaky") { request in
            guard request.fields[.authorization] == "Bearer ada's" else { return .json(#"{"id":7,"name":"Bob"}"#) }
            await first.pass()
            return HTTPResponse(status: .serviceUnavailable)
        }
        try await backend.serve { url in
            let storage = TokenStorage<Token>(storage: InMemoryStorage())
            await storage.save(Token(value: "ada's"))
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized })
            let provider = provider(url, interceptor: auth, retryPolicy: RetryPolicy(maxAttempts: 3, baseDelay: 0))
            async let error = failure { () -> User in try await provider.get("/flaky") }
            await first.reached()
            await storage.save(Token(value: "bob's"))
            first.open()
            await expectEqual(error, .unauthorized)
            expectEqual(backend.requests.count, 1)
        }
    }

    @Test(.tags(.userChangeDuringRefresh)) func `A strategy that signs out ends the session`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage,
                refreshStrategy: { _ in
                    await storage.save(nil)
                    throw NetworkError.unauthorized
                })
            let provider = provider(url, interceptor: auth)
            let error = await failure { () -> User in try await provider.get("/users/me") }
            expectEqual(error?.statusCode, 401)
            await expectNil(storage.load())
        }
    }
}
