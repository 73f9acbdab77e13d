// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import Synchronization
import TestTags
import Testing

/// A storage that fails when told to.
final class FailingStorage: KeyValueStorage {
    let inner = InMemoryStorage()
    let failsToRead = Mutex(false)
    let failsToWrite = Mutex(false)

    func string(for key: StorageKey) throws -> String? {
        try data(for: key).map { String(decoding: $0, as: UTF8.self) }
    }
    func set(_ value: String?, for key: StorageKey) throws { try set(value.map { Data($0.utf8) }, for: key) }
    func data(for key: StorageKey) throws -> Data? {
        if failsToRead.withLock({ $0 }) { throw AuthError.storeLocked }
        return inner.data(for: key)
    }
    func set(_ value: Data?, for key: StorageKey) throws {
        if failsToWrite.withLock({ $0 }) { throw AuthError.storeFull }
        inner.set(value, for: key)
    }
    func remove(for key: StorageKey) throws {
        if failsToWrite.withLock({ $0 }) { throw AuthError.storeFull }
        inner.remove(for: key)
    }
}

/// A token that cannot be encoded.
private struct Unwritable: TokenModel {
    struct Failure: Error {}
    func authorize(_ request: inout URLRequest) {}
    func encode() throws -> Data { throw Failure() }
    static func decode(from data: Data) throws -> Self { Unwritable() }
}

@Suite struct TokenStorageTests {
    @Test(.tags(.tokenTypes))
    func `A token storage moves invalid bytes to another key, reports them once and continues`() async throws {
        let kept = InMemoryStorage()
        kept.set("no token", for: .token)
        let errors = Mutex<[TokenStorageError]>([])
        let storage = TokenStorage<Token>(storage: kept, onError: { error in errors.withLock { $0.append(error) } })
        await expectNil(storage.load())
        await expectNil(storage.load())
        let told = errors.withLock { $0 }
        expectEqual(told.count, 1)
        guard case .failedToDecode? = told.first else {
            Issue.record("\(told)")
            return
        }
        expectNil(kept.data(for: .token))
        expectEqual(kept.string(for: "com.nevod.token.damaged"), "no token")
        await storage.save(Token(value: "new"))
        try await expectEqual(storage.read()?.value, "new")
    }

    @Test(.tags(.tokenTypes))
    func `A token storage without a valid token lets requests pass and obtains a new one`() async throws {
        let backend = Backend()
        let kept = InMemoryStorage()
        kept.set(Data([0xFF]), for: .token)
        try await backend.serve { url in
            let auth = AuthenticationInterceptor(
                tokenStorage: TokenStorage<Token>(storage: kept),
                refreshStrategy: { old in
                    expectNil(old)
                    return Token(value: backend.issue())
                })
            let user: User = try await provider(url, interceptor: auth).get("a")
            expectEqual(user.id, 7)
        }
    }

