// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import Synchronization

/// The state of the audit log that the connections of a node share.
final class PostgresAudit: Sendable {
    private struct State {
        var chain: AuditChain?
        var listeners: [EventListener] = []
        var lastID: Int64 = 0
        /// The end of the last anchor that this node has seen.
        var anchorEnd: Int64 = 0
    }

    private let state = Mutex(State())

    /// The keyed digests of the log; nil until the server has their key.
    var chain: AuditChain? {
        get { state.withLock { $0.chain } }
        set { state.withLock { $0.chain = newValue } }
    }

    /// The programs and the code that are told of events.
    var listeners: [EventListener] {
        get { state.withLock { $0.listeners } }
        set { state.withLock { $0.listeners = newValue } }
    }

    /// Returns the smallest ID of an entry with a time, unless the entry was restored.
    static func firstID(at date: Date) -> Int64 { .firstNumber(ofMillisecond: date.storedMilliseconds) }

    /// The end of the IDs of restored entries, which keep their IDs from SQLite.
    static let endOfRestoredIDs: Int64 = 1 << 40

    /// Notes the end of the newest anchor, and returns whether it is not before an earlier one.
    func seenAnchor(end: Int64) -> Bool {
        state.withLock { state in
            guard end >= state.anchorEnd else { return false }
            state.anchorEnd = end
            // After a date was set back, a new entry must not get an ID that an anchor covers.
            state.lastID = max(state.lastID, end)
            return true
        }
    }

    /// Returns a unique ID of this node: the time in milliseconds × 2²⁰, plus a random number.
    ///
    /// Within a millisecond, the IDs of a node are in the order of its entries.
    func nextID(at now: Date) -> Int64 {
        let id = Self.firstID(at: now) | Int64.random(in: 0..<1 << 20)
        return state.withLock { state in
            state.lastID = max(id, state.lastID + 1)
            return state.lastID
        }
    }
}

/// The audit log as one chain for each account, and 64 chains for the entries without an account.
///
/// A single chain would serialize every write of every node. The chain of an account begins with its first entry,
/// `account.created`. The 64 others begin with the key. Otherwise a missing chain is damage.
extension PostgresCall {
    /// The number of chains for entries without an account.
    private static let sharedChains = 64

    func addAuditEntry(
        _ event: String, account: String?, detail: String?, at now: Date
    ) throws(IdentityError) -> AuditRecord {
        // No account ID begins with this character.
        let name = account ?? Self.sharedChain(.random(in: 0..<Self.sharedChains))
        var head: AuditChain.Head?
        if let chain = auditChain {
            head = try auditHead(of: chain.named(name), name)
            if head == nil, event == "account.created", try isNew(name) { head = AuditChain.Head() }
        }
        var record = AuditRecord(
            id: max(audit.nextID(at: now), (head?.lastID ?? 0) + 1),
            at: Date(storedMilliseconds: now.storedMilliseconds), event: event, accountID: account, detail: detail)
        let chain = auditChain?.named(name)
        // Without its head the chain is damaged, and its verification reports that; a new head would hide the damage.
        let digest = { head.flatMap { chain?.digest(of: record, after: $0.lastDigest) } }
        // Another node may have used the ID.
        while try !insert(record, digest(), in: name) { record = record.with(id: record.id + 1) }
        guard let chain, var head, let digest = digest() else { return record }
        (head.lastID, head.lastDigest) = (record.id, digest)
        try set(head, chain, name)
        return record
    }

