// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import JWTAuthDependencies
import LatchAccounts
import LatchAuth
import LatchHTTP
import LatchIdentityTesting
import LatchTesting
import Synchronization
import Testing

private struct Person: Decodable, Sendable { let email: String }

@Suite struct SharedSessionTests {
    private static let (email, password) = ("ada@example.com", "a long enough password")

    /// Runs `body` with a client of the core, whose user is signed in, and with the dependencies of a program over its
    /// session.
    ///
    /// - Returns: The number of refreshes that have reached the server.
    private func run(_ body: @Sendable (IdentityServer, AuthClient) async throws -> Void) async throws -> Int {
        let server = try await IdentityServer.inMemory()
        let refreshes = Mutex(0)
        let network = ClosureHandler { request in
            if request.path.contains("refresh") { refreshes.withLock { $0 += 1 } }
            if request.path == "/upload" {
                _ = try await request.body.collected(upTo: 1 << 20)
                return HTTPResponse(status: refreshes.withLock(\.self) == 0 ? .unauthorized : .noContent)
            }
            return try await server.respond(to: request)
        }
        let core = AuthClient(
            baseURL: server.url, store: InMemoryTokenStore(), transport: network, clock: server.clock.wallClock())
        try await core.signUp(email: Self.email, password: Self.password)
        try await core.signIn(email: Self.email, password: Self.password)
        try await withDependencies {
            $0.context = .test
            $0.httpRequestClient = HTTPRequestClient(handler: network)
            $0.jwtAuthClient = JWTAuthClient(baseURL: { server.url.absoluteString }, session: core.session)
        } operation: {
            try await body(server, core)
        }
        return refreshes.withLock(\.self)
    }

    @Test func `A client over a session of the core refreshes once for requests of both`() async throws {
        let refreshes = try await run { server, core in
            @Dependency(\.jwtAuthClient) var client
            #expect(client.session === core.session)
            server.clock.advance(by: .seconds(901))
            let facade = client
            let emails = await atOnce(50) { number -> String? in
                if number.isMultiple(of: 2) { return try? await core.profile().email }
                let response: SuccessResponse<Person>? = try? await facade.sendAuthenticated(.get("/user/profile"))
                return response?.data.email
            }
            #expect(emails.allSatisfy { $0 == Self.email })
        }
        expectEqual(refreshes, 1)
    }

    @Test
    func `A client over a session of the core reports an upload from its beginning, and again after a refresh`()
        async throws
    {
        let counts = Mutex<[Int]>([])
        let content = Data(repeating: 32, count: 200_000)
        let refreshes = try await run { _, _ in
            @Dependency(\.jwtAuthClient) var client
            let upload = Request.put("/upload").body(data: content).reporting { count, total in
                expectEqual(total, content.count)
                counts.withLock { $0.append(count) }
            }
            _ = try await client.sendAuthenticated(upload)
        }
        let (seen, pieces) = (counts.withLock(\.self), [65_536, 131_072, 196_608, 200_000])
        #expect(refreshes == 1 && seen == pieces + pieces)
    }

    @Test func `A client over a session of the core signs out for both, on either side`() async throws {
        _ = try await run { _, core in
            @Dependency(\.jwtAuthClient) var client
            @Dependency(\.authTokensClient) var authTokensClient
            @Shared(.authSession) var session
            expectEqual(session?.tokens?.access, core.session.currentState.credential?.access)
            try await authTokensClient.destroy()
            expectEqual(core.session.currentState, .signedOut(.user))
            try await core.signIn(email: Self.email, password: Self.password)
            #expect(session?.tokens != nil)
            try await core.signOut()
            expectEqual(session, .missing)
            await #expect(throws: AuthTokens.Error.missingToken) { try await client.refreshExpiredTokens() }
        }
    }

    @Test func `A client over a session of the core keeps the core's token fields beside the pair`() async throws {
        _ = try await run { _, core in
            @Dependency(\.authTokensClient) var authTokensClient
            var tokens = try await core.session.credential()
            tokens.scope = "widgets:read"
            try await core.session.signIn(tokens)
            let pair = try #require(try await authTokensClient.load())
            try await authTokensClient.save(pair)
            expectEqual(core.session.currentState.credential, tokens)
        }
    }

    @Test
    func `A client over a session of the core refreshes by the session, even if it calls the closure`() async throws {
        let refreshes = try await run { _, core in
            @Dependency(\.jwtAuthClient) var client
            let old = AuthTokens(try await core.session.credential())
            let new = try await client.refresh(old)
            expectNotEqual(new, old)
            expectEqual(core.session.currentState.credential?.access, new.access)
        }
        expectEqual(refreshes, 1)
    }

    @Test func `A client over a session of the core needs no dependencies`() async throws {
        _ = try await run { server, core in
            let client = JWTAuthClient(baseURL: { server.url.absoluteString }, session: core.session)
            #expect(client.session === core.session)
            let response: SuccessResponse<Person> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(response.data.email, Self.email)
        }
    }
}
