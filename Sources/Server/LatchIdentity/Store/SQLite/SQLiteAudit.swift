// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore: AuditLog {
    package func beginAudit(
        with key: [UInt8], at now: Date,
        _ secret: @escaping @Sendable (StoredKeys, _ isLogEmpty: Bool) throws(IdentityError) -> StoredSecret?
    ) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            let isLogEmpty = try db.auditRecords("LIMIT 1", []).isEmpty
            guard let secret = try secret(try db.storedKeys(), isLogEmpty) else { return }
            _ = try db.secret(proposing: secret)
            let chain = AuditChain(key)
            var head = AuditChain.Head()
            while true {
                let page = try db.auditRecords("WHERE id > ? ORDER BY id LIMIT 1000", [.integer(head.lastID)])
                guard !page.isEmpty else { break }
                for record in page { try db.chain(record, chain, &head) }
            }
            try db.set(head, chain)
            db.auditChain = chain
            try db.audit("audit.chained", account: nil, at: now)
        }
    }

    package func chainAudit(with key: [UInt8]) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in db.auditChain = AuditChain(key) }
    }

    package func audit(
        _ event: String, account: String?, detail: String?, at now: Date
    ) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) in
            try db.audit(event, account: account, detail: detail, at: now)
        }
    }

    package func auditRecords(before id: Int64?, limit: Int) throws(IdentityError) -> [AuditRecord] {
        try readers.read { db throws(IdentityError) in
            try db.auditRecords(
                "WHERE id < ? ORDER BY id DESC LIMIT ?", [.integer(id ?? .max), .integer(Int64(limit))])
        }
    }

    /// Reads in one transaction, so that the entries and the head belong together; writers go on meanwhile.
    package func verifyAudit(with key: [UInt8]) throws(IdentityError) -> AuditVerification {
        try readers.snapshot { db throws(IdentityError) in try db.verifyAudit(AuditChain(key)) }
    }

    package func pruneAudit(
        before date: Date, keeping count: Int, atMost batch: Int, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            guard let chain = db.auditChain, var head = try db.auditHead(of: chain) else { return false }
            // There is no index by time: a call reads no more entries than it may remove.
            let last = min(head.lastID, head.baseID + Int64(batch))
            let young = try db.first(
                "SELECT id FROM audit WHERE id <= ? AND at >= ? ORDER BY id LIMIT 1", [.integer(last), .date(date)]
            ) { row throws(IdentityError) in try row.integer(0) }
            let due = max(young.map { $0 - 1 } ?? last, head.lastID - Int64(count))
            let end = min(due, last)
            let base = try db.first(
                "SELECT id, digest FROM audit WHERE id <= ? ORDER BY id DESC LIMIT 1", [.integer(end)]
            ) { row throws(IdentityError) in (id: try row.integer(0), digest: try row.optionalBlob(1)) }
            guard let base, let digest = base.digest, base.id > head.baseID else { return false }
            try db.run("DELETE FROM audit WHERE id <= ?", [.integer(base.id)])
            (head.baseID, head.baseDigest) = (base.id, digest)
            try db.set(head, chain)
            try db.audit("audit.pruned", account: nil, detail: "through \(base.id)", at: now)
            return end == last && last < head.lastID
        }
    }
}

extension SQLiteConnection {
    /// Adds an entry to the audit log, in the transaction of the change.
    func audit(_ event: String, account: String?, detail: String? = nil, at now: Date) throws(IdentityError) {
        try run(
            "INSERT INTO audit (at, event, account_id, detail) VALUES (?, ?, ?, ?)",
            [.date(now), .text(event), .text(account), .text(detail)])
        let id = Int64(try number("SELECT last_insert_rowid()"))
        // Without its head the chain is damaged, which its verification reports; a new head would hide that.
        guard let chain = auditChain, var head = try auditHead(of: chain) else { return }
        // A gap: somebody has removed the newest entries and put an earlier head back.
        guard head.lastID == 0 || id == head.lastID + 1 else { return }
        let record = AuditRecord(
            id: id, at: Date(storedMilliseconds: now.storedMilliseconds), event: event, accountID: account,
            detail: detail)
        try self.chain(record, chain, &head)
        try set(head, chain)
    }

