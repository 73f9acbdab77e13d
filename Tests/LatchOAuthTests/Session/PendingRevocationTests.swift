// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import Synchronization
import TestTags
import Testing

/// A secret store in which one secret cannot be read for a while.
private final class LockedSecret: SecretStore {
    private let store: any SecretStore
    private let name: String
    let isLocked = Mutex(false)

    init(_ name: String, in store: any SecretStore) { (self.name, self.store) = (name, store) }

    func read(_ name: String) async throws -> [UInt8]? {
        if name == self.name, isLocked.withLock({ $0 }) { throw AuthError.storeLocked }
        return try await store.read(name)
    }

    func write(_ secret: [UInt8], for name: String) async throws { try await store.write(secret, for: name) }
    func remove(_ name: String) async throws { try await store.remove(name) }
    func names() async throws -> [String] { try await store.names() }
}

@Suite struct PendingRevocationTests {
    let issuer = ScriptedIssuer()
    let secrets = InMemorySecretStore()

    private var session: Session<Tokens> {
        Session(tokenEndpoint: issuer.endpoint(), store: SecretTokenStore<Tokens>(secrets, name: "s"))
    }

    /// Signs a user in and out without a network.
    private func signOutOffline(_ number: Int = 0, _ session: Session<Tokens>? = nil) async throws {
        issuer.on("/oauth/revoke") { _ in throw HTTPError.offline }
        let session = session ?? self.session
        try await session.signIn(Tokens(access: "a\(number)", refresh: "r\(number)"))
        try await expectEqual(session.signOut(revokingAt: issuer.endpoint()), false)
    }

    /// The refresh tokens that the issuer was asked to revoke.
    private var revoked: [String] {
        issuer.forms.compactMap { form in form.last == "token_type_hint=refresh_token" ? form.first : nil }
    }

    @Test(.tags(.tokenRevocation))
    func `An unconfirmed sign-out is finished by the next start of the program`() async throws {
        try await signOutOffline()
        expectEqual(secrets.names(), ["s.revocations"])
        issuer.on("/oauth/revoke", .ok, "")
        let next = session
        try await next.restore()
        expectEqual(next.currentState, .signedOut(.noAccount))
        #expect(await next.revokeRemaining())
        expectEqual(revoked.last, "token=r0")
        #expect(secrets.names().isEmpty)
    }

    @Test func `An unconfirmed sign-out stays so if the store does not say whether a user is signed in`() async throws {
        let locked = LockedSecret("s", in: secrets)
        // A restored session would try by itself, at any time of the test.
        let session = Session(tokenEndpoint: issuer.endpoint(), store: SecretTokenStore<Tokens>(locked, name: "s"))
        try await signOutOffline(0, session)
        locked.isLocked.withLock { $0 = true }
        issuer.on("/oauth/revoke", .ok, "")
        await expectEqual(session.revokeRemaining(), false)
        expectEqual(secrets.names(), ["s.revocations"])
        locked.isLocked.withLock { $0 = false }
        #expect(await session.revokeRemaining())
        #expect(secrets.names().isEmpty)
    }

    @Test func `An unconfirmed sign-out is repeated after a minute, and then less often`() async throws {
        let session = session
        try await signOutOffline(0, session)
        let count = issuer.requests.count
        await expectEqual(issuer.clock.wakeNext(), .seconds(60))
        await issuer.clock.sleeper(for: .seconds(120)...(.seconds(120)))
        expectEqual(issuer.requests.count, count + 2)
        issuer.on("/oauth/revoke", .ok, "")
        await expectEqual(issuer.clock.wakeNext(), .seconds(120))
        #expect(await session.revokeRemaining())
        #expect(secrets.names().isEmpty)
    }

    @Test
    func `An unconfirmed sign-out waits while a user is signed in, and goes out with the next sign-out`() async throws {
        try await signOutOffline()
        issuer.on("/oauth/revoke", .ok, "")
        let session = session
        try await session.signIn(Tokens(access: "a1", refresh: "r1"))
        let count = issuer.requests.count
        #expect(await session.revokeRemaining())
        expectEqual(issuer.requests.count, count)
        expectEqual(secrets.names(), ["s", "s.revocations"])
        #expect(try await session.signOut(revokingAt: issuer.endpoint()))
        expectEqual(revoked.suffix(2), ["token=r1", "token=r0"])
        #expect(secrets.names().isEmpty)
    }

    @Test
    func `An unconfirmed sign-out is not repeated if the issuer refuses it, or has no such endpoint`() async throws {
        let session = session
        issuer.on("/oauth/revoke", .badRequest, #"{"error":"unsupported_token_type"}"#)
        try await session.signIn(Tokens(access: "a", refresh: "r"))
        try await expectEqual(session.signOut(revokingAt: issuer.endpoint()), false)
        #expect(secrets.names().isEmpty)

        let bare = AuthorizationServer(issuer: ScriptedIssuer.url, tokenEndpoint: ScriptedIssuer.url)
        let endpoint = TokenEndpoint(server: bare, transport: issuer)
        try await session.signIn(Tokens(access: "a", refresh: "r"))
        try await expectEqual(session.signOut(revokingAt: endpoint), false)
        #expect(secrets.names().isEmpty)
    }

    @Test func `An unconfirmed sign-out is kept for 30 days, and the last eight of them`() async throws {
        for number in 0..<9 { try await signOutOffline(number) }
        issuer.on("/oauth/revoke", .ok, "")
        let count = issuer.requests.count
        #expect(try await signedOut().revokeRemaining())
        expectEqual(issuer.requests.count, count + 16)
        expectEqual(revoked.suffix(8), (1...8).map { "token=r\($0)" })

        try await signOutOffline()
        issuer.on("/oauth/revoke", .ok, "")
        issuer.clock.advance(by: 31 * 86_400)
        let later = issuer.requests.count
        #expect(try await signedOut().revokeRemaining())
        expectEqual(issuer.requests.count, later)
        #expect(secrets.names().isEmpty)
    }

    /// A session that has found nobody signed in.
    private func signedOut() async throws -> Session<Tokens> {
        let session = session
        try await session.restore()
        return session
    }

    @Test func `An unconfirmed sign-out is repeated from memory if the store keeps only credentials`() async throws {
        let session = Session(tokenEndpoint: issuer.endpoint(), store: PlainStore())
        try await signOutOffline(0, session)
        issuer.on("/oauth/revoke", .ok, "")
        #expect(await session.revokeRemaining())
        expectEqual(revoked.last, "token=r0")
        let count = issuer.requests.count
        #expect(await session.revokeRemaining())
        expectEqual(issuer.requests.count, count)
    }
}

/// A store of credentials, and of nothing else.
private struct PlainStore: TokenStore {
    private let store = InMemoryTokenStore<Tokens>()

    func save(_ tokens: Tokens) { store.save(tokens) }

    func load() -> Tokens? { store.load() }

    func clear() { store.clear() }
}
