// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchAuth
import LatchHTTP
import LatchIdentityTesting
import LatchTesting
import Nevod
import Synchronization
import Testing

private struct Person: Decodable, Sendable { let email: String }

@Suite struct SharedSessionTests {
    private static let (email, password) = ("ada@example.com", "a long enough password")

    @Test
    func `A session that a provider shares with the core refreshes once for both, and ends for both`() async throws {
        let server = try await IdentityServer.inMemory()
        let refreshes = Mutex(0)
        let network = ClosureHandler { request in
            if request.path.contains("refresh") { refreshes.withLock { $0 += 1 } }
            return try await server.respond(to: request)
        }
        let core = AuthClient(
            baseURL: server.url, store: InMemoryTokenStore(), transport: network, clock: server.clock.wallClock())
        try await core.signUp(email: Self.email, password: Self.password)
        try await core.signIn(email: Self.email, password: Self.password)
        let config = NetworkConfig(environments: [DefaultDomain.default: SimpleEnvironment(baseURL: server.url)])
        let provider = NetworkProvider(
            config: config, session: core.session, transport: network, clock: server.clock.wallClock())
        #expect(provider.session === core.session)

        server.clock.advance(by: .seconds(901))
        let emails = await atOnce(50) { number -> String? in
            if number.isMultiple(of: 2) { return try? await core.profile().email }
            let person: Person? = try? await provider.get("/user/profile")
            return person?.email
        }
        #expect(emails.allSatisfy { $0 == Self.email })
        expectEqual(refreshes.withLock(\.self), 1)

        try await core.signOut()
        await #expect(throws: NetworkError.unauthorized) { try await provider.get("/user/profile") as Person }
        try await core.signIn(email: Self.email, password: Self.password)
        try await expectEqual((provider.get("/user/profile") as Person).email, Self.email)
        try await provider.session?.signOut()
        expectEqual(core.session.currentState, .signedOut(.user))
    }

    @Test func `A session that a provider shares with the core is also that of a token storage`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let provider = provider(
                url,
                interceptor: AuthenticationInterceptor(
                    tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) }))
            let origin = try #require(HTTPOrigin(url))
            let core = Client(
                baseURL: url, transport: Transport.live,
                interceptors: [SessionInterceptor(storage.session, for: .origin(origin))])
            // The core's comes first: the storage knows the strategy before the provider has sent anything.
            let first = try await core.respond(to: core.request(.get, "users/me"))
            expectEqual(first.status, .ok)
            let users = await atOnce(20) { number -> Bool in
                guard number.isMultiple(of: 2) else { return (try? await provider.get("/users/me") as User) != nil }
                return (try? await core.respond(to: core.request(.get, "users/me")))?.status == .ok
            }
            #expect(users.allSatisfy { $0 })
            expectEqual(backend.state.withLock { $0.issued }, 1)
            await storage.save(nil)
            expectNil(storage.session.currentState.credential?.token)
        }
    }
}
