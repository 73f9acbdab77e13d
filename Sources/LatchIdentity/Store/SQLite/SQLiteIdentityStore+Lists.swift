// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension SQLiteIdentityStore {
    /// One more than asked for tells whether there is a next part.
    package func accounts(_ query: AccountQuery) throws(IdentityError) -> AccountPage {
        try readers.read { db throws(IdentityError) in
            let (field, direction) = (query.sort.column, query.isAscending ? "ASC" : "DESC")
            let behind = query.behind == nil ? "" : "AND (\(field), id) \(query.isAscending ? ">" : "<") (?10, ?11)"
            let rows = try db.all(
                """
                SELECT \(FullAccount.columns), \(field) FROM account LEFT JOIN account_details ON account_id = id
                WHERE \(AccountQuery.condition) \(behind) ORDER BY \(field) \(direction), id \(direction) LIMIT ?9
                """,
                query.values + (query.behind.map { [$0.value.bound, .text($0.id)] } ?? [])
            ) { row throws(IdentityError) in
                (try FullAccount(row), try AccountQuery.Place.Value(row, 17, isText: query.sort.isText))
            }
            let total = try db.number(
                """
                SELECT count(*) FROM account LEFT JOIN account_details ON account_id = id
                WHERE \(AccountQuery.condition) AND ?9 IS NOT NULL
                """, query.values)
            let page = rows.prefix(query.limit)
            let last = rows.count > query.limit ? page.last : nil
            return AccountPage(
                accounts: page.map(\.0), next: last.map { .init(value: $0.1, id: $0.0.account.id) }, total: total)
        }
    }

    /// One pass over the accounts; days are those of UTC, whoever asks from where.
    package func figures(since midnight: Date) throws(IdentityError) -> AccountFigures {
        try readers.read { db throws(IdentityError) in
            let days = [0, 6, 29].map { midnight.addingTimeInterval(-86_400 * Double($0)) }
            let figures = try db.first(
                """
                SELECT count(*), count(*) FILTER (WHERE status = 'active' AND email_verified_at IS NOT NULL),
                    count(email_verified_at), count(*) FILTER (WHERE created_at >= ?),
                    count(*) FILTER (WHERE created_at >= ?), count(*) FILTER (WHERE created_at >= ?)
                FROM account WHERE standing IS NOT 'deleted'
                """, days.map { .date($0) }
            ) { row throws(IdentityError) in
                var figures = AccountFigures()
                figures.total = Int(try row.integer(0))
                figures.active = Int(try row.integer(1))
                figures.verified = Int(try row.integer(2))
                figures.newToday = Int(try row.integer(3))
                figures.newThisWeek = Int(try row.integer(4))
                figures.newThisMonth = Int(try row.integer(5))
                return figures
            }
            return figures ?? AccountFigures()
        }
    }
}

extension AccountQuery {
    /// All filters in one text, of which those that are NULL let everything pass: the texts of statements, each of which is
    /// kept compiled, stay a handful.
    fileprivate static let condition = """
        standing IS NOT 'deleted'
        AND (?1 IS NULL OR email_key LIKE ?1 ESCAPE '\\' OR username_key LIKE ?1 ESCAPE '\\'
            OR search_key LIKE ?1 ESCAPE '\\' OR name LIKE ?1 ESCAPE '\\')
        AND (?2 IS NULL OR \(Account.roleNumber) = ?2)
        AND (?3 IS NULL OR status = ?3 AND standing IS ?4)
        AND (?5 IS NULL OR (status <> 'active') OR (email_verified_at IS NOT NULL) = ?5)
        AND (?6 IS NULL OR (email_verified_at IS NOT NULL) = ?6)
        AND (?7 IS NULL OR created_at > ?7) AND (?8 IS NULL OR created_at < ?8)
        """

    /// In the order of the numbers in `condition`, and the limit.
    fileprivate var values: [SQLiteValue] {
        let status: Account.Status? =
            switch standing {
            case .active, .pendingVerification: .active
            case .inactive: .disabled
            case .suspended: .suspended
            case .banned: .banned
            case nil: nil
            }
        // An address that waits makes two standings of the one status.
        let isVerifiedByStanding: Bool? =
            switch standing {
            case .active: true
            case .pendingVerification: false
            default: nil
            }
        let number = { (flag: Bool?) in flag.map { SQLiteValue.integer($0 ? 1 : 0) } ?? .null }
        return [
            search.isEmpty ? .null : .text("%\(Self.escaped(search.lowercased()))%"),
            role.map { .integer(Int64($0.rawValue)) } ?? .null, .text(status?.use), .text(status?.standing),
            number(isVerifiedByStanding), number(isVerified), .date(createdAfter), .date(createdBefore),
            .integer(Int64(limit) + 1),
        ]
    }

    /// What a person looks for is text and no pattern.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { $0 += ["%", "_", "\\"].contains($1) ? "\\\($1)" : "\($1)" }
    }
}

extension AccountQuery.Sort {
    /// An expression that is never NULL, since nothing compares with NULL.
    fileprivate var column: String {
        switch self {
        case .createdAt: "created_at"
        case .updatedAt: "coalesce(updated_at, created_at)"
        case .lastLoginAt: "coalesce(last_login_at, 0)"
        case .email: "email_key"
        case .username: "coalesce(username_key, '')"
        case .firstName: "lower(coalesce(first_name, ''))"
        case .lastName: "lower(coalesce(last_name, ''))"
        case .displayName: "lower(coalesce(shown_name, name, ''))"
        }
    }

    /// Whether the field is text; the others are dates.
    package var isText: Bool {
        switch self {
        case .createdAt, .updatedAt, .lastLoginAt: false
        case .email, .username, .firstName, .lastName, .displayName: true
        }
    }
}

extension AccountQuery.Place.Value {
    fileprivate init(_ row: borrowing SQLiteRow, _ column: Int32, isText: Bool) throws(IdentityError) {
        self = isText ? .text(try row.text(column)) : .number(try row.integer(column))
    }

    fileprivate var bound: SQLiteValue {
        switch self {
        case .text(let text): .text(text)
        case .number(let number): .integer(number)
        }
    }
}
