// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth

/// The store of a session's record as one text in a keychain client, so that one write replaces the whole record.
struct KeychainRecords: TokenRecordStore {
    let keychain: KeychainClient

    var coordination: (any SessionCoordination)? { keychain.coordination }

    /// True: the first read migrates the earlier layout.
    var readingChanges: Bool { true }

    func save(_ tokens: Tokens) async throws { try await save(record: TokenRecord(credential: tokens)) }

    func load() async throws -> Tokens? { try await loadRecord()?.credential }

    func save(record: TokenRecord<Tokens>) async throws {
        try await keychain.save(try Self.text(of: record), as: .session)
    }

    /// Returns the record; if there is none yet, migrates the earlier layout.
    ///
    /// A single token without the other one is removed.
    func loadRecord() async throws -> TokenRecord<Tokens>? {
        if let record = try await kept() { return record }
        for place in earlierPlaces {
            try await LegacyMigration(.jwtAuth, in: place).run(into: EarlierPair(self))
            // The client now reads both tokens from the record, so they must not be migrated again.
            if let record = try await kept() { return record }
        }
        return nil
    }

    /// Removes the earlier layout first, so that an interruption cannot sign the user in again.
    func clear() async throws {
        for place in earlierPlaces {
            for name in LegacyLayout.jwtAuth.names { try await place.remove(name) }
        }
        try await keychain.delete(.session)
    }

    private var earlierPlaces: [any SecretStore] {
        let own = KeychainSecrets(keychain: keychain)
        return keychain.earlier.map { [$0, own] } ?? [own]
    }

    /// Returns the record; nil if there is none.
    ///
    /// - Throws: `AuthError.storeCorrupt` if it cannot be decoded.
    func kept() async throws -> TokenRecord<Tokens>? {
        try Self.record(in: try await keychain.load(.session))
    }

    static func text(of record: TokenRecord<Tokens>) throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return String(decoding: try encoder.encode(record), as: UTF8.self)
    }

    static func record(in text: String?) throws(AuthError) -> TokenRecord<Tokens>? {
        guard let text else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            var record = try decoder.decode(TokenRecord<Tokens>.self, from: Data(text.utf8))
            // Earlier versions stored only the two tokens.
            if let tokens = record.credential, tokens.expiry == nil {
                record.credential?.expiry = AuthTokens(tokens).expiry
            }
            return record
        } catch let error as AuthError {
            throw error
        } catch {
            // The decoding error may quote the record.
            throw .storeCorrupt
        }
    }
}

/// The secret store from which the core's migration reads a keychain client.
private struct KeychainSecrets: SecretStore {
    let keychain: KeychainClient

    func read(_ name: String) async throws -> [UInt8]? {
        try await keychain.load(KeychainClient.Keys(value: name)).map { Array($0.utf8) }
    }

    func write(_ secret: [UInt8], for name: String) async throws {
        try await keychain.save(String(decoding: secret, as: UTF8.self), as: KeychainClient.Keys(value: name))
    }

    func remove(_ name: String) async throws { try await keychain.delete(KeychainClient.Keys(value: name)) }

    /// A client cannot list its names, so this returns the names that the migration reads.
    func names() async throws -> [String] { LegacyLayout.jwtAuth.names }
}

/// The store to which the core's migration writes; the session holds the lock while it reads its store.
private struct EarlierPair: TokenRecordStore {
    let records: KeychainRecords

    init(_ records: KeychainRecords) { self.records = records }

    var coordination: (any SessionCoordination)? { nil }

    func save(_ tokens: Tokens) async throws { try await save(record: TokenRecord(credential: tokens)) }

    func load() async throws -> Tokens? { try await loadRecord()?.credential }

    func clear() async throws { try await records.clear() }

    func save(record: TokenRecord<Tokens>) async throws {
        guard let tokens = record.credential, tokens.refresh != nil else { throw AuthError.storeCorrupt }
        try await records.save(
            record: TokenRecord(credential: AuthTokens(tokens).core, sessionID: record.sessionID))
    }

    func loadRecord() async throws -> TokenRecord<Tokens>? {
        guard let record = try await records.kept() else { return nil }
        return TokenRecord(credential: record.credential, sessionID: record.sessionID, end: record.end)
    }
}