    /// Stores the digest of an entry, which becomes the last one.
    fileprivate func chain(
        _ record: AuditRecord, _ chain: AuditChain, _ head: inout AuditChain.Head
    ) throws(IdentityError) {
        (head.lastID, head.lastDigest) = (record.id, chain.digest(of: record, after: head.lastDigest))
        try run("UPDATE audit SET digest = ? WHERE id = ?", [.blob(head.lastDigest), .integer(record.id)])
    }

    /// Returns the head of the chain; nil if it is missing, or is not the one that was stored with the key of the chain.
    fileprivate func auditHead(of chain: AuditChain) throws(IdentityError) -> AuditChain.Head? {
        try first("SELECT base_id, base_digest, last_id, last_digest, digest FROM audit_head") {
            row throws(IdentityError) in
            let head = AuditChain.Head(
                baseID: try row.integer(0), baseDigest: try row.blob(1), lastID: try row.integer(2),
                lastDigest: try row.blob(3))
            return try row.blob(4) == chain.digest(of: head) ? head : nil
        } ?? nil
    }

    fileprivate func set(_ head: AuditChain.Head, _ chain: AuditChain) throws(IdentityError) {
        try run(
            """
            INSERT OR REPLACE INTO audit_head (id, base_id, base_digest, last_id, last_digest, digest)
            VALUES (1, ?, ?, ?, ?, ?)
            """,
            [
                .integer(head.baseID), .blob(head.baseDigest), .integer(head.lastID), .blob(head.lastDigest),
                .blob(chain.digest(of: head)),
            ])
    }

    fileprivate func auditRecords(_ clause: String, _ values: [SQLiteValue]) throws(IdentityError) -> [AuditRecord] {
        try all("SELECT id, at, event, account_id, detail FROM audit \(clause)", values, read: AuditRecord.init)
    }

    fileprivate func verifyAudit(_ chain: AuditChain) throws(IdentityError) -> AuditVerification {
        guard let head = try auditHead(of: chain) else {
            return .damaged(id: 0, reason: "the end of the chain is missing, was changed, or its key is another one")
        }
        guard try number("SELECT count(*) FROM audit WHERE id <= ?", [.integer(head.baseID)]) == 0 else {
            return .damaged(id: head.baseID, reason: "an entry was added before the first one")
        }
        var (id, digest, count) = (head.baseID, head.baseDigest, 0)
        while true {
            let page = try all(
                "SELECT id, at, event, account_id, detail, digest FROM audit WHERE id > ? ORDER BY id LIMIT 1000",
                [.integer(id)]
            ) { row throws(IdentityError) in (try AuditRecord(row), try row.optionalBlob(5)) }
            guard !page.isEmpty else { break }
            for (record, found) in page {
                digest = chain.digest(of: record, after: digest)
                // The log of an earlier version may begin anywhere.
                let isNext = record.id == id + 1 || (count == 0 && head.baseDigest.isEmpty)
                guard isNext, found == digest else {
                    return .damaged(id: record.id, reason: "it was changed, or an entry before it was removed or added")
                }
                (id, count) = (record.id, count + 1)
            }
        }
        guard id == head.lastID || count == 0, digest == head.lastDigest else {
            return .damaged(id: id, reason: "the entries after it were removed")
        }
        return .intact(count: count, digest: digest)
    }
}

extension AuditRecord {
    /// Creates a record from a row.
    fileprivate init(_ row: borrowing SQLiteRow) throws(IdentityError) {
        self.init(
            id: try row.integer(0), at: try row.date(1), event: try row.text(2), accountID: try row.optionalText(3),
            detail: try row.optionalText(4))
    }
}
