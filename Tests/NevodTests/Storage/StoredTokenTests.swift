// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import Nevod

@Suite struct StoredTokenTests {
    private let kept = InMemoryStorage()
    private let issuer = Issuer()
    private let facts = StorageKey(value: "com.nevod.token.facts")

    /// Returns the storage of a program in which no time passes.
    private func tokens(_ storage: any KeyValueStorage) -> TokenStorage<Token> {
        TokenStorage(storage: storage, clock: ManualClock().wallClock())
    }

    /// Sends a request that rejects every token but those of the issuer, and returns whether it succeeded.
    private func succeeds(with tokens: TokenStorage<Token>, losingResponse: Bool = false) async throws -> Bool {
        let backend = Backend(accepting: ["fresh-1", "fresh-2"])
        return try await backend.serve { url in
            let auth = AuthenticationInterceptor(
                tokenStorage: tokens,
                refreshStrategy: { [issuer] token, key in
                    let fresh = try issuer.exchange(token, key: key)
                    if losingResponse { throw NetworkError.timeout }
                    return fresh
                })
            return await failure { () -> User in try await provider(url, interceptor: auth).get("a") } == nil
        }
    }

    private var storedToken: String? {
        get throws { try kept.data(for: .token).map(Token.decode)?.value }
    }

    @Test(.tags(.atomicStorage))
    func `The record of a stored token has the bytes of earlier versions under the application's key`() async throws {
        try await tokens(kept).save(Token(value: "old")).get()
        expectEqual(kept.data(for: .token), try Token(value: "old").encode())
        let text = try #require(kept.string(for: facts))
        #expect(!text.contains("old"))
        #expect(try await succeeds(with: tokens(kept)))
        expectEqual(kept.data(for: .token), try Token(value: "fresh-1").encode())
    }

    @Test(.tags(.atomicStorage))
    func `The record of a stored token loses its facts once an earlier version has replaced the token`() async throws {
        try await tokens(kept).save(Token(value: "old")).get()
        try await expectEqual(succeeds(with: tokens(kept), losingResponse: true), false)
        kept.set(try Token(value: "by an earlier version").encode(), for: .token)
        let after = tokens(kept)
        await expectEqual(after.load()?.value, "by an earlier version")
        #expect(try await succeeds(with: after))
        expectEqual(Set(issuer.keys).count, 2)
        #expect(!issuer.wasReused)
    }

    @Test(.tags(.atomicStorage))
    func `The record of a stored token with missing or damaged facts has no pending refresh`() async throws {
        kept.set(try Token(value: "old").encode(), for: .token)
        kept.set("damaged", for: facts)
        let stored = StoredToken<Token>(storage: kept, key: .token, coordination: nil, onError: { _ in })
        let record = try #require(try await stored.loadRecord())
        expectEqual(record.credential?.token?.value, "old")
        expectNil(record.refreshKey)
        expectEqual(record.sessionID, TokenFacts.fingerprint(of: kept.data(for: .token)))
        #expect(try await succeeds(with: tokens(kept)))
        try await expectEqual(stored.loadRecord()?.sessionID, record.sessionID)
    }

    @Test(.tags(.refreshRecovery, .atomicStorage))
    func `The record of a stored token keeps the key of a refresh whose response was lost`() async throws {
        try await tokens(kept).save(Token(value: "old")).get()
        for _ in 0..<3 { try await expectEqual(succeeds(with: tokens(kept), losingResponse: true), false) }
        try expectEqual(storedToken, "old")
        #expect(try await succeeds(with: tokens(kept)))
        try expectEqual(storedToken, "fresh-1")
        expectEqual(issuer.count, 1)
        #expect(!issuer.wasReused)
    }

    // The writes: the facts with the key; the facts of both tokens; the token.
    @Test(.tags(.refreshRecovery, .atomicStorage), arguments: 0...3)
    func `The record of a stored token survives the end of the program after any write of a refresh`(writes: Int)
        async throws
    {
        try await tokens(kept).save(Token(value: "old")).get()
        let killed = tokens(KilledStorage(kept, afterWrites: writes))
        try await expectEqual(succeeds(with: killed), writes == 3)
        expectEqual(issuer.count, writes == 0 ? 0 : 1)
        try expectEqual(storedToken, writes == 3 ? "fresh-1" : "old")
        let before = try await StoredToken<Token>(storage: kept, key: .token, coordination: nil, onError: { _ in })
            .loadRecord()
        expectEqual(before?.refreshKey != nil, (1...2).contains(writes))
        #expect(try await succeeds(with: tokens(kept)))
        try expectEqual(storedToken, "fresh-1")
        expectEqual(issuer.count, 1)
        #expect(!issuer.wasReused)
    }

