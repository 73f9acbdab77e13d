// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// The rows of one transaction that removes many.
    private static let batch = 5000

    /// Stores the events of later writes for these listeners.
    package func tell(_ listeners: [EventListener]) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in db.eventListeners = listeners }
    }

    /// Removes the events for listeners that no longer exist, with an entry in the audit log for each of them.
    package func removeEvents(ofAllBut names: Set<String>, at now: Date) async throws(IdentityError) {
        var last = ""
        while let name = try await first(
            "SELECT listener FROM event_delivery WHERE listener > $1 ORDER BY listener LIMIT 1", [.text(last)],
            read: { row throws(IdentityError) in try row.text(0) })
        {
            if !names.contains(name) { try await abandonOldest(of: name, keeping: 0, because: "no listener", at: now) }
            last = name
        }
    }

    /// Gives up the oldest events of a listener, with an entry in the audit log for each batch.
    ///
    /// - Parameter count: The maximum number of events that continue to wait.
    package func abandonOldest(
        of listener: String, keeping count: Int, because reason: String, at now: Date
    ) async throws(IdentityError) {
        while true {
            let excess =
                try await first(
                    """
                    SELECT count(*) FROM (SELECT 1 FROM event_delivery WHERE listener = $1 LIMIT $2) AS waiting
                    """, [.text(listener), .integer(Int64(count + Self.batch))]
                ) { row throws(IdentityError) in Int(try row.integer(0)) - count } ?? 0
            guard excess > 0 else { return }
            try await write { db throws(IdentityError) -> Void in
                let removed = try db.run(
                    """
                    DELETE FROM event_delivery WHERE (listener, account_id, audit_id) IN (
                        SELECT listener, account_id, audit_id FROM event_delivery WHERE listener = $1
                        ORDER BY audit_id LIMIT $2)
                    """, [.text(listener), .integer(Int64(excess))])
                guard removed > 0 else { return }
                try db.audit(
                    EventDelivery.undelivered, account: nil, detail: "\(removed) of \(listener): \(reason)", at: now)
            }
        }
    }

    /// Takes the due events of a listener, the oldest of each account, for the time of a lease.
    ///
    /// It reads before it writes, so that an idle server costs no commit. An event of the server waits for no other one.
    package func claimEvents(
        of listener: String, at now: Date, until leaseEnd: Date, atMost count: Int
    ) async throws(IdentityError) -> [EventDelivery] {
        let isDue = try await first(
            "SELECT 1 FROM event_delivery WHERE listener = $1 AND \(EventDelivery.isDue(at: "$2")) LIMIT 1",
            [.text(listener), .date(now)]
        ) { _ in true }
        guard isDue != nil else { return [] }
        // PostgreSQL skips events that another server is taking. Later events of their accounts have an earlier one.
        let lock = backend.dialect == .postgres ? "FOR UPDATE SKIP LOCKED" : ""
        return try await updateAll(
            """
            WITH due AS MATERIALIZED (
                SELECT listener, account_id, audit_id FROM event_delivery AS waiting
                WHERE listener = $1 AND \(EventDelivery.isDue(at: "$2")) AND (account_id = '' OR NOT EXISTS (
                    SELECT 1 FROM event_delivery AS earlier WHERE earlier.listener = waiting.listener
                    AND earlier.account_id = waiting.account_id AND earlier.audit_id < waiting.audit_id))
                ORDER BY due_at, audit_id LIMIT $3 \(lock))
            UPDATE event_delivery SET leased_until = $4
            WHERE (listener, account_id, audit_id) IN (SELECT listener, account_id, audit_id FROM due)
            RETURNING \(EventDelivery.Column.list), (SELECT count(*) FROM (
                SELECT 1 FROM event_delivery AS later WHERE later.listener = event_delivery.listener
                AND later.account_id = event_delivery.account_id AND later.audit_id > event_delivery.audit_id
                LIMIT 1) AS follower)
            """, [.text(listener), .date(now), .integer(Int64(count)), .date(leaseEnd)], read: EventDelivery.init)
    }

    /// Returns the events that follow another one of the same account, which the caller has taken.
    package func events(
        after delivery: EventDelivery, at now: Date, atMost count: Int
    ) async throws(IdentityError) -> [EventDelivery] {
        guard let account = delivery.record.accountID else { return [] }
        let found = try await all(
            """
            SELECT \(EventDelivery.Column.list), 1 FROM event_delivery
            WHERE listener = $1 AND account_id = $2 AND audit_id > $3 ORDER BY audit_id LIMIT $4
            """,
            [.text(delivery.listener), .text(account), .integer(delivery.record.id), .integer(Int64(count))],
            read: EventDelivery.init)
        // After a replay, another server may have taken what was the oldest event.
        return Array(found.prefix { $0.leasedUntil.map { $0 <= now } ?? true })
    }

    /// Removes accepted and abandoned events, and sets the time of the next attempt of others.
    ///
    /// - Parameter leaseEnd: The end of the caller's lease; events that another server has taken since are left to it.
    package func settle(
        _ outcomes: [(event: EventDelivery, outcome: EventOutcome)], leasedUntil leaseEnd: Date, at now: Date
    ) async throws(IdentityError) {
        guard !outcomes.isEmpty else { return }
        try await write { db throws(IdentityError) -> Void in
            var (accepted, others, followers): ([[SQLValue]], [[SQLValue]], [[SQLValue]]) = ([], [], [])
            for (event, outcome) in outcomes {
                switch outcome {
                case .accepted: accepted.append(event.key)
                case .abandoned: try db.abandon(event, at: now)
                case .unsent: others.append(event.postponed(to: nil, refusals: 0, leasedUntil: leaseEnd))
                case .failed(let isRefusal, let date):
                    others.append(event.postponed(to: date, refusals: isRefusal ? 1 : 0, leasedUntil: leaseEnd))
                    if event.record.accountID != nil { followers.append([.date(date)] + event.key) }
                }
            }
            try db.run(EventDelivery.removal, each: accepted)
            try db.run(EventDelivery.postponement, each: others)
            // What waits for an earlier event must not be looked at by each claim.
            try db.run(EventDelivery.postponementOfFollowers, each: followers)
        }
    }

    /// Stores events of the audit log again, except those that still wait.
    ///
    /// - Parameters:
    ///   - position: The entry after which to continue.
    ///   - last: The last entry, so that the call ends while the log grows.
    /// - Returns: The number of selected events, and the last entry that the call has read; nil at the end.
    package func replayEvents(
        to listener: EventListener, since date: Date, after position: Int64, through last: Int64, at now: Date,
        where isSelected: @escaping @Sendable (String) -> Bool
    ) async throws(IdentityError) -> (count: Int, position: Int64?) {
        let records = try await all(
            """
            SELECT \(AuditRecord.Column.list) FROM audit WHERE id > $1 AND id <= $2 AND at >= $3 ORDER BY id LIMIT 1000
            """, [.integer(position), .integer(last), .date(date)], read: AuditRecord.init)
        let rows = records.filter { listener.isTold(of: $0.event) && isSelected($0.event) }.map {
            EventDelivery.Column.values(of: EventDelivery($0, to: listener.name, at: now))
        }
        if !rows.isEmpty {
            try await write { db throws(IdentityError) -> Void in
                try db.run(
                    "INSERT INTO event_delivery \(EventDelivery.Column.insertion) ON CONFLICT DO NOTHING", each: rows)
                db.toldListeners.insert(listener.name)
            }
        }
        return (rows.count, records.last?.id)
    }

    /// Returns the last entry of the audit log; 0 for an empty log.
    package func lastAuditEntry() async throws(IdentityError) -> Int64 {
        try await first("SELECT max(id) FROM audit", []) { row throws(IdentityError) in try row.optionalInteger(0) ?? 0
        }
            ?? 0
    }

    /// Returns the number and the age of the events that wait.
    ///
    /// - Parameter listener: The name of a listener; nil for all.
    package func eventBacklog(of listener: String? = nil) async throws(IdentityError) -> EventBacklog {
        let found = try await first(
            "SELECT count(*), min(added_at) FROM event_delivery" + (listener == nil ? "" : " WHERE listener = $1"),
            listener.map { [.text($0)] } ?? []
        ) { row throws(IdentityError) in
            EventBacklog(count: Int(try row.integer(0)), oldest: try row.optionalDate(1))
        }
        return found ?? EventBacklog(count: 0, oldest: nil)
    }
}

