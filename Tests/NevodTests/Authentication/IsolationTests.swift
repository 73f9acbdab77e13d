// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Nevod
import Synchronization
import TestTags
import Testing

@Suite struct IsolationTests {
    @Test(.tags(.schemeIsolation))
    func `Two schemes in one process do not see each other's tokens, rejections and refreshes`() async throws {
        let first = Backend()
        let second = Backend(accepting: ["other"])
        second.on("/keyed") { request in
            HTTPResponse(status: request.fields["X-API-Key"] == "k-1" ? .noContent : .unauthorized)
        }
        try await first.serve { firstURL in
            try await second.serve { secondURL in
                let kept = InMemoryStorage()
                let bearer = TokenStorage<Token>(storage: kept, key: "bearer")
                let key = TokenStorage<APIKeyToken>(storage: kept, key: "key")
                await bearer.save(Token(value: "old"))
                await key.save(APIKeyToken(apiKey: "k-1"))
                let bearerProvider = provider(
                    firstURL,
                    interceptor: AuthenticationInterceptor(
                        tokenStorage: bearer, refreshStrategy: { _ in Token(value: first.issue()) }))
                let keyProvider = provider(
                    secondURL,
                    interceptor: AuthenticationInterceptor(
                        tokenStorage: key, refreshStrategy: { _ in throw NetworkError.unauthorized }))
                let results = await atOnce(40) { number -> Bool in
                    if number % 2 == 0 { return (try? await bearerProvider.get("/users/me") as User) != nil }
                    return (try? await keyProvider.get("/keyed") as EmptyResponse) != nil
                }
                #expect(results.allSatisfy { $0 })
                #expect(first.requests.allSatisfy { $0.fields["X-API-Key"] == nil })
                #expect(second.requests.allSatisfy { $0.fields[.authorization] == nil })
                expectEqual(first.state.withLock { $0.issued }, 1)
                await bearer.save(nil)
                await expectEqual(key.load()?.apiKey, "k-1")
            }
        }
    }

    @Test(.tags(.schemeIsolation)) func `One scheme in two chains is sent to its own domain only`() async throws {
        let first = Backend(accepting: ["a"])
        let second = Backend(accepting: ["b"])
        try await first.serve { firstURL in
            try await second.serve { secondURL in
                let config = NetworkConfig(
                    environments: [
                        TestDomain.api: SimpleEnvironment(baseURL: firstURL),
                        TestDomain.other: SimpleEnvironment(baseURL: secondURL),
                    ], retryPolicy: RetryPolicy.none)
                let storages = ["a", "b"].map { ($0, TokenStorage<Token>(storage: InMemoryStorage())) }
                for (value, storage) in storages { await storage.save(Token(value: value)) }
                let ports = [firstURL.port, secondURL.port]
                let chain = InterceptorChain(
                    zip(storages, ports).map { pair, port in
                        AuthenticationInterceptor(
                            tokenStorage: pair.1, refreshStrategy: { _ in throw NetworkError.unauthorized },
                            shouldAuthenticate: { $0.url?.port == port })
                    })
                let provider = NetworkProvider(config: config, interceptor: chain, logger: nil)
                let domains: [TestDomain] = [.api, .other]
                for domain in domains {
                    let user = try await provider.perform(
                        SimpleGetRoute<User, TestDomain>(endpoint: "users/me", domain: domain))
                    expectEqual(user.id, 7)
                }
                expectEqual(first.requests.map { $0.fields[.authorization] }, ["Bearer a"])
                expectEqual(second.requests.map { $0.fields[.authorization] }, ["Bearer b"])
            }
        }
    }
}
