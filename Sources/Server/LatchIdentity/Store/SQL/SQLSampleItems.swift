// SPDX-License-Identifier: Apache-2.0

extension IdentityStore {
    /// Returns the newest items of a kind, of one account or of all accounts.
    ///
    /// Sorts by id, which begins with the time.
    package func items(
        of kind: SampleItem.Kind, ownedBy accountID: String?, limit: Int
    ) async throws(IdentityError) -> [SampleItem] {
        try await read { db throws(IdentityError) in
            let columns = "SELECT id, account_id, name, created_at FROM sample_item"
            let read = { (row: borrowing SQLRow) throws(IdentityError) in
                SampleItem(
                    id: try row.text(0), accountID: try row.text(1), kind: kind, name: try row.text(2),
                    createdAt: try row.date(3))
            }
            guard let accountID else {
                return try db.all(
                    "\(columns) WHERE kind = $1 ORDER BY id DESC LIMIT $2",
                    [.text(kind.rawValue), .integer(Int64(limit))], read: read)
            }
            return try db.all(
                "\(columns) WHERE account_id = $1 AND kind = $2 ORDER BY id DESC LIMIT $3",
                [.text(accountID), .text(kind.rawValue), .integer(Int64(limit))], read: read)
        }
    }

    /// Inserts the item unless its owner already has `limit` items of its kind; returns false in that case.
    ///
    /// Counts and inserts in one transaction, so that concurrent requests cannot exceed the limit together.
    package func insert(_ item: SampleItem, limit: Int) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            let count = try db.number(
                "SELECT count(*) FROM sample_item WHERE account_id = $1 AND kind = $2",
                [.text(item.accountID), .text(item.kind.rawValue)])
            guard count < limit else { return false }
            try db.run(
                "INSERT INTO sample_item (id, account_id, kind, name, created_at) VALUES ($1, $2, $3, $4, $5)",
                [
                    .text(item.id), .text(item.accountID), .text(item.kind.rawValue), .text(item.name),
                    .date(item.createdAt),
                ])
            return true
        }
    }

    /// Removes an item; returns false if the account has no such item.
    ///
    /// Checks the owner: another account's item is not found (attack G4).
    package func removeItem(
        _ id: String, of kind: SampleItem.Kind, ownedBy accountID: String
    ) async throws(IdentityError) -> Bool {
        guard id.isStorable else { return false }
        return try await write { db throws(IdentityError) in
            try db.run(
                "DELETE FROM sample_item WHERE id = $1 AND kind = $2 AND account_id = $3",
                [.text(id), .text(kind.rawValue), .text(accountID)]) == 1
        }
    }
}
