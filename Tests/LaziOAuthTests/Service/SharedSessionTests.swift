// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchAuth
import LatchHTTP
import LatchIdentity
import LatchIdentityTesting
import LatchTesting
import LaziOAuth
import SampleResource
import Synchronization
import Testing

@MainActor
@Suite struct SharedSessionTests {
    private static let (email, password) = ("ada@example.com", "a long enough password")

    @Test
    func `A service over a session of the core shares refreshes, sign-ins and sign-outs with the core`() async throws {
        let server = try await IdentityServer.inMemory { $0.scopes = SampleResource.scopes }
        let refreshes = Mutex(0)
        let network = ClosureHandler { request in
            if request.path.contains("refresh") { refreshes.withLock { $0 += 1 } }
            return try await server.respond(to: request)
        }
        let core = AuthClient(
            baseURL: server.url, store: InMemoryTokenStore(), transport: network, clock: server.clock.wallClock())
        let service = OAuthService(
            baseURL: server.url, session: core.session, transport: network, clock: server.clock.wallClock())
        #expect(service.session === core.session)
        await service.checkAuthState().value
        expectEqual(service.authState, .signedOut)

        try await core.signUp(email: Self.email, password: Self.password)
        try await core.signIn(email: Self.email, password: Self.password)
        #expect(service.isAuthenticated)
        server.clock.advance(by: .seconds(901))
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask {
                    if number.isMultiple(of: 2) { return (try? await core.profile()) != nil }
                    return await service.getValidToken() != nil
                }
            }
            for await succeeded in group { #expect(succeeded) }
        }
        expectEqual(refreshes.withLock(\.self), 1)

        await service.logout()
        expectEqual(core.session.currentState, .signedOut(.user))
        try await service.login(username: Self.email, password: Self.password)
        try await expectEqual(core.profile().email, Self.email)
        try await core.signOut()
        expectEqual(service.authState, .signedOut)
        expectNil(service.currentUser)
    }

    @Test func `A service over a session of the core reports an upload by the service's own client`() async throws {
        let server = try await IdentityServer.inMemory { $0.scopes = SampleResource.scopes }
        let counts = Mutex<[Int]>([])
        let network = ClosureHandler { request in
            guard request.path == "/upload" else { return try await server.respond(to: request) }
            _ = try await request.body.collected(upTo: 1 << 20)
            return HTTPResponse(status: .noContent)
        }
        let core = AuthClient(
            baseURL: server.url, store: InMemoryTokenStore(), transport: network, clock: server.clock.wallClock())
        try await core.signUp(email: Self.email, password: Self.password)
        try await core.signIn(email: Self.email, password: Self.password)
        let service = OAuthService(
            baseURL: server.url, session: core.session, transport: network, clock: server.clock.wallClock())
        let content = RouteContent.body(HTTPBody([UInt8](repeating: 1, count: 100_000))).reporting { count, _ in
            counts.withLock { $0.append(count) }
        }
        try await service.http.perform(.put("upload", sending: content))
        expectEqual(counts.withLock(\.self), [65_536, 100_000])
    }
}
