// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore {
    package func fullAccount(id: String) throws(IdentityError) -> FullAccount? {
        try readers.read { db throws(IdentityError) in try db.fullAccount(id) }
    }

    /// Reading, changing and writing are one transaction: of two changes of different fields at once none is lost.
    package func change(
        _ change: AccountDetailsChange, of id: String, by actor: String, at now: Date
    ) async throws(IdentityError) -> FullAccount? {
        try await writer.write { db throws(IdentityError) in
            guard try db.target(id, of: .change, by: actor) != nil, let found = try db.fullAccount(id) else {
                return nil
            }
            let details = change.applied(to: found.details)
            if details != found.details { try db.keep(details, of: id) }
            if let typed = change.username {
                let name = typed.isEmpty ? nil : try Username(typed)
                do throws(IdentityError) {
                    try db.run(
                        "UPDATE account SET username = ?, username_key = ? WHERE id = ?",
                        [.text(name?.text), .text(name?.key), .text(id)])
                } catch IdentityError.alreadyExists {
                    throw .usernameTaken
                }
            }
            try db.run("UPDATE account SET updated_at = ? WHERE id = ?", [.date(now), .text(id)])
            try db.audit("account.changed", account: id, detail: actor == id ? nil : "by \(actor)", at: now)
            return try db.fullAccount(id)
        }
    }
}

extension SQLiteConnection {
    /// Nil where there is none, or it was deleted.
    func fullAccount(_ id: String) throws(IdentityError) -> FullAccount? {
        try first(
            """
            SELECT \(FullAccount.columns) FROM account LEFT JOIN account_details ON account_id = id
            WHERE id = ? AND standing IS NOT 'deleted'
            """,
            [.text(id)], read: FullAccount.init)
    }

    /// What lists search and sort by is kept beside the content, in the spelling in which it is compared.
    func keep(_ details: AccountDetails, of id: String) throws(IdentityError) {
        let shown = details.shownName
        let searched = "\(details.firstName) \(details.lastName)\n\(details.displayName)".lowercased()
        try run(
            """
            INSERT OR REPLACE INTO account_details (account_id, first_name, last_name, shown_name, search_key, content)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(id), .text(details.firstName), .text(details.lastName), .text(shown), .text(searched),
                .text(try details.stored()),
            ])
    }
}

extension FullAccount {
    /// In the order in which `init(_:)` reads them; of an account and, if it has any, its details.
    static let columns = "\(Account.columns), account.updated_at, account.last_login_at, account_details.content"

    /// A row as the store has it; an account without details has told nothing.
    init(_ row: borrowing SQLiteRow) throws(IdentityError) {
        let account = try Account(row)
        self.init(
            account: account, details: try row.optionalText(16).map(AccountDetails.init(stored:)) ?? AccountDetails(),
            updatedAt: try row.optionalDate(14) ?? account.createdAt, lastLoginAt: try row.optionalDate(15))
    }
}

extension AccountDetails {
    /// The details as one JSON text.
    fileprivate func stored() throws(IdentityError) -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            throw .storeUnavailable("details of an account cannot be written")
        }
    }

    /// What `stored()` wrote; anything else is damage.
    fileprivate init(stored text: String) throws(IdentityError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
        } catch {
            throw .corruptStore("the details of an account cannot be read")
        }
    }
}