    /// Adds the entries and the heads of their chains, in a round trip each.
    func auditCreated(_ accounts: [String], detail: String, at now: Date) throws(IdentityError) {
        var (records, entries, heads): ([AuditRecord], [[SQLValue]], [[SQLValue]]) = ([], [], [])
        for account in accounts {
            let record = AuditRecord(
                id: audit.nextID(at: now), at: Date(storedMilliseconds: now.storedMilliseconds),
                event: "account.created", accountID: account, detail: detail)
            let chain = auditChain?.named(account)
            var head = AuditChain.Head()
            let digest = chain?.digest(of: record, after: head.lastDigest)
            records.append(record)
            entries.append(AuditRecord.Column.values(of: record) + [.text(account), .blob(digest)])
            guard let chain, let digest else { continue }
            (head.lastID, head.lastDigest) = (record.id, digest)
            heads.append(values(of: head, chain, account))
        }
        // An ID that another node has used, one in a million, ends the transaction.
        try run(
            "INSERT INTO audit (\(AuditRecord.Column.list), chain, digest) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            each: entries)
        try run(Self.headChange, each: heads)
        try tell(records, at: now)
    }

    /// Returns the name of a chain for entries without an account, for any number.
    static func sharedChain(_ number: Int) -> String { "#\(number & (sharedChains - 1))" }

    func chainAudit(_ chain: AuditChain) throws(IdentityError) {
        for number in 0..<Self.sharedChains {
            let name = Self.sharedChain(number)
            try set(AuditChain.Head(), chain.named(name), name)
        }
        try beginChains(chain)
        // In a copied log, the next entry gets an ID after the anchored ones, whatever the date is.
        _ = audit.seenAnchor(end: try endOfAnchors())
        var position = AuditPosition(chain: "", id: 0)
        var (head, named) = (AuditChain.Head(), chain)
        while true {
            let page = try entries(after: position)
            guard !page.isEmpty else { return }
            var (digests, ends): ([[SQLValue]], [[SQLValue]]) = ([], [])
            for (index, entry) in page.enumerated() {
                if entry.chain != position.chain { (head, named) = (AuditChain.Head(), chain.named(entry.chain)) }
                head.lastDigest = named.digest(of: entry.record, after: head.lastDigest)
                head.lastID = entry.record.id
                digests.append([.blob(head.lastDigest), .text(entry.chain), .integer(head.lastID)])
                position = AuditPosition(chain: entry.chain, id: entry.record.id)
                let isEnd = index + 1 == page.count || page[index + 1].chain != entry.chain
                if isEnd { ends.append(values(of: head, named, entry.chain)) }
            }
            try run(Self.digestChange, each: digests)
            try run(Self.headChange, each: ends)
        }
    }

    /// Stores the heads of account chains without an entry, whose entries were pruned.
    private func beginChains(_ chain: AuditChain) throws(IdentityError) {
        var last = ""
        while true {
            let page = try all(
                """
                SELECT id FROM account WHERE id > $1 AND NOT EXISTS (SELECT 1 FROM audit_head WHERE chain = account.id)
                ORDER BY id LIMIT 1000
                """, [.text(last)]
            ) { row throws(IdentityError) in try row.text(0) }
            guard let end = page.last else { return }
            try run(Self.headChange, each: page.map { values(of: AuditChain.Head(), chain.named($0), $0) })
            last = end
        }
    }

    func verifyAudit(_ chain: AuditChain) throws(IdentityError) -> AuditVerification {
        let shared = try number("SELECT count(*) FROM audit_head WHERE chain LIKE '#%'")
        let accounts = try number(
            "SELECT count(*) FROM account WHERE NOT EXISTS (SELECT 1 FROM audit_head WHERE chain = account.id)")
        let entries = try number(
            "SELECT count(*) FROM audit WHERE NOT EXISTS (SELECT 1 FROM audit_head WHERE chain = audit.chain)")
        guard shared == Self.sharedChains, accounts == 0, entries == 0 else {
            return .damaged(id: 0, reason: "the end of a chain is missing")
        }
        var (name, count, digest) = ("", 0, [UInt8]())
        while true {
            let names = try all(
                "SELECT chain FROM audit_head WHERE chain > $1 ORDER BY chain LIMIT 1000", [.text(name)]
            ) { row throws(IdentityError) in try row.text(0) }
            guard let last = names.last else {
                return try anchorDamage(chain) ?? .intact(count: count, digest: digest)
            }
            for name in names {
                switch try verify(chain.named(name), name) {
                case .intact(let entries, let end):
                    count += entries
                    // The digest of all chains covers the digest of each.
                    digest = chain.digest(of: AuditChain.Head(baseDigest: digest, lastDigest: end))
                case let damage: return damage
                }
            }
            name = last
        }
    }

    /// Removes the beginnings of chains, by the age of the entries in all chains.
    func pruneAudit(
        before date: Date, keeping count: Int, atMost batch: Int, at now: Date
    ) throws(IdentityError) -> Bool {
        guard let chain = auditChain else { return false }
        let kept = try first(
            "SELECT id FROM audit ORDER BY id DESC LIMIT 1 OFFSET $1", [.integer(Int64(count))]
        ) { row throws(IdentityError) in try row.integer(0) }
        let due = try all(
            """
            SELECT chain, max(id) FROM (
                SELECT chain, id FROM audit
                WHERE id <= $1 OR id < $2 AND (id >= $3 OR at < $4) ORDER BY id LIMIT $5) AS due
            GROUP BY chain ORDER BY chain
            """,
            // A restored entry has its ID from SQLite, which is unrelated to its time.
            [
                .integer(kept ?? 0), .integer(PostgresAudit.firstID(at: date)),
                .integer(PostgresAudit.endOfRestoredIDs), .date(date), .integer(Int64(batch)),
            ]
        ) { row throws(IdentityError) in AuditPosition(chain: try row.text(0), id: try row.integer(1)) }
        var removed = 0
        for end in due {
            let digest = try first(
                "SELECT digest FROM audit WHERE chain = $1 AND id = $2", [.text(end.chain), .integer(end.id)]
            ) { row throws(IdentityError) in try row.optionalBlob(0) }
            guard var head = try auditHead(of: chain.named(end.chain), end.chain), let digest = digest ?? nil else {
                continue
            }
            removed += try run(
                "DELETE FROM audit WHERE chain = $1 AND id <= $2", [.text(end.chain), .integer(end.id)])
            (head.baseID, head.baseDigest) = (end.id, digest)
            try set(head, chain.named(end.chain), end.chain)
        }
        guard removed > 0 else { return false }
        try audit("audit.pruned", account: nil, detail: "\(removed) entries", at: now)
        // If a clock was set back, the beginning of a chain can hold more entries than were selected.
        return removed >= batch
    }
}

/// The position of an entry in the log.
private struct AuditPosition {
    let chain: String
    let id: Int64
}

extension PostgresCall {
    /// Returns whether a chain has no entry.
    private func isNew(_ name: String) throws(IdentityError) -> Bool {
        try number(
            """
            SELECT (SELECT count(*) FROM (SELECT 1 FROM audit WHERE chain = $1 LIMIT 1) AS entry)
                + (SELECT count(*) FROM audit_head WHERE chain = $1)
            """, [.text(name)]) == 0
    }

