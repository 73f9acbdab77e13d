// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore {
    /// One more than asked for tells whether there is a next part.
    package func accounts(_ query: AccountQuery) throws(IdentityError) -> AccountPage {
        try readers.read { db throws(IdentityError) in
            let list = try AccountListing(query, on: db)
            let rows = try list.rows(query.limit + 1)
            let page = rows.prefix(query.limit)
            var accounts: [FullAccount] = []
            for row in page {
                // One that was deleted since the row was read is left out.
                if let account = try db.fullAccount(serial: row.serial) { accounts.append(account) }
            }
            let next = rows.count > query.limit ? page.last : nil
            let (total, isMinimum) = try list.total()
            return AccountPage(accounts: accounts, next: next, total: total, isTotalMinimum: isMinimum)
        }
    }

    /// Sums of what is counted as accounts come, change and go; days are those of UTC, whoever asks from where.
    package func figures(since midnight: Date) throws(IdentityError) -> AccountFigures {
        let today = midnight.storedMilliseconds / 86_400_000
        return try readers.read { db throws(IdentityError) in
            var figures = AccountFigures()
            for (day, kind, count) in try db.tally(since: today - 29) {
                guard day < 0 else {
                    figures.newThisMonth += count
                    if day > today - 7 { figures.newThisWeek += count }
                    if day >= today { figures.newToday += count }
                    continue
                }
                figures.total += count
                if kind.isVerified { figures.verified += count }
                if kind.isActive { figures.active += count }
            }
            return figures
        }
    }
}

extension SQLiteConnection {
    /// The counts of all days together, under -1, and of each day since one; none of deleted accounts.
    fileprivate func tally(since day: Int64) throws(IdentityError) -> [(Int64, AccountClass, Int)] {
        try all(
            "SELECT day, class, count FROM account_tally WHERE (day = -1 OR day >= ?) AND class < 32", [.integer(day)]
        ) { row throws(IdentityError) in
            (try row.integer(0), AccountClass(number: Int(try row.integer(1))), Int(try row.integer(2)))
        }
    }

    fileprivate func fullAccount(serial: Int64) throws(IdentityError) -> FullAccount? {
        try first(
            """
            SELECT \(FullAccount.columns) FROM account LEFT JOIN account_details ON account_id = id
            WHERE id = (SELECT account_id FROM account_list WHERE serial = ?) AND standing IS NOT 'deleted'
            """,
            [.integer(serial)], read: FullAccount.init)
    }
}
