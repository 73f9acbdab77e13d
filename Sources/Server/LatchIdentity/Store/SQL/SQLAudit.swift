// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension IdentityStore {
    /// Stores the log's first key and chains the entries that exist, in one transaction.
    ///
    /// A chain begins at no other time: one that is missing under a key that exists is damage.
    ///
    /// - Parameter secret: A function that returns the key as it is to be stored, for the other keys of the store and for
    ///   whether the log is empty; nil if the log has a key already.
    package func beginAudit(
        with key: [UInt8], at now: Date,
        _ secret: @escaping @Sendable (StoredKeys, _ isLogEmpty: Bool) throws(IdentityError) -> StoredSecret?
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            let isLogEmpty = try db.auditRecords("LIMIT 1", []).isEmpty
            guard let secret = try secret(try db.storedKeys(), isLogEmpty) else { return }
            _ = try db.secret(proposing: secret)
            let chain = AuditChain(key)
            try db.chainAudit(chain)
            db.auditChain = chain
            try db.audit("audit.chained", account: nil, at: now)
        }
    }

    /// Chains all further entries.
    package func chainAudit(with key: [UInt8]) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in db.auditChain = AuditChain(key) }
    }

    /// Adds an entry that belongs to no change, such as a failed login.
    package func audit(
        _ event: String, account: String?, detail: String?, at now: Date
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) in
            try db.audit(event, account: account, detail: detail, at: now)
        }
    }

    /// Returns the entries that a query selects, the newest first.
    package func auditRecords(_ query: AuditQuery) async throws(IdentityError) -> [AuditRecord] {
        try await read { db throws(IdentityError) in
            let (clause, values) = query.clause(for: db.dialect)
            return try db.auditRecords(clause, values)
        }
    }

    /// Checks the chain of all entries.
    ///
    /// Reads in one transaction, so that the entries and the head belong together; writers go on meanwhile.
    package func verifyAudit(with key: [UInt8]) async throws(IdentityError) -> AuditVerification {
        try await snapshot { db throws(IdentityError) in try db.verifyAudit(AuditChain(key)) }
    }

    /// Adds an entry with the digest of what all chains have got since the last one, where a log has several chains.
    ///
    /// One server does it at a time.
    ///
    /// Reads without a write, which would conflict with others, and then adds one entry.
    ///
    /// - Throws: `IdentityError.corruptStore` if an anchor is gone that this server has seen.
    package func anchorAudit(at now: Date) async throws(IdentityError) {
        let anchor = try await snapshot { db throws(IdentityError) in try db.auditAnchor(before: now) }
        guard let anchor else { return }
        try await audit(AuditAnchor.event, account: nil, detail: anchor.detail, at: now)
    }

    /// Removes the oldest entries, and keeps the digest with which the remaining chain begins.
    ///
    /// - Parameters:
    ///   - date: The time before which entries are removed.
    ///   - count: The number of entries that are kept at most.
    ///   - batch: The number of entries that this call removes at most.
    /// - Returns: Whether entries remain to be removed.
    package func pruneAudit(
        before date: Date, keeping count: Int, atMost batch: Int, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            try db.pruneAudit(before: date, keeping: count, atMost: batch, at: now)
        }
    }
}

extension SQLConnection {
    /// Returns entries of the log.
    fileprivate func auditRecords(_ clause: String, _ values: [SQLValue]) throws(IdentityError) -> [AuditRecord] {
        try all("SELECT id, at, event, account_id, detail FROM audit \(clause)", values, read: AuditRecord.init)
    }
}

extension AuditQuery {
    /// Returns the rest of a statement that selects the entries, and its values.
    ///
    /// It goes back by the index of ids, those of PostgreSQL by that of the account's chain. There an id is at least the time of
    /// its entry, unless the entry was restored; in SQLite ids are numbers, and the whole log is read.
    fileprivate func clause(for dialect: SQLDialect) -> (String, [SQLValue]) {
        var conditions = ["id < $1"]
        var values: [SQLValue] = [.integer(before ?? .max)]
        func placeholder(_ value: SQLValue) -> String {
            values.append(value)
            return "$\(values.count)"
        }
        // The chain of an account has its name, and is the beginning of PostgreSQL's key.
        let owner = dialect == .postgres ? "chain" : "account_id"
        if let accountID { conditions.append("\(owner) = \(placeholder(.text(accountID)))") }
        if let event { conditions.append("event = \(placeholder(.text(event)))") }
        if let since {
            conditions.append("at >= \(placeholder(.date(since)))")
            if dialect == .postgres {
                let start = placeholder(.integer(PostgresAudit.firstID(at: since)))
                conditions.append("(id >= \(start) OR id < \(placeholder(.integer(PostgresAudit.endOfRestoredIDs))))")
            }
        }
        let limit = placeholder(.integer(Int64(limit)))
        return ("WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT \(limit)", values)
    }
}

extension AuditRecord {
    /// Creates a record from a row.
    init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            id: try row.integer(0), at: try row.date(1), event: try row.text(2), accountID: try row.optionalText(3),
            detail: try row.optionalText(4))
    }
}
