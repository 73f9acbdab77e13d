// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import LaziOAuth
import Observation
import Synchronization
import TestTags
import Testing

private let refresh = "/oauth/token/refresh"

@MainActor
@Suite struct LaunchTests {
    let backend = ScriptedBackend()

    private func kept(expiresIn seconds: TimeInterval) -> InMemoryTokenStore<Tokens> {
        InMemoryTokenStore(
            Tokens(
                access: "a0", refresh: "r0", expiry: backend.clock.now.addingTimeInterval(seconds),
                issued: backend.clock.now.addingTimeInterval(seconds - 3600), scope: "widgets:write", userID: "usr_1"))
    }

    @Test(.tags(.appLaunch))
    func `A launch with a valid token is signed in, with scopes, and sends no request`() async {
        let service = backend.service(store: kept(expiresIn: 3600))
        await service.checkAuthState().value
        #expect(service.isAuthenticated)
        expectEqual(service.authState, .authenticated)
        expectEqual(service.currentUser, AuthUser(userId: "usr_1", grantedScopes: ["widgets:write"]))
        #expect(service.grantedScopes.contains("widgets:read"))
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.appLaunch)) func `A launch with an expired token restores it and shows no login meanwhile`() async {
        let (asked, tell) = AsyncStream.makeStream(of: Void.self)
        let (release, go) = AsyncStream.makeStream(of: Void.self)
        backend.on(refresh) { _ in
            tell.finish()
            for await _ in release {}
            return HTTPResponse(status: .ok, body: HTTPBody(ScriptedBackend.answer("a1", refresh: "r1")))
        }
        let service = backend.service(store: kept(expiresIn: -60))
        let check = service.checkAuthState()
        for await _ in asked {}
        expectEqual(service.authState, .restoring)
        #expect(service.isAuthenticated)
        go.finish()
        await check.value
        expectEqual(service.authState, .authenticated)
        await expectEqual(service.getValidToken(), "a1")
        expectEqual(backend.requests.count, 1)
    }

    @Test(.tags(.appLaunch)) func `A launch with nothing stored shows the login`() async {
        let service = backend.service()
        #expect(!service.isAuthenticated)
        await service.checkAuthState().value
        expectEqual(service.authState, .signedOut)
        expectNil(service.currentUser)
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.appLaunch)) func `A launch with an unreadable record shows the login and cleans up`() async throws {
        let secrets = InMemorySecretStore()
        secrets.write(Array("{half a rec".utf8), for: "session")
        let store = SecretTokenStore<Tokens>(secrets, name: "session")
        let service = backend.service(store: store)
        await service.checkAuthState().value
        expectEqual(service.authState, .signedOut)
        expectNil(secrets.read("session"))
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        try await service.login(username: "ada", password: "p")
        try await expectEqual(store.load()?.access, "a")
    }

    @Test(.tags(.appLaunch)) func `A launch without a network keeps the expired session`() async {
        backend.on(refresh) { _ in throw HTTPError.offline }
        let store = kept(expiresIn: -60)
        let service = backend.service(store: store)
        await service.checkAuthState().value
        #expect(service.isAuthenticated)
        expectEqual(service.authState, .expired)
        expectEqual(store.load()?.refresh, "r0")
    }

    @Test(.tags(.appLaunch)) func `A launch with a session that the server has ended shows the login`() async {
        backend.on(refresh, .unauthorized, #"{"detail":"Invalid refresh token"}"#)
        let store = kept(expiresIn: -60)
        let service = backend.service(store: store)
        await service.checkAuthState().value
        expectEqual(service.authState, .signedOut)
        expectNil(store.load())
    }

    @Test(.tags(.keychainRecord))
    func `A launch on a locked device is not signed out, and continues once it is unlocked`() async throws {
        let secrets = InMemorySecretStore()
        try await SecretTokenStore<Tokens>(secrets, name: "session").save(Tokens(access: "a0", refresh: "r0"))
        let locked = LockedSecretStore(secrets)
        let service = backend.service(store: SecretTokenStore<Tokens>(locked, name: "session"))
        await service.checkAuthState().value
        expectEqual(service.authState, .unavailable)
        await expectNil(service.getValidToken())
        expectEqual(service.lastError as? AuthError, .storeLocked)
        locked.isLocked.withLock { $0 = false }
        await expectEqual(service.getValidToken(), "a0")
        #expect(service.isAuthenticated)
        #expect(backend.requests.isEmpty)
    }

    @Test func `A launch notifies every observer`() async throws {
        let service = backend.service()
        await service.checkAuthState().value
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            #expect(!service.isAuthenticated)
        } onChange: {
            change.finish()
        }
        try await service.login(username: "ada", password: "p")
        for await _ in changes {}
        #expect(service.isAuthenticated)
    }
}

/// Says that it is locked until it is not.
private final class LockedSecretStore: SecretStore {
    let isLocked = Mutex(true)
    private let store: InMemorySecretStore

    init(_ store: InMemorySecretStore) { self.store = store }

    private func pass() throws { if isLocked.withLock({ $0 }) { throw AuthError.storeLocked } }

    func read(_ name: String) throws -> [UInt8]? {
        try pass()
        return store.read(name)
    }

    func write(_ secret: [UInt8], for name: String) throws {
        try pass()
        store.write(secret, for: name)
    }

    func remove(_ name: String) throws {
        try pass()
        store.remove(name)
    }

    func names() throws -> [String] {
        try pass()
        return store.names()
    }
}