    // The writes: the facts with the key; the facts of the absence and of the token; the token.
    @Test(.tags(.refreshRecovery, .atomicStorage), arguments: 0...3)
    func `The record of a stored token survives the end of the program after any write of a first login`(writes: Int)
        async throws
    {
        try await expectEqual(succeeds(with: tokens(KilledStorage(kept, afterWrites: writes))), writes == 3)
        try expectEqual(storedToken, writes == 3 ? "fresh-1" : nil)
        #expect(try await succeeds(with: tokens(kept)))
        try expectEqual(storedToken, "fresh-1")
        expectEqual(issuer.count, 1)
        #expect(!issuer.wasReused)
    }

    // The writes: the facts of both tokens; the token.
    @Test(.tags(.userChangeDuringRefresh, .atomicStorage), arguments: 0...2)
    func `The record of a stored token survives the end of the program after any write of a sign-in`(writes: Int)
        async throws
    {
        try await tokens(kept).save(Token(value: "ada's")).get()
        try await expectEqual(succeeds(with: tokens(kept), losingResponse: true), false)
        let killed = tokens(KilledStorage(kept, afterWrites: writes))
        await expectEqual(killed.load()?.value, "ada's")
        let result = await killed.save(Token(value: "bob's"))
        #expect((try? result.get()) != nil || writes < 2)
        try expectEqual(storedToken, writes == 2 ? "bob's" : "ada's")
        #expect(try await succeeds(with: tokens(kept)))
        expectEqual(issuer.count, writes == 2 ? 2 : 1)
        #expect(!issuer.wasReused)
    }

    // The writes: the token is removed; the facts of its absence.
    @Test(.tags(.userChangeDuringRefresh, .atomicStorage), arguments: 0...2)
    func `The record of a stored token survives the end of the program after any write of a sign-out`(writes: Int)
        async throws
    {
        try await tokens(kept).save(Token(value: "ada's")).get()
        let killed = tokens(KilledStorage(kept, afterWrites: writes))
        await expectEqual(killed.load()?.value, "ada's")
        let result = await killed.save(nil)
        #expect((try? result.get()) != nil || writes == 0)
        try expectEqual(storedToken, writes == 0 ? "ada's" : nil)
        await expectEqual(tokens(kept).load()?.value, writes == 0 ? "ada's" : nil)
    }

    @Test(.tags(.userChangeDuringRefresh, .atomicStorage))
    func `The record of a stored token of a sign-out contains nothing about the token`() async throws {
        let storage = tokens(kept)
        try await storage.save(Token(value: "ada's")).get()
        let fingerprint = try #require(TokenFacts.fingerprint(of: kept.data(for: .token)))
        try await storage.save(nil).get()
        let stored = StoredToken<Token>(storage: kept, key: .token, coordination: nil, onError: { _ in })
        try await expectEqual(stored.loadRecord()?.credential, .signedOut)
        let data = try #require(kept.data(for: facts))
        let remaining = try JSONDecoder().decode([TokenFacts].self, from: data)
        #expect(!remaining.contains { $0.fingerprint == fingerprint })
    }

    @Test(.tags(.atomicStorage))
    func `The record of a stored token is read again when another session replaces it during the read`() async throws {
        try await tokens(kept).save(Token(value: "first")).get()
        let replacing = ReplacingStorage(inner: kept) { [kept] in
            let other = StoredToken<Token>(storage: kept, key: .token, coordination: nil, onError: { _ in })
            let credential = try TokenCredential(Token(value: "second"))
            try await other.save(record: TokenRecord(credential: credential, sessionID: "s2"))
        }
        let stored = StoredToken<Token>(storage: replacing, key: .token, coordination: nil, onError: { _ in })
        let record = try await stored.loadRecord()
        expectEqual(record?.credential?.token?.value, "second")
        expectEqual(record?.sessionID, "s2")
    }
}

/// A storage whose token another session replaces after it was read, once.
private final class ReplacingStorage: KeyValueStorage {
    private let inner: InMemoryStorage
    private let replace: Mutex<(@Sendable () async throws -> Void)?>

    init(inner: InMemoryStorage, _ replace: @escaping @Sendable () async throws -> Void) {
        self.inner = inner
        self.replace = Mutex(replace)
    }

    func string(for key: StorageKey) -> String? { inner.string(for: key) }
    func data(for key: StorageKey) async throws -> Data? {
        let data = inner.data(for: key)
        let replace = replace.withLock { replace in
            defer { if key == .token { replace = nil } }
            return key == .token ? replace : nil
        }
        try await replace?()
        return data
    }
    func set(_ value: String?, for key: StorageKey) { inner.set(value, for: key) }
    func set(_ value: Data?, for key: StorageKey) { inner.set(value, for: key) }
    func remove(for key: StorageKey) { inner.remove(for: key) }
}
