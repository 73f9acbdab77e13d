// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import Synchronization

/// The record of one token in a key-value storage.
///
/// The token's bytes are stored under the application's key, and the facts about them under a second key. The bytes are
/// those of `TokenModel.encode()`, as in earlier versions, which still read and replace them. Facts contain a
/// fingerprint of the bytes that they describe; facts about other bytes count as absent.
///
/// A key-value storage replaces one value at a time, and the program may be killed between two writes:
/// - **The beginning of a refresh** changes only the facts, with one write.
/// - **A new token** is written after its facts, which are stored together with the facts of the replaced token. So
///   only the write of the token changes the record. Before this write, the stored token still has its facts with the
///   key of its refresh, and the refresh is repeated with that key. After it, the new token has its own facts. If the
///   token were written first, a crash would leave it without facts, so a new sign-in would look like a refresh. If
///   only the new facts were stored, a crash would leave the old token, which is used up, without the key of its
///   refresh.
/// - **A sign-out** removes the token first, and then stores facts that describe its absence. If the facts were stored
///   first, a full disk would prevent the sign-out. After a crash between both steps, the remaining facts describe a
///   token that does not exist, so they count as absent.
///
/// A reader without a lock reads the token first. If the facts do not describe it, another session may have replaced
/// both between the reads, so the reader reads the token again.
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
    /// If other processes share the token, only a login replaces the bytes. Another process may have replaced them
    /// already, or may be able to decode them.
    private func setAside(_ bytes: Data) async throws {
        try await storage.set(bytes, for: key.damaged)
        if coordination == nil { try await storage.remove(for: key) }
    }

    /// Returns the stored bytes, and the facts about them.
    private func describedToken() async throws -> (bytes: Data?, facts: TokenFacts) {
        var bytes = try await storage.data(for: key)
        // Another session may replace the token while it is read; three attempts are made.
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

    /// Returns the stored facts, the latest first; undecodable facts count as absent.
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
        // The session has just read the token whose refresh begins, so it is not written again.
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
            // If the token was removed, the earlier facts do not describe any token.
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