extension SQLConnection {
    /// Stores the events of new entries for their listeners, in the transaction of the change.
    ///
    /// It reads nothing: a transaction that read the waiting events would conflict with every other one.
    func tell(_ records: [AuditRecord], at now: Date) throws(IdentityError) {
        guard !eventListeners.isEmpty else { return }
        var rows: [[SQLValue]] = []
        for listener in eventListeners {
            for record in records where listener.isTold(of: record.event) {
                rows.append(EventDelivery.Column.values(of: EventDelivery(record, to: listener.name, at: now)))
                toldListeners.insert(listener.name)
            }
        }
        try run("INSERT INTO event_delivery \(EventDelivery.Column.insertion)", each: rows)
    }

    fileprivate func abandon(_ event: EventDelivery, at now: Date) throws(IdentityError) {
        guard try run(EventDelivery.removal, event.key) == 1 else { return }
        try audit(
            EventDelivery.undelivered, account: event.record.accountID,
            detail: "\(event.listener) \(event.record.event) \(event.record.eventID)", at: now)
    }
}

extension EventDelivery {
    fileprivate static let removal =
        "DELETE FROM event_delivery WHERE listener = $1 AND account_id = $2 AND audit_id = $3"
    fileprivate static let postponement = """
        UPDATE event_delivery SET due_at = coalesce($1, due_at), leased_until = NULL, attempts = $2, refusals = $3
        WHERE listener = $4 AND account_id = $5 AND audit_id = $6 AND (leased_until IS NULL OR leased_until = $7)
        """

