// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore

/// Keeps one account's record under one name in a `SecretStore`, as JSON.
public struct SecretTokenStore<Value: Codable & Sendable>: TokenRecordStore {
    /// Where the record is kept, with its guarantees: this type adds none.
    private let secrets: any SecretStore
    /// May be told in errors, so it must be no secret.
    private let name: String
    /// How the sessions over this record take turns.
    public let coordination: (any SessionCoordination)?

    /// A token store inside `secrets`.
    ///
    /// - Parameters:
    ///   - name: The name of the secret; one name for each account.
    ///   - coordination: How the sessions over this record take turns; nil where there is only one of them.
    public init(_ secrets: any SecretStore, name: String, coordination: (any SessionCoordination)? = nil) {
        self.secrets = secrets
        self.name = name
        self.coordination = coordination
    }

    /// Replaces what is kept.
    public func save(_ tokens: Value) async throws { try await save(record: TokenRecord(credential: tokens)) }

    /// What is kept.
    ///
    /// - Throws: `AuthError.storeCorrupt` when the record is not a credential of this type.
    public func load() async throws -> Value? { try await loadRecord()?.credential }

    /// Replaces the whole record.
    ///
    /// A damaged one is not overwritten but kept under another name, `name.corrupt`.
    public func save(record: TokenRecord<Value>) async throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let bytes = Array(try encoder.encode(record))
        try await keepDamaged()
        try await secrets.write(bytes, for: name)
    }

    /// Sets aside what is there and is no record, before it is replaced.
    private func keepDamaged() async throws {
        guard let bytes = try await readBytes() else { return }
        do {
            _ = try decode(bytes)
        } catch {
            _ = try await secrets.setAside(bytes, of: name)
        }
    }

    /// The bytes of the record; nil also where the whole store is damaged, which then sets itself aside.
    private func readBytes() async throws -> [UInt8]? {
        do {
            return try await secrets.read(name)
        } catch AuthError.storeCorrupt {
            return nil
        }
    }

    /// The whole record.
    ///
    /// - Throws: `AuthError.storeCorrupt` when it is not a record of such a credential.
    public func loadRecord() async throws -> TokenRecord<Value>? {
        try await secrets.read(name).map { try decode($0) }
    }

    private func decode(_ bytes: [UInt8]) throws -> TokenRecord<Value> {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            let record = try decoder.decode(TokenRecord<Value>.self, from: Data(bytes))
            if record.credential != nil || record.end != nil { return record }
            // Before there were records the credential stood alone.
            return TokenRecord(credential: try decoder.decode(Value.self, from: Data(bytes)))
        } catch {
            // The decoding error may quote the record: only its kind is told.
            throw AuthError.store(.storeCorrupt, "the record '\(name)' is not a credential")
        }
    }

    /// Forgets what is kept.
    public func clear() async throws { try await secrets.remove(name) }
}
