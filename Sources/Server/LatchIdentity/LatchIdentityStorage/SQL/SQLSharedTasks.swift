// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// The maximum time until the end of a valid lease.
    private static let longestLease = 86_400.0

    /// Returns whether no server has the task at a time.
    package func isFree(_ task: SharedTask, at now: Date) async throws(IdentityError) -> Bool {
        let lease = try await first(
            "SELECT 1 FROM lease WHERE task = $1 AND ends_at > $2 AND ends_at <= $3",
            [.text(task.rawValue), .date(now), .date(now.addingTimeInterval(Self.longestLease))]
        ) { row throws(IdentityError) in try row.integer(0) }
        return lease == nil
    }

    /// Takes a task, or keeps it until a later time, unless another holder has it.
    ///
    /// A lease that ends more than a day later was made with a wrong clock, and does not count.
    ///
    /// - Returns: Whether the holder has the task until `end`.
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

// The date is stored as a lease without a holder: running servers need both, and backups contain neither.
extension IdentityStore {
    private static let dateTask = "date"

    /// Returns the date; nil if no server has stored one.
    package func believedDate() async throws(IdentityError) -> Date? {
        try await first("SELECT ends_at FROM lease WHERE task = $1", [.text(Self.dateTask)]) {
            row throws(IdentityError) in try row.date(0)
        }
    }

    /// Stores a date.
    ///
    /// - Parameter isFinal: Whether it also replaces a later date, as an operator decides.
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
