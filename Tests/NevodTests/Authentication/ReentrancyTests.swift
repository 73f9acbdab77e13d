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

/// The provider that a refresh strategy uses, which is created after the strategy.
private final class Later: Sendable {
    let provider = Mutex<NetworkProvider?>(nil)

    func refresh(_ old: Token?) async throws -> Token {
        guard let provider = provider.withLock({ $0 }) else { throw NetworkError.unauthorized }
        let fresh: FreshToken = try await provider.post("/refresh", body: ["token": old?.value ?? ""])
        return Token(value: fresh.token)
    }
}

/// A provider whose refresh uses the provider itself, as in the document of Nevod.
private func selfServed(
    _ url: URL, storage: TokenStorage<Token>, timeout: TimeInterval = 30
) async -> NetworkProvider {
    await storage.save(Token(value: "old"))
    let later = Later()
    let auth = AuthenticationInterceptor(tokenStorage: storage, refreshStrategy: { try await later.refresh($0) })
    let provider = provider(url, interceptor: auth, timeout: timeout)
    later.provider.withLock { $0 = provider }
    return provider
}

@Suite(.timeLimit(.minutes(1))) struct ReentrancyTests {
    @Test(.tags(.reentrantRefresh))
    func `A refresh through its waiting provider succeeds, and is sent without the token that it replaces`()
        async throws
    {
        let backend = Backend()
        try await backend.serve { url in
            let storage = TokenStorage<Token>(storage: InMemoryStorage())
            let provider = await selfServed(url, storage: storage)
            let user: User = try await provider.get("/users/me")
            expectEqual(user.id, 7)
            expectEqual(backend.requests(to: "/refresh").map { $0.fields[.authorization] }, [nil])
        }
    }

    @Test(.tags(.reentrantRefresh), arguments: [401, 500])
    func `A refresh through its waiting provider does not wait for itself when it gets`(status: Int) async throws {
        let backend = Backend()
        backend.on("/refresh") { _ in HTTPResponse(status: HTTPStatus(rawValue: status)) }
        try await backend.serve { url in
            let storage = TokenStorage<Token>(storage: InMemoryStorage())
            let provider = await selfServed(url, storage: storage)
            let errors = await atOnce(10) { _ in await failure { () -> User in try await provider.get("/users/me") } }
            #expect(errors.allSatisfy { $0?.statusCode == status })
            await expectEqual(storage.load()?.value, "old")
        }
    }

    @Test(.tags(.reentrantRefresh))
    func `A refresh through its waiting provider ends by its timeout without a response`() async throws {
        let server = try RawHTTPServer { request in
            request.line.contains("/refresh") ? .stall : .response(401)
        }
        let url = try #require(URL(string: server.url))
        let storage = TokenStorage<Token>(storage: InMemoryStorage())
        let provider = await selfServed(url, storage: storage, timeout: 0.2)
        await expectEqual(failure { () -> User in try await provider.get("/users/me") }, .timeout)
        await expectEqual(storage.load()?.value, "old")
    }

    @Test(.tags(.refreshRecovery, .reentrantRefresh))
    func `A refresh through its waiting provider continues after the timeout of a waiting request`() async throws {
        let backend = Backend()
        let answer = Gate()
        backend.on("/refresh") { _ in
            await answer.pass()
            return .json(#"{"token":"\#(backend.issue())"}"#)
        }
        try await backend.serve { url in
            let storage = TokenStorage<Token>(storage: InMemoryStorage())
            let provider = await selfServed(url, storage: storage, timeout: 0.2)
            await expectEqual(failure { () -> User in try await provider.get("/users/me") }, .timeout)
            answer.open()
            let user: User = try await provider.get("/users/me")
            expectEqual(user.id, 7)
            await expectEqual(storage.load()?.value, "fresh-1")
            expectEqual(backend.requests(to: "/refresh").count, 1)
        }
    }

    @Test(.tags(.reentrantRefresh))
    func `A refresh through its waiting provider can read and save the token by itself`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage,
                refreshStrategy: { _ in
                    await expectEqual(storage.load()?.value, "old")
                    let fresh = Token(value: backend.issue())
                    await storage.save(fresh)
                    await expectEqual(storage.load(), fresh)
                    return fresh
                })
            let provider = provider(url, interceptor: auth)
            let users = await atOnce(10) { _ -> User? in try? await provider.get("/users/me") }
            #expect(users.allSatisfy { $0 != nil })
            await expectEqual(storage.load()?.value, "fresh-1")
        }
    }

    @Test(.tags(.reentrantRefresh))
    func `A refresh through its waiting provider does not affect a task that outlives its strategy`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let later = Mutex<Task<Void, Never>?>(nil)
            let go = Gate()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage,
                refreshStrategy: { _ in
                    let task = Task {
                        await go.pass()
                        await storage.save(Token(value: "later"))
                    }
                    later.withLock { $0 = task }
                    return Token(value: backend.issue())
                })
            let _: User = try await provider(url, interceptor: auth).get("/users/me")
            go.open()
            await later.withLock { $0 }?.value
            await expectEqual(storage.load()?.value, "later")
        }
    }

    @Test(.tags(.reentrantRefresh))
    func `A refresh through its waiting provider succeeds if its strategy saves a token and then fails`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage,
                refreshStrategy: { _ in
                    await storage.save(Token(value: backend.issue()))
                    throw NetworkError.timeout
                })
            let user: User = try await provider(url, interceptor: auth).get("/users/me")
            expectEqual(user.id, 7)
            await expectEqual(storage.load()?.value, "fresh-1")
        }
    }
}
