// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// The digest of all audit entries of a period, over all chains of PostgreSQL's audit log.
///
/// Each chain has its own end. With an earlier row, an attacker could restore the earlier end of one chain, and the
/// other chains would not reveal it. So an hourly entry holds the digest of the entries of all chains since the
/// previous one.
package struct AuditAnchor: Sendable, Hashable {
    /// The name of the entry.
    package static let event = "audit.anchored"
    /// The time in seconds after which no entry with an earlier time can appear; transactions are much shorter.
    package static let delay = 600.0

    /// The smallest ID that the digest covers.
    package let start: Int64
    /// The end of the covered IDs, which it does not cover.
    package let end: Int64
    /// The digest of the entries in the order of their IDs.
    package let digest: [UInt8]

    /// The detail of the entry.
    package var detail: String { "\(start) \(end) \(Hex.encode(digest))" }

    package init(start: Int64, end: Int64, digest: [UInt8]) {
        (self.start, self.end, self.digest) = (start, end, digest)
    }

    /// Reads the detail of an entry; nil if it is not an anchor's.
    package init?(detail: String?) {
        let words = detail?.utf8.split(separator: 0x20).map { String(Substring($0)) } ?? []
        guard words.count == 3, let start = Int64(words[0]), let end = Int64(words[1]), start < end,
            let digest = Hex.decode(words[2], count: 32)
        else { return nil }
        self.init(start: start, end: end, digest: digest)
    }
}

extension PostgresCall {
    /// Returns an anchor for the entries before a time, since the last anchor; nil if there are none.
    ///
    /// - Throws: `IdentityError.corruptStore` if an anchor that this server has seen is gone.
    func auditAnchor(before date: Date) throws(IdentityError) -> AuditAnchor? {
        guard let chain = auditChain else { return nil }
        let start = try endOfAnchors()
        guard audit.seenAnchor(end: start) else { throw .corruptStore("the newest anchor of the audit log is gone") }
        let end = PostgresAudit.firstID(at: date.addingTimeInterval(-AuditAnchor.delay))
        guard end > start else { return nil }
        let (digest, count) = try anchoredDigest(chain, from: start, to: end)
        return count > 0 ? AuditAnchor(start: start, end: end, digest: digest) : nil
    }

    /// Returns the smallest ID that no anchor covers.
    func endOfAnchors() throws(IdentityError) -> Int64 {
        let last =
            try first(
                "SELECT detail FROM audit WHERE event = $1 AND id >= $2 ORDER BY id DESC LIMIT 1",
                [.text(AuditAnchor.event), .integer(PostgresAudit.endOfRestoredIDs)]
            ) { row throws(IdentityError) in AuditAnchor(detail: try row.optionalText(0)) } ?? nil
        return last?.end ?? PostgresAudit.endOfRestoredIDs
    }

    /// Returns the damage that an anchor reveals; nil if there is none.
    ///
    /// The heads of the chains have already been verified. Entries up to the last removed one may be missing.
    func anchorDamage(_ chain: AuditChain) throws(IdentityError) -> AuditVerification? {
        let removed = try number("SELECT coalesce(max(base_id), 0)::bigint FROM audit_head")
        let anchors = try all(
            "SELECT id, detail FROM audit WHERE event = $1 AND id >= $2 ORDER BY id",
            [.text(AuditAnchor.event), .integer(PostgresAudit.endOfRestoredIDs)]
        ) { row throws(IdentityError) in (id: try row.integer(0), anchor: AuditAnchor(detail: try row.optionalText(1)))
        }
        var previous: AuditAnchor?
        for (id, anchor) in anchors {
            guard let anchor, previous == nil || previous?.end == anchor.start else {
                return .damaged(id: id, reason: "an anchor before it is missing")
            }
            previous = anchor
            guard anchor.start > removed else { continue }
            guard try anchoredDigest(chain, from: anchor.start, to: anchor.end).digest == anchor.digest else {
                return .damaged(
                    id: anchor.start, reason: "entries of the hour after it were removed, and ends put back")
            }
        }
        return nil
    }

    /// Returns the digest of the entries with these IDs, and their number without the anchors.
    private func anchoredDigest(
        _ chain: AuditChain, from start: Int64, to end: Int64
    ) throws(IdentityError) -> (digest: [UInt8], count: Int) {
        // No account ID begins with this character.
        let chain = chain.named("#anchors")
        var (digest, count, next) = ([UInt8](repeating: 0, count: 32), 0, start)
        while true {
            let page = try all(
                """
                SELECT \(AuditRecord.Column.list) FROM audit WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 1000
                """, [.integer(next), .integer(end)], read: AuditRecord.init)
            guard let last = page.last else { return (digest, count) }
            for record in page {
                digest = chain.digest(of: record, after: digest)
                if record.event != AuditAnchor.event { count += 1 }
            }
            next = last.id + 1
        }
    }
}
