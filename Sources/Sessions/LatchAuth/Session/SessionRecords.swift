// SPDX-License-Identifier: Apache-2.0

/// A session's way to its store, whether that keeps whole records or credentials only.
struct SessionRecords<Value: SessionCredential>: Sendable {
    private let store: any TokenStore<Value>
    /// The same store, where it keeps whole records.
    private let records: (any TokenRecordStore<Value>)?

    init(_ store: any TokenStore<Value>) {
        self.store = store
        records = store as? any TokenRecordStore<Value>
    }

    /// Whether `load` gives all that `save` was given.
    var areKept: Bool { records != nil }

    /// How the sessions over the store take turns; nil where there is only one of them.
    var coordination: (any SessionCoordination)? { records?.coordination }

    /// What is kept.
    func load() async throws -> TokenRecord<Value>? {
        guard let records else { return try await store.load().map { TokenRecord(credential: $0) } }
        return try await records.loadRecord()
    }

    /// Replaces what is kept.
    func save(_ record: TokenRecord<Value>) async throws {
        if let records { return try await records.save(record: record) }
        if let credential = record.credential { try await store.save(credential) } else { try await store.clear() }
    }

    /// Forgets what is kept.
    func clear() async throws { try await store.clear() }
}
