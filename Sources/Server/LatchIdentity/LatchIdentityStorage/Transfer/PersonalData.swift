// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation

extension StoreTable {
    /// The columns that no export shows: what proves who a user is, what searches and limits need, and what others have
    /// noted.
    ///
    /// No export shows bytes either: they are keys, digests and identifiers of this server. A test lists the columns that
    /// are left, so that a new one is a decision.
    private static let hiddenColumns: Set = [
        "account.password_hash", "account.email_key", "account.username_key", "account.credential_version",
        "account_details.first_name", "account_details.last_name", "account_details.shown_name",
        "account_details.search_key", "device.push_token", "device.rotation_key", "device.counter",
        "device.notifies", "second_factor.last_step", "factor_recovery.credential_version", "passkey.counter",
        "one_time_token.email_key",
        "email_change.email_key", "email_change.old_email_key",
        // Links and codes are derived from it.
        "mail.id", "mail.email_key", "mail.leased_until", "address_challenge.id",
        "sign_in_code.code_challenge", "sign_in_code.credential_version", "authorization_code.code_challenge",
        "authorization_code.nonce", "authorization_code.credential_version",
        "device_authorization.credential_version", "client_notice.leased_until", "audit.detail",
    ]

    /// The column with the ID of the account that a row belongs to; nil for a table without one.
    private var owner: String? {
        name == "account" ? "id" : columns.contains { $0.name == "account_id" } ? "account_id" : nil
    }

    /// The column by whose index a database finds the rows of an account.
    private func indexedOwner(in dialect: SQLDialect) -> String? {
        // The chain of an account has its ID as name, and is the first column of PostgreSQL's key.
        name == "audit" && dialect == .postgres ? "chain" : owner
    }

    /// The columns of an account's rows that its owner may have; empty for a table that belongs to no account.
    package var personalColumns: [Column] {
        guard let owner else { return [] }
        return columns.filter {
            $0.kind != .blob && ($0.name != owner || name == "account")
                && !Self.hiddenColumns.contains("\(name).\($0.name)")
        }
    }

    /// Returns the rows of an account as JSON, of the audit log the newest.
    fileprivate func personalRows(of accountID: String, _ db: any SQLConnection) throws(IdentityError) -> [JSONValue] {
        let shown = personalColumns
        guard let owner = indexedOwner(in: db.dialect), !shown.isEmpty else { return [] }
        let key = columns.prefix(keyCount).map { "\($0.name) DESC" }.joined(separator: ", ")
        return try db.all(
            """
            SELECT \(shown.map(\.name).joined(separator: ", ")) FROM \(name) WHERE \(owner) = $1
            ORDER BY \(key) LIMIT \(IdentityStore.longestExport)
            """, [.text(accountID)]
        ) { row throws(IdentityError) in
            var object: JSONObject = [:]
            for (index, column) in shown.enumerated() {
                let value = try column.kind.value(of: row, at: Int32(truncatingIfNeeded: index))
                if let json = column.json(value) { object[column.name] = json }
            }
            return .object(object)
        }
    }
}

extension StoreTable.Column {
    /// Whether the numbers of the column are dates, by the last word of its name.
    private var isDate: Bool {
        let word = name.utf8.split(separator: UInt8(ascii: "_")).last ?? name.utf8[...]
        return word.elementsEqual("at".utf8) || word.elementsEqual("until".utf8)
    }

    /// Returns a value as its owner reads it; nil for NULL.
    fileprivate func json(_ value: SQLValue) -> JSONValue? {
        switch value {
        case .integer(let number?) where isDate:
            .string(Date(storedMilliseconds: number).formatted(.iso8601))
        case .integer(let number?) where name.utf8.starts(with: "is_".utf8): .bool(number != 0)
        case .integer(let number?): .integer(number)
        // A column with JSON becomes JSON, and not an escaped text.
        case .text(let text?) where text.utf8.first == UInt8(ascii: "{"):
            (try? JSONValue(parsing: text)) ?? .string(text)
        case .text(let text?): .string(text)
        case .integer(nil), .text(nil), .blob: nil
        }
    }
}

extension IdentityStore {
    /// The greatest number of rows of one table in an export.
    package static let longestExport = 10_000

    /// Returns everything that the store holds about an account, for its owner.
    ///
    /// What proves who the user is stays here, such as hashes, keys and the links of emails.
    package func personalData(of accountID: String) async throws(IdentityError) -> JSONObject {
        try await read { db throws(IdentityError) in
            var content: JSONObject = [:]
            for table in StoreTable.all {
                let rows = try table.personalRows(of: accountID, db)
                if !rows.isEmpty { content[table.name] = .array(rows) }
            }
            return content
        }
    }
}
