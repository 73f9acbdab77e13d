// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A session's view of its store, whether that keeps whole records or credentials only.
///
/// It remembers the record under the stamp of the store's lock: while the stamp stays the same, no other session has
/// changed the record, and the store, which may prompt its user or decrypt a file, is not read again.
final class SessionRecords<Value: SessionCredential>: Sendable {
    /// A record that was read or written.
    private struct Known {
        var record: TokenRecord<Value>?
        /// The stamp of the lock under which it was.
        var stamp: String
    }

    private let store: any TokenStore<Value>
    /// The same store, if it keeps whole records.
    private let records: (any TokenRecordStore<Value>)?
    /// The record, if it is known; and whether the store's content could be read at all.
    private let known = Mutex<(record: Known?, isReadable: Bool)>((nil, false))

    init(_ store: any TokenStore<Value>) {
        self.store = store
        records = store as? any TokenRecordStore<Value>
    }

    /// Whether `load` returns everything that was passed to `save`.
    var keepsRecords: Bool { records != nil }

    /// The coordination of the sessions over the store; nil if there is only one of them.
    var coordination: (any SessionCoordination)? { records?.coordination }

    /// Whether no other session has changed the record since it was last read, as far as that is known.
    var isCurrent: Bool {
        guard let known = known.withLock({ $0.record }) else { return false }
        return coordination?.stamp == known.stamp
    }

    /// Returns the stored record.
    ///
    /// - Parameter lock: The lock of the store; nil for a read that no lock protects.
    func load(under lock: SessionLock?) async throws -> TokenRecord<Value>? {
        guard let records else { return try await store.load().map { TokenRecord(credential: $0) } }
        let own = records.readingChanges && lock == nil ? try await coordination?.enter(.store) : nil
        defer { own?.release() }
        let stamp = records.isStamped ? lock.map(\.stamp) ?? coordination?.stamp : nil
        if let known = known.withLock({ $0.record }), stamp != nil, known.stamp == stamp { return known.record }
        let record = try await records.loadRecord()
        // A change that came meanwhile has another stamp, or none until it is complete.
        // That there is none is not remembered: a store may say so for a while, such as one that is not unlocked yet.
        let isUnchanged = record != nil && (lock != nil || coordination?.stamp == stamp)
        known.withLock { $0 = (isUnchanged ? stamp.map { Known(record: record, stamp: $0) } : nil, true) }
        return record
    }

    /// Replaces the stored record, or removes it.
    func save(_ record: TokenRecord<Value>?, under lock: SessionLock?) async throws {
        guard let records else {
            guard let credential = record?.credential else { return try await store.clear() }
            return try await store.save(credential)
        }
        let isReadable = known.withLock { known in
            known.record = nil
            return known.isReadable
        }
        // No stamp until the change is complete: a crash in between makes the others read the record each time.
        try lock?.removeStamp()
        if let record {
            if !isReadable { try await records.setAsideDamaged() }
            try await records.save(record: record)
        } else {
            try await records.clearRecord()
        }
        let stamp = records.isStamped ? lock?.renewStamp() : nil
        known.withLock { $0 = (stamp.map { Known(record: record, stamp: $0) }, true) }
    }

    /// Whether the store is known to hold no credential.
    ///
    /// What it holds is not remembered, since the session does not follow it: it would take a change for known.
    func isEmpty() async -> Bool {
        do {
            if let records { return try await records.loadRecord()?.credential == nil }
            return try await store.load() == nil
        } catch {
            return false
        }
    }

    /// Changes the list of credentials to revoke, which is stored beside the record.
    func changeRevocations(
        _ change: @Sendable (inout [PendingRevocation<Value>]) -> Void
    ) async throws -> [PendingRevocation<Value>] {
        guard let records else {
            var list: [PendingRevocation<Value>] = []
            change(&list)
            guard list.isEmpty else { throw AuthError.store(.storeUnavailable, "it keeps credentials only") }
            return []
        }
        let lock = try await coordination?.enter(.store)
        defer { lock?.release() }
        let before = try await records.loadRevocations()
        var after = before
        change(&after)
        if after.map(\.credential) != before.map(\.credential) { try await records.save(revocations: after) }
        return after
    }
}
