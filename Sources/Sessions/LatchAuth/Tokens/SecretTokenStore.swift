// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// A store of one account's record under one name in a `SecretStore`, as JSON.
public struct SecretTokenStore<Value: Codable & Sendable>: TokenRecordStore {
    /// The store of the record, whose guarantees this type passes on without additions.
    private let secrets: any SecretStore
    /// The name of the record.
    ///
    /// Errors may quote it, so it must not be a secret.
    private let name: String
    /// The coordination of the sessions over this record.
    package let coordination: (any SessionCoordination)?
    /// The layout of another library's record that may have the same name.
    private let legacy: LegacyLayout?

    /// Creates a token store inside `secrets`.
    ///
    /// - Parameters:
    ///   - secrets: The store that contains the secret.
    ///   - name: The name of the secret; one name for each account.
    ///   - coordination: The coordination of the sessions that use this record; nil if there is only one.
    public init(_ secrets: any SecretStore, name: String, coordination: FileCoordination? = nil) {
        self.init(secrets, name: name, coordinatedBy: coordination)
    }

    /// Creates a token store inside `secrets` with any coordination.
    package init(
        _ secrets: any SecretStore, name: String, coordinatedBy coordination: (any SessionCoordination)?,
        replacing legacy: LegacyLayout? = nil
    ) {
        self.secrets = secrets
        self.name = name
        self.coordination = coordination
        self.legacy = legacy
    }

    /// Replaces the stored credential.
    ///
    /// The sessions over the record follow the change.
    public func save(_ tokens: Value) async throws {
        try await change {
            try await setAsideDamaged()
            try await save(record: TokenRecord(credential: tokens))
        }
    }

    /// Changes the record in the same way as another session.
    private func change(_ body: () async throws -> Void) async throws {
        let lock = try await coordination?.enter(.store)
        do {
            defer { lock?.release() }
            try lock?.removeStamp()
            try await body()
            _ = lock?.renewStamp()
        }
        await coordination?.announceChange()
    }

    /// Returns the stored credential.
    ///
    /// - Throws: As `loadRecord()`.
    public func load() async throws -> Value? { try await loadRecord()?.credential }

    /// True: each change removes the stamp before, and writes a new one afterwards.
    package var isStamped: Bool { true }

    /// Keeps a damaged record, or one of a newer version, under another name, `name.corrupt`.
    package func setAsideDamaged() async throws {
        try await secrets.setAside(name) { (try? decode($0)) != nil }
    }

    /// Replaces the whole record.
    package func save(record: TokenRecord<Value>) async throws {
        try await secrets.write(try encode(record), for: name)
    }

    private func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return Array(try encoder.encode(value))
    }

    /// Returns the whole record.
    ///
    /// - Throws: `AuthError.storeCorrupt` if it is not a record of such a credential.
    package func loadRecord() async throws -> TokenRecord<Value>? {
        try await secrets.read(name).map { try decode($0) }
    }

    private func decode<Content: Decodable>(_ type: Content.Type, from bytes: [UInt8]) throws -> Content {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try decoder.decode(type, from: Data(bytes))
    }

    private func decode(_ bytes: [UInt8]) throws -> TokenRecord<Value> {
        do {
            let record = try decode(TokenRecord<Value>.self, from: bytes)
            if record.credential != nil || record.end != nil { return record }
            // Before records were introduced, only the credential was stored.
            return TokenRecord(credential: try decode(Value.self, from: bytes))
        } catch AuthError.storeNewer {
            throw AuthError.store(.storeNewer, "the record '\(name)'")
        } catch {
            if let tokens = legacy?.account(in: bytes, named: name)?.tokens as? Value {
                return TokenRecord(credential: tokens)
            }
            // The decoding error may quote the record, so it is not passed on.
            throw AuthError.store(.storeCorrupt, "the record '\(name)' is not a credential")
        }
    }

    /// Removes the record, which signs out the sessions over it.
    public func clear() async throws { try await change { try await clearRecord() } }

    /// Removes the record, for a session that already holds the store's lock.
    package func clearRecord() async throws { try await secrets.remove(name) }

    /// The name of the secret with the credentials to revoke.
    private var revocationsName: String { name + ".revocations" }

    /// Returns the credentials to revoke; none if the list is damaged, which the next sign-out replaces.
    package func loadRevocations() async throws -> [PendingRevocation<Value>] {
        guard let bytes = try await secrets.read(revocationsName) else { return [] }
        do { return try decode([PendingRevocation<Value>].self, from: bytes) } catch { return [] }
    }

    /// Replaces the credentials to revoke.
    package func save(revocations: [PendingRevocation<Value>]) async throws {
        guard !revocations.isEmpty else { return try await secrets.remove(revocationsName) }
        try await secrets.write(try encode(revocations), for: revocationsName)
    }
}
