// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct CookieSignOutTests {
    let backend: CookieBackend
    let secrets = InMemorySecretStore()

    init() throws { backend = try CookieBackend() }

    private var store: SecretCookieStore { SecretCookieStore(secrets, name: "legacy") }

    private func get(_ session: Session<CookieCredential>) async throws -> HTTPResponse {
        try await backend.client(session).perform(.raw(.get, "notes"))
    }

    @Test func `A session of cookies that ends sends nothing and logs no user in until it is told to`() async throws {
        let session = backend.session(in: store)
        _ = try await get(session)
        let last = try await session.signOut()
        expectEqual(last?.cookies.map(\.name), ["sid", "lang"])
        expectEqual(secrets.names(), [])
        await #expect(throws: AuthError.missingToken) { try await get(session) }
        expectEqual(backend.logins, 1)
        try await session.signIn()
        try await expectEqual(get(session).status, .ok)
        expectEqual(backend.sent, ["sid=s1; lang=en", "sid=s2; lang=en"])
    }

    @Test func `A session of cookies that ends during the login of a request stays ended`() async throws {
        let (begun, gate) = (SharedResult<Void>(), SharedResult<Void>())
        let session = backend.session(in: store) {
            begun.finish(.success(()))
            try await gate.value()
        }
        let request = Task { try await get(session) }
        try await begun.value()
        try await session.signOut()
        await #expect(throws: AuthError.superseded) { try await request.value }
        gate.finish(.success(()))
        try await eventually { backend.logins > 0 }
        await #expect(throws: AuthError.missingToken) { try await get(session) }
        expectEqual(secrets.names(), [])
        expectEqual(session.currentState, .signedOut(.user))
        expectEqual(backend.sent, [])
    }

    @Test func `A session of cookies that ends during a login that was asked for stays ended`() async throws {
        let (begun, gate) = (SharedResult<Void>(), SharedResult<Void>())
        let session = backend.session(in: store) {
            begun.finish(.success(()))
            try await gate.value()
        }
        let login = Task { try await session.signIn() }
        try await begun.value()
        try await session.signOut()
        gate.finish(.success(()))
        await #expect(throws: AuthError.superseded) { try await login.value }
        expectEqual(secrets.names(), [])
        expectEqual(session.currentState, .signedOut(.user))
    }

    @Test func `A session of cookies that ends and continues as another user keeps that user's cookies`() async throws {
        let (begun, gate) = (SharedResult<Void>(), SharedResult<Void>())
        let session = backend.session(in: store) {
            begun.finish(.success(()))
            try await gate.value()
        }
        let request = Task { try await get(session) }
        try await begun.value()
        let other = try #require(
            Cookie(name: "sid", value: "other", domain: "127.0.0.1", created: Date()))
        backend.change { $0.valid = "other" }
        try await session.signIn(CookieCredential([other]))
        await #expect(throws: AuthError.superseded) { try await request.value }
        try await expectEqual(get(session).status, .ok)
        gate.finish(.success(()))
        try await eventually { backend.logins > 0 }
        try await expectEqual(store.load()?.map(\.value), ["other"])
        expectEqual(backend.sent, ["sid=other"])
    }

    @Test
    func `A session of cookies that ends in another process also ends here, and a login does not undo it`() async throws
    {
        let session = backend.session(in: store)
        _ = try await get(session)
        try await backend.session(in: store).signOut()
        backend.change { $0.valid = nil }
        await #expect(throws: AuthError.missingToken) { try await get(session) }
        expectEqual(backend.logins, 1)
        expectEqual(session.currentState, .signedOut(.user))
    }

    @Test
    func `A session of cookies that ends by damage begins again, with the damaged record set aside`() async throws {
        secrets.write(Array("torn".utf8), for: "legacy")
        try await expectEqual(get(backend.session(in: store)).status, .ok)
        expectEqual(secrets.names(), ["legacy", "legacy.damaged"])
        expectEqual(secrets.read("legacy.damaged"), Array("torn".utf8))
        try await expectEqual(store.load()?.map(\.value), ["s1", "en"])
    }

    /// A login into a store that is damaged as a whole would lose the secrets of others.
    @Test(arguments: [AuthError.storeLocked, .storeDenied, .storeCorrupt])
    func `A session of cookies in an unreadable store does not end, and no user is logged in`(failure: AuthError)
        async throws
    {
        let session = backend.session(in: FailingStore(failure: failure))
        await #expect(throws: failure) { try await get(session) }
        expectEqual(backend.logins, 0)
        expectEqual(session.currentState, .unavailable(failure))
    }
}

private struct FailingStore: TokenStore {
    let failure: AuthError

    func save(_ cookies: [Cookie]) throws { throw failure }
    func load() throws -> [Cookie]? { throw failure }
    func clear() throws { throw failure }
}