    @Test(.tags(.atomicStorage)) func `A token storage shows a token only once it is stored`() async throws {
        let kept = FailingStorage()
        let errors = Mutex(0)
        let storage = TokenStorage<Token>(storage: kept, onError: { _ in errors.withLock { $0 += 1 } })
        await storage.save(Token(value: "first"))
        kept.failsToWrite.withLock { $0 = true }
        let outcome = await storage.save(Token(value: "second"))
        guard case .failure(.failedToAccess(AuthError.storeFull)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        expectEqual(errors.withLock { $0 }, 1)
        await expectEqual(storage.load()?.value, "first")
        try expectEqual(kept.inner.data(for: .token).map(Token.decode)?.value, "first")
        await #expect(throws: TokenStorageError.self) { try await storage.save(nil).get() }
        await expectEqual(storage.load()?.value, "first")
    }

    @Test(.tags(.atomicStorage))
    func `A token storage keeps an issued token that could not be stored until it can`() async throws {
        let backend = Backend()
        let kept = FailingStorage()
        try await backend.serve { url in
            let storage = TokenStorage<Token>(storage: kept)
            await storage.save(Token(value: "old"))
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) })
            let provider = provider(url, interceptor: auth)
            kept.failsToWrite.withLock { $0 = true }
            let error = await failure { () -> User in try await provider.get("a") }
            guard case .authenticationFailed(cause: AuthError.storeFull?)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            kept.failsToWrite.withLock { $0 = false }
            let _: User = try await provider.get("a")
            expectEqual(backend.state.withLock { $0.issued }, 1)
            try expectEqual(kept.inner.data(for: .token).map(Token.decode)?.value, "fresh-1")
        }
    }

    @Test(.tags(.atomicStorage)) func `A token storage that is unreadable is not treated as empty`() async throws {
        let backend = Backend(accepting: ["t"])
        let kept = FailingStorage()
        kept.inner.set(try Token(value: "t").encode(), for: .token)
        kept.failsToRead.withLock { $0 = true }
        try await backend.serve { url in
            let storage = TokenStorage<Token>(storage: kept)
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) })
            let provider = provider(url, interceptor: auth)
            await expectNil(storage.load())
            let error = await failure { () -> User in try await provider.get("a") }
            guard case .authenticationFailed(cause: AuthError.storeLocked?)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(backend.requests.isEmpty)
            kept.failsToRead.withLock { $0 = false }
            let user: User = try await provider.get("a")
            expectEqual(user.id, 7)
            expectEqual(backend.state.withLock { $0.issued }, 0)
        }
    }

    @Test(.tags(.atomicStorage))
    func `A token storage uses a token that another storage over the same key has refreshed`() async throws {
        let backend = Backend()
        let kept = InMemoryStorage()
        try await backend.serve { url in
            let storages = (0..<2).map { _ in TokenStorage<Token>(storage: kept) }
            await storages[0].save(Token(value: "old"))
            await expectEqual(storages[1].load()?.value, "old")
            let providers = storages.map { storage in
                provider(
                    url,
                    interceptor: AuthenticationInterceptor(
                        tokenStorage: storage, refreshStrategy: { _ in Token(value: backend.issue()) }))
            }
            for one in providers { let _: User = try await one.get("a") }
            expectEqual(backend.state.withLock { $0.issued }, 1)
        }
    }

    @Test func `A token storage rejects a token that cannot be encoded and keeps the stored one`() async throws {
        let kept = InMemoryStorage()
        kept.set("x", for: "u")
        let storage = TokenStorage<Unwritable>(storage: kept, key: StorageKey(value: "u"))
        guard case .failure(.failedToEncode(is Unwritable.Failure)) = await storage.save(Unwritable()) else {
            Issue.record("it was written")
            return
        }
        expectEqual(kept.string(for: "u"), "x")
        #expect(await storage.load() != nil)
        await storage.clear()
        expectNil(kept.string(for: "u"))
    }

    @Test func `A token storage describes errors without the stored bytes`() {
        struct Secret: Error { let value = "s3cret" }
        for error in [
            TokenStorageError.failedToDecode(Secret()), .failedToEncode(Secret()), .failedToAccess(Secret()),
            .failedToAccess(AuthError.storeLocked),
        ] { #expect(!"\(error)".contains("s3cret")) }
    }
}

@Suite struct KeychainTests {
    @Test(.tags(.atomicStorage))
    func `A keychain on Linux keeps secrets encrypted in a file that is replaced as a whole`() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/app.secrets"
            func keychain() -> Keychain {
                Keychain(secrets: EncryptedFileSecretStore(path: path, key: .keyFile(path: "\(folder)/app.key")))
            }
            let storage = TokenStorage<Token>(storage: KeychainStorage(keychain: keychain()))
            try await storage.save(Token(value: "canary-7f3a")).get()
            let again = TokenStorage<Token>(storage: KeychainStorage(keychain: keychain()))
            try await expectEqual(again.read()?.value, "canary-7f3a")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            expectNil(bytes.range(of: Data("canary".utf8)))
            try await again.save(nil).get()
            try await expectNil(KeychainStorage(keychain: keychain()).data(for: .token))
        }
    }

    @Test func `A keychain keeps text and bytes by name`() async throws {
        let storage = KeychainStorage(keychain: Keychain(secrets: InMemorySecretStore()))
        try await storage.set("text", for: "a")
        try await storage.set(Data([1, 2]), for: "b")
        try await expectEqual(storage.string(for: "a"), "text")
        try await expectEqual(storage.data(for: "b"), Data([1, 2]))
        try await storage.set(nil as String?, for: "a")
        try await storage.remove(for: "b")
        try await expectNil(storage.data(for: "a"))
        try await expectNil(storage.data(for: "b"))
    }
}
