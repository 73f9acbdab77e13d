// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import Synchronization

/// The record of one token in a key-value storage: the token's bytes under the application's key, and the facts about
/// them under a second one.
///
/// The bytes are those of `TokenModel.encode()`, as in earlier versions, which still read and replace them. Facts name the
/// bytes that they describe by a fingerprint; those of other bytes count as absent.
///
/// A key-value storage replaces one value at a time, and the program may be killed between two writes:
/// - **The beginning of a refresh** changes the facts only, by one write.
/// - **A new token** is written after its facts, and they are stored together with those of the token that it replaces.
///   So the write of the token alone is what changes the record. Before it, the stored token still has its facts, with
///   the key of its refresh: the refresh is repeated under it. After it, the new token has its own. If the token came
///   first, a crash would leave it without facts, and a new sign-in could not be told from a refresh. If its facts were
///   stored alone, a crash would leave the old token without the key of its refresh, which has used it up.
/// - **A sign-out** removes the token first, and the facts then describe its absence. If facts came first, a full disk
///   would prevent the sign-out. A crash in between leaves facts of a token that does not exist; they count as absent.
///
/// A reader without a lock reads the token first. If the facts do not describe it, another session may have replaced both
/// in between, and the reader reads the token again.
final class StoredToken<Token: TokenModel>: TokenRecordStore {
    typealias Record = TokenRecord<TokenCredential<Token>>

    private let storage: any KeyValueStorage
    private let key: StorageKey
    /// The coordination of the sessions over this record; nil if there is only one of them.
    let coordination: (any SessionCoordination)?
    /// Called when the stored bytes cannot be decoded.
    private let onError: @Sendable (TokenStorageError) -> Void
    /// The facts of the token that was last read or written.
    private let known = Mutex<TokenFacts?>(nil)

    init(
        storage: any KeyValueStorage, key: StorageKey, coordination: (any SessionCoordination)?,
        onError: @escaping @Sendable (TokenStorageError) -> Void
    ) {
        self.storage = storage
        self.key = key
        self.coordination = coordination
        self.onError = onError
    }

    /// Returns the stored token, or its absence.
    func load() async throws -> TokenCredential<Token>? { try await loadRecord()?.credential }

    /// Replaces the stored token, or removes it.
    func save(_ credential: TokenCredential<Token>) async throws {
        try await save(record: TokenRecord(credential: credential))
    }

    /// Removes the stored token and its facts.
    func clear() async throws {
        known.withLock { $0 = nil }
        try await storage.remove(for: key)
        try await storage.remove(for: key.facts)
    }
}

// MARK: - Reading

extension StoredToken {
    /// Returns the stored token, or its absence, with its facts.
    ///
    /// Bytes that are not a token would make every request fail. They are kept under another key and reported, and the
    /// application continues with a new login.
    func loadRecord() async throws -> Record? {
        let (bytes, facts) = try await describedToken()
        known.withLock { $0 = facts }
        guard let bytes else { return facts.record(of: .signedOut) }
        let token: Token
        do { token = try Token.decode(from: bytes) } catch {
            try await setAside(bytes)
            onError(.failedToDecode(error))
            return TokenRecord(credential: .signedOut)
        }
        return facts.record(of: TokenCredential(token: token, record: bytes))
    }

    /// Keeps bytes that are not a token under another key.
    ///
    /// Other processes may have replaced them meanwhile, or may understand them: then only a login replaces them.
    private func setAside(_ bytes: Data) async throws {
        try await storage.set(bytes, for: key.damaged)
        if coordination == nil { try await storage.remove(for: key) }
    }

    /// Returns the stored bytes, and the facts about them.
    private func describedToken() async throws -> (bytes: Data?, facts: TokenFacts) {
        var bytes = try await storage.data(for: key)
        // As often as another session may replace the token while it is read.
        for _ in 0..<3 {
            let facts = try await storedFacts()
            let fingerprint = TokenFacts.fingerprint(of: bytes)
            if let match = facts.first(where: { $0.fingerprint == fingerprint }) { return (bytes, match) }
            let current = facts.isEmpty ? bytes : try await storage.data(for: key)
            if current == bytes { break }
            bytes = current
        }
        return (bytes, TokenFacts(ofUndescribed: bytes))
    }

    /// Returns the stored facts, the latest first; those that cannot be decoded count as absent.
    private func storedFacts() async throws -> [TokenFacts] {
        guard let stored = try await storage.data(for: key.facts) else { return [] }
        do { return try JSONDecoder().decode([TokenFacts].self, from: stored) } catch { return [] }
    }
}

// MARK: - Writing

extension StoredToken {
    /// Replaces the stored token and its facts.
    func save(record: Record) async throws {
        let facts = TokenFacts(record)
        guard let bytes = record.credential?.record else { return try await signOut(facts) }
        let replaced = known.withLock { $0 }
        let isSameToken = replaced?.fingerprint == facts.fingerprint
        try await write(isSameToken ? [facts] : [facts] + [replaced].compactMap(\.self))
        // The session has just read the token whose refresh begins.
        if !isSameToken || facts.refreshKey == nil { try await storage.set(bytes, for: key) }
        known.withLock { $0 = facts }
    }

    /// Removes the stored token, and stores the facts of its absence.
    private func signOut(_ facts: TokenFacts) async throws {
        if facts.refreshKey == nil || known.withLock({ $0?.fingerprint }) != nil {
            try await storage.remove(for: key)
        }
        known.withLock { $0 = facts }
        do {
            try await write([facts])
        } catch {
            // Where the token has been removed, the earlier facts describe nothing any more.
            if facts.refreshKey != nil { throw error }
        }
    }

    private func write(_ facts: [TokenFacts]) async throws {
        try await storage.set(try JSONEncoder().encode(facts), for: key.facts)
    }
}

extension StorageKey {
    /// The key of the facts about the token that is stored under this key.
    var facts: StorageKey { StorageKey(value: value + ".facts") }
}
