// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchFoundation

/// The content of a store that was copied, backed up or verified.
package struct StoreContent: Sendable {
    /// The numbers of rows by table, in the order of the tables.
    package let counts: [(table: String, rows: Int)]
    /// The numbers of rows in tables of earlier versions, which are in the source and were not copied.
    package let leftOut: [(table: String, rows: Int)]
    /// The audit log, as it was verified at the start.
    package let log: VerifiedLog

    /// An intact audit log.
    package struct VerifiedLog: Sendable, Hashable {
        /// The number of its entries.
        package let count: Int
        /// The digest of the last entry.
        package let digest: [UInt8]
        /// The time at which it was verified.
        package let at: Date
    }

    /// The number of all rows.
    package var rows: Int { counts.reduce(0) { $0 + $1.rows } }

    fileprivate init(
        _ summaries: [StoreTableSummary], leftOut: [(table: String, rows: Int)] = [], log: VerifiedLog
    ) {
        counts = summaries.filter { !$0.table.isRetired }.map { ($0.table.name, $0.count) }
        self.leftOut =
            leftOut + summaries.filter { $0.table.isRetired && $0.count > 0 }.map { ($0.table.name, $0.count) }
        self.log = log
    }
}

/// The operations on a whole store, for the operator's commands; servers may use the store that is read.
package struct StoreAdministration: Sendable {
    package let keyring: Keyring
    private let now: @Sendable () -> Date
    private let progress: StoreProgress

    /// Creates a value with the setting `store_key`, which encrypts the keys in the stores.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package init(
        storeKey: String?, clock: WallClock = .system, progress: @escaping StoreProgress = { _, _ in }
    ) throws(IdentityError) {
        keyring = try Keyring(storeKey)
        now = { clock.now }
        self.progress = progress
    }

    /// Reads the version of a store's schema without changing the store.
    ///
    /// - Throws: `IdentityError.newerSchema` for a later version.
    package static func schema(of location: String) async throws(IdentityError) -> StoreSchema {
        let schema = try await StoreConnections.onThread { () throws(IdentityError) in
            try StoreConnections.schema(of: location)
        }
        guard schema.found <= schema.latest else {
            throw .newerSchema(found: schema.found, known: schema.latest)
        }
        return schema
    }

    /// Migrates a store, which servers may be using, and returns its earlier version.
    package static func migrate(_ location: String) async throws(IdentityError) -> StoreSchema {
        let before = try await schema(of: location)
        await (try IdentityStore.open(location)).close()
        return before
    }

    /// Copies the current content of a store into an empty one.
    ///
    /// Encrypted keys stay encrypted. The copy is complete and compared with its source, or nothing of it remains.
    ///
    /// - Throws: Also `IdentityError.storeInUse`, `.storeNotEmpty`, `.olderSchema`, and `.corruptStore` for a damaged
    ///   log.
    package func copy(from source: String, to target: String) async throws(IdentityError) -> StoreContent {
        try await requireUnused(target)
        try await makeTables(of: target)
        return try await StoreConnections.onThread { () throws(IdentityError) in
            try StoreConnections.snapshot(of: source) { db throws(IdentityError) in
                let log = try verifiedLog(of: db)
                let leftOut = try StoreTable.leftOut(of: db)
                return try fill(target, event: "store.copied", log, leftOut) { loader throws(IdentityError) in
                    try StoreRows(db: db, progress: progress).send(to: loader)
                }
            }
        }
    }

    /// Writes the current content of a store into a new encrypted file.
    package func backUp(
        _ source: String, to path: String, key: BackupKey
    ) async throws(IdentityError) -> StoreContent {
        try await StoreConnections.onThread { () throws(IdentityError) in
            let writer = try BackupWriter(path, key: key)
            return try StoreConnections.snapshot(of: source) { db throws(IdentityError) in
                let log = try verifiedLog(of: db)
                try writer.begin(log)
                let summaries = try StoreRows(db: db, progress: progress).send(to: writer)
                try writer.publish()
                return StoreContent(summaries, leftOut: try StoreTable.leftOut(of: db), log: log)
            }
        }
    }

    /// Reads a backup to its end, and checks that it is complete and unchanged.
    package func verify(_ path: String, key: BackupKey) async throws(IdentityError) -> StoreContent {
        try await StoreConnections.onThread { () throws(IdentityError) in
            let backup = try Backup(path, key: key)
            return StoreContent(try backup.send(to: nil, progress: progress), log: backup.log)
        }
    }

    /// Writes the content of a backup into an empty store.
    ///
    /// The store is complete and compared with the backup, or nothing of it remains.
    package func restore(
        from path: String, to target: String, key: BackupKey
    ) async throws(IdentityError) -> StoreContent {
        // A wrong key must not create tables.
        try await StoreConnections.onThread { () throws(IdentityError) in _ = try Backup(path, key: key) }
        try await requireUnused(target)
        try await makeTables(of: target)
        return try await StoreConnections.onThread { () throws(IdentityError) in
            let backup = try Backup(path, key: key)
            return try fill(target, event: "store.restored", backup.log) { loader throws(IdentityError) in
                try backup.send(to: loader, progress: progress)
            }
        }
    }

    /// Requires that no server has opened the store: it would still have the keys and caches of the earlier content.
    private func requireUnused(_ target: String) async throws(IdentityError) {
        try await StoreConnections.onThread { () throws(IdentityError) in try StoreConnections.requireUnused(target) }
    }

    /// Creates or migrates the tables of a PostgreSQL database; a file gets its tables when it is created.
    private func makeTables(of target: String) async throws(IdentityError) {
        guard IdentityStore.isDatabase(target) else { return }
        await (try IdentityStore.open(target)).close()
    }

    /// Fills a store, begins its audit log, and compares its content with the source.
    ///
    /// The log gets the entries of the source, and an entry about the source.
    private func fill(
        _ target: String, event: String, _ log: StoreContent.VerifiedLog, _ leftOut: [(table: String, rows: Int)] = [],
        _ send: (StoreLoader) throws(IdentityError) -> [StoreTableSummary]
    ) throws(IdentityError) -> StoreContent {
        try StoreConnections.fill(target) { db throws(IdentityError) in
            let loader = StoreLoader(db)
            try loader.requireEmpty()
            let sent = try send(loader)
            let key = try auditKey(of: db)
            let chain = AuditChain(key)
            try db.chainAudit(chain)
            let kept = sent.filter { !$0.table.isRetired }
            guard try StoreRows(db: db).send(kept.map(\.table)) == kept else { throw .unequalCopy }
            db.auditChain = chain
            try db.audit(
                event, account: nil, detail: "\(log.count) entries, the last with \(Hex.encode(log.digest))", at: now())
            guard case .intact(log.count + 1, _) = try db.verifyAudit(chain) else { throw .unequalCopy }
            return StoreContent(sent, leftOut: leftOut, log: log)
        }
    }

    /// Verifies the audit log of a store.
    ///
    /// - Throws: `IdentityError.corruptStore` if it is damaged.
    private func verifiedLog(of db: any SQLConnection) throws(IdentityError) -> StoreContent.VerifiedLog {
        switch try db.verifyAudit(AuditChain(try auditKey(of: db))) {
        case .intact(let count, let digest): return StoreContent.VerifiedLog(count: count, digest: digest, at: now())
        case .damaged(let id, let reason): throw .corruptStore("its audit log does not fit at entry \(id): \(reason)")
        }
    }

    /// Returns the key of the audit log, decrypted.
    package func auditKey(of db: any SQLConnection) throws(IdentityError) -> [UInt8] {
        let stored = try db.storedKeys()
        guard !stored.seals.isEmpty else { throw .storeUnused }
        try keyring.checkSeals(of: stored)
        return try keyring.auditKey(of: stored)
    }
}

extension StoreAdministration: Redacting {}
