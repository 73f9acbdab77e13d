// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import Synchronization
import TestTags
import Testing

@Suite struct StormTests {
    @Test(.tags(.rejectionStorm), arguments: [1, 2, 50, 1_000])
    func `A storm of 401 responses makes one refresh, and all requests succeed`(count: Int) async throws {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let plain = provider(url)
            let auth = AuthenticationInterceptor(
                tokenStorage: storage,
                refreshStrategy: { old in
                    expectEqual(old?.value, "old")
                    let fresh: FreshToken = try await plain.post("/refresh", body: ["token": old?.value ?? ""])
                    return Token(value: fresh.token)
                })
            let provider = provider(url, interceptor: auth)
            let users = await atOnce(count) { _ -> User? in try? await provider.get("/users/me") }
            #expect(users.allSatisfy { $0 == User(id: 7, name: "Ada") })
            expectEqual(backend.requests(to: "/refresh").count, 1)
            #expect(backend.requests(to: "/users/me").count <= 2 * count)
            await expectEqual(storage.load()?.value, "fresh-1")
        }
    }

    @Test(.tags(.rejectionStorm))
    func `A late rejection of the old token is repeated without a refresh`() async throws {
        let backend = Backend()
        let late = Gate()
        backend.on("/slow") { request in
            guard request.fields[.authorization] == "Bearer old" else { return .json(#"{"id":7,"name":"Ada"}"#) }
            await late.pass()
            return HTTPResponse(status: .unauthorized)
        }
        try await backend.serve { url in
            let storage = await oldTokens()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) })
            let provider = provider(url, interceptor: auth)
            async let slow: User = provider.get("/slow")
            await late.reached()
            let quick: User = try await provider.get("/users/me")
            late.open()
            try await expectEqual(slow, quick)
            expectEqual(backend.state.withLock { $0.issued }, 1)
            let sent = backend.requests(to: "/slow").map { $0.fields[.authorization] }
            expectEqual(sent, ["Bearer old", "Bearer fresh-1"])
        }
    }

    @Test(.tags(.rejectionStorm)) func `Two providers over one storage share the refresh`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let providers = (0..<2).map { _ in
                provider(
                    url,
                    interceptor: AuthenticationInterceptor(
                        tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) }))
            }
            let users = await atOnce(20) { number -> User? in try? await providers[number % 2].get("/users/me") }
            #expect(users.allSatisfy { $0 != nil })
            expectEqual(backend.state.withLock { $0.issued }, 1)
        }
    }

    @Test(.tags(.rejectionStorm)) func `Requests without a token share the refresh after a rejection`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            let asked = Mutex<[String?]>([])
            let auth = AuthenticationInterceptor(
                tokenStorage: TokenStorage<Token>(storage: InMemoryStorage()),
                refreshStrategy: { old in
                    asked.withLock { $0.append(old?.value) }
                    return Token(value: backend.issue())
                })
            let provider = provider(url, interceptor: auth)
            let users = await atOnce(20) { _ -> User? in try? await provider.get("/users/me") }
            #expect(users.allSatisfy { $0 != nil })
            expectEqual(asked.withLock { $0 }, [nil])
            expectNil(backend.requests.first?.fields[.authorization])
        }
    }
}
