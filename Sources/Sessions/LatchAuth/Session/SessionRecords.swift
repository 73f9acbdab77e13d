// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A session's view of its store, which keeps whole records or only credentials.
///
/// It remembers the record under the stamp of the store's lock. While the stamp stays the same, no other session has
/// changed the record. Then the store, which may prompt the user or decrypt a file, is not read again.
final class SessionRecords<Value: SessionCredential>: Sendable {
    /// The session's knowledge of the stored record.
    private enum Knowledge {
        case none
        /// The record that was read or written, and the lock's stamp at that time.
        case record(TokenRecord<Value>?, stamp: String)
        /// This session is replacing the record.
        case replacing
        /// This session's change has failed.
        ///
        /// There is probably no stamp until a session completes a change.
        case incomplete
    }

    private let store: any TokenStore<Value>
    /// The same store, if it keeps whole records.
    private let records: (any TokenRecordStore<Value>)?
    /// The known record, and whether the store's content could be read at all.
    private let known = Mutex<(record: Knowledge, isReadable: Bool)>((.none, false))

    init(_ store: any TokenStore<Value>) {
        self.store = store
        records = store as? any TokenRecordStore<Value>
    }

    /// Whether `load` returns everything that was passed to `save`.
    var keepsRecords: Bool { records != nil }

    /// The coordination of the sessions over the store; nil if there is only one.
    var coordination: (any SessionCoordination)? { records?.coordination }

    /// Whether the known record equals the stored one.
    var isCurrent: Bool {
        guard case .record(_, let stamp) = known.withLock({ $0.record }) else { return false }
        return coordination?.stamp == stamp
    }

    private var hasAnnouncedLast: Bool { coordination?.hasAnnouncedLast ?? false }

    /// Whether an announcement that has arrived may come from another session.
    ///
    /// The announcement of this session's last change may arrive while the next change is running, or after it has
    /// failed.
    var mayHaveChanged: Bool {
        switch known.withLock({ $0.record }) {
        case .none: true
        case .record(_, let stamp): coordination?.stamp != stamp
        case .replacing: !hasAnnouncedLast
        case .incomplete: coordination?.stamp != nil || !hasAnnouncedLast
        }
    }

    /// Returns the stored record.
    ///
    /// - Parameter lock: The lock of the store; nil for an unprotected read.
    func load(under lock: SessionLock?) async throws -> TokenRecord<Value>? {
        guard let records else { return try await store.load().map { TokenRecord(credential: $0) } }
        let own = records.readingChanges && lock == nil ? try await coordination?.enter(.store) : nil
        defer { own?.release() }
        let before = known.withLock { $0.record }
        // A lock has the stamp from the time when it was taken. A change under the lock has removed that stamp.
        let isIncomplete = if case .incomplete = before { true } else { false }
        let taken = isIncomplete ? nil : lock.map(\.stamp)
        let stamp = records.isStamped ? taken ?? coordination?.stamp : nil
        if case .record(let record, stamp) = before { return record }
        let record = try await records.loadRecord()
        // A change in the meantime has another stamp, or none until it is complete. A missing record is not remembered:
        // a store may report that temporarily, for example before it is unlocked.
        let isUnchanged = record != nil && (lock != nil || coordination?.stamp == stamp)
        let knowledge: Knowledge =
            if let stamp {
                isUnchanged ? .record(record, stamp: stamp) : .none
            } else {
                isIncomplete ? .incomplete : .none
            }
        known.withLock { $0 = (knowledge, true) }
        return record
    }

    /// Replaces the stored record, or removes it.
    func save(_ record: TokenRecord<Value>?, under lock: SessionLock?) async throws {
        guard let records else {
            guard let credential = record?.credential else { return try await store.clear() }
            return try await store.save(credential)
        }
        let isReadable = known.withLock { known in
            known.record = .replacing
            return known.isReadable
        }
        do {
            // The stamp is missing until the change is complete. After a crash in between, other sessions read the
            // record each time.
            try lock?.removeStamp()
            if let record {
                if !isReadable { try await records.setAsideDamaged() }
                try await records.save(record: record)
            } else {
                try await records.clearRecord()
            }
        } catch {
            known.withLock { $0.record = records.isStamped ? .incomplete : .none }
            throw error
        }
        let stamp = records.isStamped ? lock?.renewStamp() : nil
        known.withLock { $0 = (stamp.map { .record(record, stamp: $0) } ?? .none, true) }
    }

    /// Whether the store is known to hold no credential.
    ///
    /// The content is not remembered, because the session does not follow it, and would mistake a change for known
    /// content.
    func isEmpty() async throws -> Bool {
        if let records { return try await records.loadRecord()?.credential == nil }
        return try await store.load() == nil
    }

    /// Changes the list of credentials to revoke, which is stored next to the record.
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
