// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// The audit log as one chain, which the single writer extends.
extension SQLiteConnection {
    package func addAuditEntry(
        _ event: String, account: String?, detail: String?, at now: Date
    ) throws(IdentityError) -> AuditRecord {
        let id = Int64(
            try number(
                "INSERT INTO audit (at, event, account_id, detail) VALUES ($1, $2, $3, $4) RETURNING id",
                [.date(now), .text(event), .text(account), .text(detail)]))
        let record = AuditRecord(
            id: id, at: Date(storedMilliseconds: now.storedMilliseconds), event: event, accountID: account,
            detail: detail)
        // Without its head the chain is damaged, and its verification reports that; a new head would hide the damage.
        guard let chain = auditChain, var head = try auditHead(of: chain) else { return record }
        // A gap: an attacker has removed the newest entries and restored an earlier head.
        guard head.lastID == 0 || id == head.lastID + 1 else { return record }
        try self.chain(record, chain, &head)
        try set(head, chain)
        return record
    }

    /// Stores the digest of an entry, which becomes the last one.
    private func chain(
        _ record: AuditRecord, _ chain: AuditChain, _ head: inout AuditChain.Head
    ) throws(IdentityError) {
        (head.lastID, head.lastDigest) = (record.id, chain.digest(of: record, after: head.lastDigest))
        try run("UPDATE audit SET digest = $1 WHERE id = $2", [.blob(head.lastDigest), .integer(record.id)])
    }

    /// Returns the head of the chain; nil if it is missing, or was not stored with the key of the chain.
    private func auditHead(of chain: AuditChain) throws(IdentityError) -> AuditChain.Head? {
        try first("SELECT base_id, base_digest, last_id, last_digest, digest FROM audit_head") {
            row throws(IdentityError) in
            let head = AuditChain.Head(
                baseID: try row.integer(0), baseDigest: try row.blob(1), lastID: try row.integer(2),
                lastDigest: try row.blob(3))
            return try row.blob(4) == chain.digest(of: head) ? head : nil
        } ?? nil
    }

    private func set(_ head: AuditChain.Head, _ chain: AuditChain) throws(IdentityError) {
        try run(
            """
            INSERT INTO audit_head (id, base_id, base_digest, last_id, last_digest, digest)
            VALUES (1, $1, $2, $3, $4, $5)
            ON CONFLICT (id) DO UPDATE SET base_id = excluded.base_id, base_digest = excluded.base_digest,
                last_id = excluded.last_id, last_digest = excluded.last_digest, digest = excluded.digest
            """,
            [
                .integer(head.baseID), .blob(head.baseDigest), .integer(head.lastID), .blob(head.lastDigest),
                .blob(chain.digest(of: head)),
            ])
    }

    package func verifyAudit(_ chain: AuditChain) throws(IdentityError) -> AuditVerification {
        guard let head = try auditHead(of: chain) else {
            return .damaged(id: 0, reason: "the end of the chain is missing, was changed, or its key is another one")
        }
        guard try number("SELECT count(*) FROM audit WHERE id <= $1", [.integer(head.baseID)]) == 0 else {
            return .damaged(id: head.baseID, reason: "an entry was added before the first one")
        }
        var (id, digest, count) = (head.baseID, head.baseDigest, 0)
        while true {
            let page = try all(
                "SELECT \(AuditRecord.Column.list), digest FROM audit WHERE id > $1 ORDER BY id LIMIT 1000",
                [.integer(id)]
            ) { row throws(IdentityError) in (try AuditRecord(row), try row.optionalBlob(AuditRecord.Column.end)) }
            guard !page.isEmpty else { break }
            for (record, found) in page {
                digest = chain.digest(of: record, after: digest)
                // The log of an earlier version may begin with any ID.
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

    /// Returns nil: the single chain has no gap in its IDs, so it needs no anchors.
    package func auditAnchor(before date: Date) -> AuditAnchor? { nil }

    package func chainAudit(_ chain: AuditChain) throws(IdentityError) {
        var head = AuditChain.Head()
        while true {
            let page = try all(
                "SELECT \(AuditRecord.Column.list) FROM audit WHERE id > $1 ORDER BY id LIMIT 1000",
                [.integer(head.lastID)], read: AuditRecord.init)
            guard !page.isEmpty else { break }
            for record in page { try self.chain(record, chain, &head) }
        }
        try set(head, chain)
    }

    package func pruneAudit(
        before date: Date, keeping count: Int, atMost batch: Int, at now: Date
    ) throws(IdentityError) -> Bool {
        guard let chain = auditChain, var head = try auditHead(of: chain) else { return false }
        // The table has no index by time: a call reads no more entries than it may remove.
        let last = min(head.lastID, head.baseID + Int64(batch))
        let young = try first(
            "SELECT id FROM audit WHERE id <= $1 AND at >= $2 ORDER BY id LIMIT 1", [.integer(last), .date(date)]
        ) { row throws(IdentityError) in try row.integer(0) }
        let due = max(young.map { $0 - 1 } ?? last, head.lastID - Int64(count))
        let end = min(due, last)
        let base = try first(
            "SELECT id, digest FROM audit WHERE id <= $1 ORDER BY id DESC LIMIT 1", [.integer(end)]
        ) { row throws(IdentityError) in (id: try row.integer(0), digest: try row.optionalBlob(1)) }
        guard let base, let digest = base.digest, base.id > head.baseID else { return false }
        try run("DELETE FROM audit WHERE id <= $1", [.integer(base.id)])
        (head.baseID, head.baseDigest) = (base.id, digest)
        try set(head, chain)
        try audit("audit.pruned", account: nil, detail: "through \(base.id)", at: now)
        return end == last && last < head.lastID
    }
}