    /// Inserts an entry; returns false if another entry has its ID.
    private func insert(_ record: AuditRecord, _ digest: [UInt8]?, in name: String) throws(IdentityError) -> Bool {
        try run(
            """
            INSERT INTO audit (\(AuditRecord.Column.list), chain, digest) VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT DO NOTHING
            """, AuditRecord.Column.values(of: record) + [.text(name), .blob(digest)]) == 1
    }

    /// Returns the head of a chain; nil if it is missing, or was not stored with the key of the chain.
    private func auditHead(of chain: AuditChain, _ name: String) throws(IdentityError) -> AuditChain.Head? {
        let stored = try first(
            "SELECT base_id, base_digest, last_id, last_digest, digest FROM audit_head WHERE chain = $1", [.text(name)]
        ) { row throws(IdentityError) in
            let head = AuditChain.Head(
                baseID: try row.integer(0), baseDigest: try row.blob(1), lastID: try row.integer(2),
                lastDigest: try row.blob(3))
            return (head: head, digest: try row.blob(4))
        }
        guard let stored, stored.digest == chain.digest(of: stored.head) else { return nil }
        return stored.head
    }

    private func set(_ head: AuditChain.Head, _ chain: AuditChain, _ name: String) throws(IdentityError) {
        try run(Self.headChange, values(of: head, chain, name))
    }

    private static let digestChange = "UPDATE audit SET digest = $1 WHERE chain = $2 AND id = $3"
    private static let headChange = """
        INSERT INTO audit_head (chain, base_id, base_digest, last_id, last_digest, digest)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (chain) DO UPDATE SET base_id = excluded.base_id, base_digest = excluded.base_digest,
            last_id = excluded.last_id, last_digest = excluded.last_digest, digest = excluded.digest
        """

    /// Returns the values of the statement that stores a head.
    private func values(of head: AuditChain.Head, _ chain: AuditChain, _ name: String) -> [SQLValue] {
        [
            .text(name), .integer(head.baseID), .blob(head.baseDigest), .integer(head.lastID), .blob(head.lastDigest),
            .blob(chain.digest(of: head)),
        ]
    }

    /// Returns the next thousand entries of all chains.
    private func entries(
        after position: AuditPosition
    ) throws(IdentityError) -> [(chain: String, record: AuditRecord)] {
        try all(
            """
            SELECT \(AuditRecord.Column.list), chain FROM audit WHERE (chain, id) > ($1, $2)
            ORDER BY chain, id LIMIT 1000
            """, [.text(position.chain), .integer(position.id)]
        ) { row throws(IdentityError) in (try row.text(AuditRecord.Column.end), try AuditRecord(row)) }
    }

    private func verify(_ chain: AuditChain, _ name: String) throws(IdentityError) -> AuditVerification {
        guard let head = try auditHead(of: chain, name) else {
            return .damaged(id: 0, reason: "the end of a chain was changed, or its key is another one")
        }
        var (id, digest, count) = (Int64.min, head.baseDigest, 0)
        while true {
            let page = try all(
                """
                SELECT \(AuditRecord.Column.list), digest FROM audit WHERE chain = $1 AND id > $2 ORDER BY id LIMIT 1000
                """, [.text(name), .integer(id)]
            ) { row throws(IdentityError) in (try AuditRecord(row), try row.optionalBlob(AuditRecord.Column.end)) }
            guard !page.isEmpty else { break }
            for (record, found) in page {
                digest = chain.digest(of: record, after: digest)
                guard record.id > head.baseID, found == digest else {
                    return .damaged(id: record.id, reason: "it was changed, or an entry before it was removed or added")
                }
                (id, count) = (record.id, count + 1)
            }
        }
        guard digest == head.lastDigest else {
            return .damaged(id: max(id, head.baseID), reason: "the entries after it were removed")
        }
        return .intact(count: count, digest: digest)
    }
}

extension AuditRecord {
    /// Returns the record with another id.
    fileprivate func with(id: Int64) -> AuditRecord {
        AuditRecord(id: id, at: at, event: event, accountID: accountID, detail: detail)
    }
}
