// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

@Suite struct RefreshIntentTests {
    private static let tokens = Tokens(access: "a1", refresh: "r1")

    /// The keys of the requests to the issuer.
    private final class Keys: Sendable {
        let seen = Mutex<[String]>([])
    }

    private func session(
        over store: any TokenStore<Tokens>, _ keys: Keys,
        answer: @escaping @Sendable () throws -> Tokens = { Tokens(access: "a2", refresh: "r2") }
    ) -> Session<Tokens> {
        Session(store: store) { request in
            keys.seen.withLock { $0.append(request.idempotencyKey) }
            return try answer()
        }
    }

    @Test
    func `A refresh that was begun is written down before the issuer is asked, and gone with the commit`() async throws
    {
        let store = InMemoryTokenStore<Tokens>()
        let asked = Keys()
        let session = Session<Tokens>(store: store) { request in
            let key = store.loadRecord()?.refreshKey
            asked.seen.withLock { $0.append(request.idempotencyKey) }
            expectEqual(key, request.idempotencyKey)
            return Tokens(access: "a2", refresh: "r2")
        }
        try await session.signIn(Self.tokens)
        let signIn = store.loadRecord()?.sessionID
        #expect(signIn != nil)
        try await expectEqual(session.refreshed(replacing: Self.tokens).access, "a2")
        expectEqual(asked.seen.withLock { $0.count }, 1)
        let record = try #require(store.loadRecord())
        expectEqual(record.credential?.refresh, "r2")
        expectNil(record.refreshKey)
        expectEqual(record.sessionID, signIn)
    }

    @Test func `A refresh that was begun is repeated under its key by the next process`() async throws {
        let store = InMemoryTokenStore<Tokens>()
        let keys = Keys()
        let first = session(over: store, keys) { throw HTTPError.timeout }
        try await first.signIn(Self.tokens)
        await #expect(throws: HTTPError.timeout) { try await first.refreshed(replacing: Self.tokens) }
        // The first process is gone, with what it knew.
        let second = session(over: store, keys)
        try await expectEqual(second.refreshed(replacing: Self.tokens).access, "a2")
        let seen = keys.seen.withLock { $0 }
        // The first process has repeated it immediately.
        expectEqual(seen.count, 3)
        expectEqual(Set(seen).count, 1)
    }

    @Test
    func `A refresh that was begun is repeated by the session after a while, though no task waits for it`() async throws
    {
        let (clock, keys) = (ManualClock(), Keys())
        let session = Session(store: InMemoryTokenStore<Tokens>(), clock: clock.wallClock()) { request in
            let count = keys.seen.withLock { keys in
                keys.append(request.idempotencyKey)
                return keys.count
            }
            if count < 4 { throw HTTPError.timeout }
            return Tokens(access: "a2", refresh: "r2")
        }
        try await session.signIn(Self.tokens)
        await #expect(throws: HTTPError.timeout) { try await session.refreshed(replacing: Self.tokens) }
        let pause = await clock.wakeNext()
        #expect((Duration.seconds(15) ... .seconds(20)).contains(pause))
        for await state in session.states where state.credential?.access == "a2" { break }
        expectEqual(Set(keys.seen.withLock { $0 }).count, 1)
    }

    @Test func `A refresh that was begun is not requested if it cannot be recorded`() async throws {
        let store = FullStore()
        let keys = Keys()
        let session = session(over: store, keys)
        try await session.signIn(Self.tokens)
        store.isFull.withLock { $0 = true }
        await #expect(throws: AuthError.storeFull) { try await session.refreshed(replacing: Self.tokens) }
        expectEqual(keys.seen.withLock { $0 }, [])
        // Nothing was used up: with room in the store it goes on.
        store.isFull.withLock { $0 = false }
        try await expectEqual(session.refreshed(replacing: Self.tokens).access, "a2")
    }

    @Test func `A refresh that was begun ends with a typed error if the issuer twice gives no answer`() async throws {
        let store = InMemoryTokenStore<Tokens>()
        let keys = Keys()
        let first = session(over: store, keys) { throw HTTPError.timeout }
        try await first.signIn(Self.tokens)
        await #expect(throws: HTTPError.timeout) { try await first.refreshed(replacing: Self.tokens) }
        let second = session(over: store, keys) { throw AuthError.reauthenticationRequired }
        await #expect(throws: AuthError.reauthenticationRequired) { try await second.refreshed(replacing: Self.tokens) }
        expectEqual(second.currentState, .signedOut(.issuer))
        let third = session(over: store, keys)
        await #expect(throws: AuthError.reauthenticationRequired) { try await third.credential() }
    }

    @Test func `A refresh that was begun is read from a record of an earlier format`() async throws {
        let secrets = InMemorySecretStore()
        secrets.write(Array(#"{"access":"a1","refresh":"r1"}"#.utf8), for: "auth")
        let store = SecretTokenStore<Tokens>(secrets, name: "auth")
        try await expectEqual(store.loadRecord()?.credential, Self.tokens)
        secrets.write(Array("{}".utf8), for: "auth")
        await #expect(throws: AuthError.storeCorrupt) { try await store.loadRecord() }
    }
}

/// Keeps records while there is room.
private final class FullStore: TokenRecordStore {
    let isFull = Mutex(false)
    private let kept = InMemoryTokenStore<Tokens>()

    func save(_ tokens: Tokens) throws { try save(record: TokenRecord(credential: tokens)) }
    func load() -> Tokens? { kept.load() }
    func clear() { kept.clear() }
    func loadRecord() -> TokenRecord<Tokens>? { kept.loadRecord() }
    var coordination: (any SessionCoordination)? { nil }

    func save(record: TokenRecord<Tokens>) throws {
        if isFull.withLock({ $0 }) { throw AuthError.storeFull }
        kept.save(record: record)
    }
}