    fileprivate static let postponementOfFollowers = """
        UPDATE event_delivery SET due_at = $1
        WHERE listener = $2 AND account_id = $3 AND audit_id > $4 AND due_at < $1
        """

    fileprivate static func isDue(at now: String) -> String {
        "due_at <= \(now) AND (leased_until IS NULL OR leased_until <= \(now))"
    }

    fileprivate var key: [SQLValue] { [.text(listener), .text(record.accountID ?? ""), .integer(record.id)] }

    /// Returns the values of the statement that postpones an event; without a date, nothing but the lease changes.
    fileprivate func postponed(to date: Date?, refusals more: Int, leasedUntil leaseEnd: Date) -> [SQLValue] {
        let counts: [SQLValue] = [
            .integer(Int64(attempts + (date == nil ? 0 : 1))), .integer(Int64(refusals + more)),
        ]
        return [.date(date)] + counts + key + [.date(leaseEnd)]
    }

    /// Creates the delivery of a new event.
    fileprivate init(_ record: AuditRecord, to listener: String, at now: Date) {
        self.init(
            listener: listener, record: record, addedAt: now, leasedUntil: nil, attempts: 0, refusals: 0,
            hasFollower: false)
    }

    /// The columns of `event_delivery`.
    enum Column: Int32, TableColumn {
        case listener, accountID, auditID, event, at, detail, addedAt, dueAt, leasedUntil, attempts, refusals

        static let keyCount = 3
        static let (list, insertion) = texts()

        func value(of delivery: EventDelivery?) -> SQLValue {
            switch self {
            case .listener: .text(delivery?.listener)
            case .accountID: .text(delivery.map { $0.record.accountID ?? "" })
            case .auditID: .integer(delivery?.record.id)
            case .event: .text(delivery?.record.event)
            case .at: .date(delivery?.record.at)
            case .detail: .text(delivery?.record.detail)
            // A failed attempt postpones the next one.
            case .addedAt, .dueAt: .date(delivery?.addedAt)
            // Set by the server that sends the event.
            case .leasedUntil: .date(nil)
            case .attempts: .integer((delivery?.attempts).map { Int64($0) })
            case .refusals: .integer((delivery?.refusals).map { Int64($0) })
            }
        }
    }

    /// Creates a delivery from a row, whose last column says whether a later event waits.
    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        let account = try row.text(Column.accountID)
        self.init(
            listener: try row.text(Column.listener),
            record: AuditRecord(
                id: try row.integer(Column.auditID), at: try row.date(Column.at), event: try row.text(Column.event),
                accountID: account.isEmpty ? nil : account, detail: try row.optionalText(Column.detail)),
            addedAt: try row.date(Column.addedAt), leasedUntil: try row.optionalDate(Column.leasedUntil),
            attempts: Int(try row.integer(Column.attempts)), refusals: Int(try row.integer(Column.refusals)),
            hasFollower: try row.integer(Int32(Column.allCases.count)) > 0)
    }
}
