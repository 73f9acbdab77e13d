// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLIdentityStore: AuditLog {
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

    package func chainAudit(with key: [UInt8]) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in db.auditChain = AuditChain(key) }
    }

    package func audit(
        _ event: String, account: String?, detail: String?, at now: Date
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) in
            try db.audit(event, account: account, detail: detail, at: now)
        }
    }

    package func auditRecords(before id: Int64?, limit: Int) async throws(IdentityError) -> [AuditRecord] {
        try await read { db throws(IdentityError) in
            try db.auditRecords(
                "WHERE id < $1 ORDER BY id DESC LIMIT $2", [.integer(id ?? .max), .integer(Int64(limit))])
        }
    }

    /// Reads in one transaction, so that the entries and the head belong together; writers go on meanwhile.
    package func verifyAudit(with key: [UInt8]) async throws(IdentityError) -> AuditVerification {
        try await snapshot { db throws(IdentityError) in try db.verifyAudit(AuditChain(key)) }
    }

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

extension AuditRecord {
    /// Creates a record from a row.
    init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            id: try row.integer(0), at: try row.date(1), event: try row.text(2), accountID: try row.optionalText(3),
            detail: try row.optionalText(4))
    }
}
