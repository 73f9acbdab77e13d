// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Stores the log's first key and chains the existing entries, in one transaction.
    ///
    /// A chain begins at no other time: if the key exists and the chain does not, that is damage.
    ///
    /// - Parameter secret: A function that returns the key in its stored form; nil if the log already has a key. Its
    ///   arguments are the other keys of the store, and whether the log is empty.
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

    /// Chains all new entries.
    package func chainAudit(with key: [UInt8]) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in db.auditChain = AuditChain(key) }
    }

    /// Adds an entry without another change, such as that of a failed login.
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

    /// Returns one page of the entries that a query selects and whose event contains a text.
    ///
    /// The events have no index. So a page looks through a part of the log, and the next one continues.
    ///
    /// - Parameter count: The number of entries that the page looks through.
    package func auditPage(
        _ query: AuditQuery, containing text: String, among count: Int
    ) async throws(IdentityError) -> AuditPage {
        try await read { db throws(IdentityError) in
            var part = query
            part.limit = count
            let (clause, values) = part.clause(for: db.dialect)
            let find = db.dialect == .postgres ? "strpos" : "instr"
            let found = try db.all(
                """
                SELECT \(AuditRecord.Column.list) FROM (SELECT \(AuditRecord.Column.list) FROM audit \(clause)) AS part
                WHERE \(find)(event, $\(values.count + 1)) > 0 ORDER BY id DESC LIMIT $\(values.count + 2)
                """, values + [.text(text), .integer(Int64(query.limit) + 1)], read: AuditRecord.init)
            if found.count > query.limit {
                let records = Array(found.prefix(query.limit))
                return AuditPage(records: records, next: records.last?.id)
            }
            part.limit += 1
            let (longer, limits) = part.clause(for: db.dialect)
            let rest = try db.first(
                "SELECT count(*), min(id) FROM (SELECT id FROM audit \(longer)) AS part", limits
            ) { row throws(IdentityError) in (count: Int(try row.integer(0)), first: try row.optionalInteger(1)) }
            // The first entry of the rest is on the next page.
            return AuditPage(records: found, next: rest.flatMap { $0.count > count ? $0.first.map { $0 + 1 } : nil })
        }
    }

    /// Checks the chain of all entries.
    ///
    /// It reads in one transaction, so that the entries and the head match; writers continue in the meantime.
    package func verifyAudit(with key: [UInt8]) async throws(IdentityError) -> AuditVerification {
        try await snapshot { db throws(IdentityError) in try db.verifyAudit(AuditChain(key)) }
    }

    /// Adds an entry with the digest of all new entries since the previous one, if a log has several chains.
    ///
    /// One server does it at a time. It first reads without a write, which would conflict with others, and then adds
    /// one entry.
    ///
    /// - Throws: `IdentityError.corruptStore` if an anchor is missing that this server has seen.
    package func anchorAudit(at now: Date) async throws(IdentityError) {
        let anchor = try await snapshot { db throws(IdentityError) in try db.auditAnchor(before: now) }
        guard let anchor else { return }
        try await audit(AuditAnchor.event, account: nil, detail: anchor.detail, at: now)
    }

    /// Removes the oldest entries, and keeps the digest with which the remaining chain begins.
    ///
    /// - Parameters:
    ///   - date: The time before which entries are removed.
    ///   - count: The maximum number of entries that are kept.
    ///   - batch: The maximum number of entries that this call removes.
    /// - Returns: Whether more entries remain to be removed.
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
        try all("SELECT \(AuditRecord.Column.list) FROM audit \(clause)", values, read: AuditRecord.init)
    }
}

extension AuditQuery {
    /// Returns the WHERE clause and the rest of a statement that selects the entries, with its values.
    ///
    /// It reads backward by the index of IDs; for an account, by that of the account. In PostgreSQL an ID is at least as
    /// late as its entry's time, unless the entry was restored. In SQLite IDs are numbers, so a query by time reads the
    /// whole log.
    fileprivate func clause(for dialect: SQLDialect) -> (String, [SQLValue]) {
        var conditions = ["id < $1"]
        var values: [SQLValue] = [.integer(before ?? .max)]
        func placeholder(_ value: SQLValue) -> String {
            values.append(value)
            return "$\(values.count)"
        }
        // The chain of an account has its ID as name, and is the first column of PostgreSQL's key.
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
    /// The columns of `audit`, without the chain and the digest of a record, which depend on the database.
    enum Column: Int32, TableColumn {
        case id, at, event, accountID, detail

        static let (list, insertion) = texts()
        /// The index of the column after these in a query.
        static let end = Int32(allCases.count)

        func value(of record: AuditRecord?) -> SQLValue {
            switch self {
            case .id: .integer(record?.id)
            case .at: .date(record?.at)
            case .event: .text(record?.event)
            case .accountID: .text(record?.accountID)
            case .detail: .text(record?.detail)
            }
        }
    }

    /// Creates a record from a row.
    init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            id: try row.integer(Column.id), at: try row.date(Column.at), event: try row.text(Column.event),
            accountID: try row.optionalText(Column.accountID), detail: try row.optionalText(Column.detail))
    }
}
