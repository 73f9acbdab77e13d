// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLIdentityStore: SharedTaskStore {
    /// The age of a lease beyond which its end is a mistake.
    private static let longestLease = 86_400.0

    package func isFree(_ task: SharedTask, at now: Date) async throws(IdentityError) -> Bool {
        let lease = try await first(
            "SELECT 1 FROM lease WHERE task = $1 AND ends_at > $2 AND ends_at <= $3",
            [.text(task.rawValue), .date(now), .date(now.addingTimeInterval(Self.longestLease))]
        ) { row throws(IdentityError) in try row.integer(0) }
        return lease == nil
    }

    package func take(
        _ task: SharedTask, as holder: String, at now: Date, until end: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            try db.run(
                """
                INSERT INTO lease (task, holder, ends_at) VALUES ($1, $2, $3)
                ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
                WHERE lease.holder = excluded.holder OR lease.ends_at <= $4 OR lease.ends_at > $5
                """,
                [
                    .text(task.rawValue), .text(holder), .date(end), .date(now),
                    .date(now.addingTimeInterval(Self.longestLease)),
                ]) == 1
        }
    }
}

// The date is a lease without a holder, since both are of running servers, and no backup has them.
extension SQLIdentityStore: BelievedDateStore {
    private static let dateTask = "date"

    package func believedDate() async throws(IdentityError) -> Date? {
        try await first("SELECT ends_at FROM lease WHERE task = $1", [.text(Self.dateTask)]) {
            row throws(IdentityError) in try row.date(0)
        }
    }

    package func believe(_ date: Date, isFinal: Bool) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            _ = try db.run(
                """
                INSERT INTO lease (task, holder, ends_at) VALUES ($1, '', $2)
                ON CONFLICT (task) DO UPDATE SET ends_at = excluded.ends_at
                """ + (isFinal ? "" : " WHERE lease.ends_at < excluded.ends_at"),
                [.text(Self.dateTask), .date(date)])
        }
    }
}

extension SQLiteSchema {
    /// Version 14: who does what one of several servers does for all of them.
    static let leases = [
        """
        CREATE TABLE lease (
            task TEXT PRIMARY KEY NOT NULL,
            holder TEXT NOT NULL,
            ends_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    ]
}

extension PostgresSchema {
    /// Version 2: who does what one of several servers does for all of them.
    static let leases = [
        "CREATE TABLE lease (task \(text) PRIMARY KEY, holder \(text) NOT NULL, ends_at bigint NOT NULL)"
    ]
}
