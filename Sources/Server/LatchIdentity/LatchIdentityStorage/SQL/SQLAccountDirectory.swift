// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Returns accounts in the order of their IDs, which is the order of their creation.
    ///
    /// It continues after an ID instead of at an offset, so that a concurrent insertion repeats or hides no row.
    package func accounts(after id: String?, limit: Int) async throws(IdentityError) -> [Account] {
        // No ID with U+0000 exists, so the list continues after the part before it.
        let start = String(decoding: (id ?? "").utf8.prefix { $0 != 0 }, as: UTF8.self)
        return try await all(
            """
            SELECT \(Account.Column.list) FROM account WHERE id > $1 AND standing IS DISTINCT FROM 'deleted' ORDER BY id LIMIT $2
            """,
            [.text(start), .integer(Int64(limit))], read: Account.init)
    }

    /// Returns one page of a list.
    ///
    /// It reads one row more than the page has, which shows whether there is a next page. PostgreSQL always needs four
    /// round trips: classes, order, accounts and their number.
    package func accounts(_ query: AccountQuery) async throws(IdentityError) -> AccountPage {
        try await read { db throws(IdentityError) in
            let list = try AccountListQuery(query, on: db)
            let rows = try list.rows(query.limit + 1)
            let page = rows.prefix(query.limit)
            // An account that was deleted after its row was read is left out.
            let accounts = try db.fullAccounts(serials: page.map(\.serial))
            let next = rows.count > query.limit ? page.last : nil
            let (total, isMinimum) = try list.total()
            return AccountPage(accounts: accounts, next: next, total: total, isTotalMinimum: isMinimum)
        }
    }

    /// Returns statistics of all accounts.
    ///
    /// It sums the counts per class and UTC day, which triggers maintain in SQLite.
    ///
    /// - Parameter midnight: The beginning of the day in UTC.
    package func statistics(since midnight: Date) async throws(IdentityError) -> AccountStatistics {
        let today = midnight.storedMilliseconds / 86_400_000
        return try await read { db throws(IdentityError) in
            var statistics = AccountStatistics()
            for (day, accountClass, count) in try db.counts(since: today - 29) {
                guard day < 0 else {
                    statistics.newThisMonth += count
                    statistics.newByDay[Int(min(max(0, day - today + 29), 29))] += count
                    if day > today - 7 { statistics.newThisWeek += count }
                    if day >= today { statistics.newToday += count }
                    continue
                }
                statistics.total += count
                if accountClass.isVerified { statistics.verified += count }
                if accountClass.reportedStatus == .active { statistics.active += count }
            }
            return statistics
        }
    }
}

extension SQLConnection {
    /// Returns the counts of all days together, as day -1, and of each day since `day`, without deleted accounts.
    fileprivate func counts(since day: Int64) throws(IdentityError) -> [(Int64, AccountClass, Int)] {
        let rows = try all(
            "SELECT day, class, count FROM account_tally WHERE (day = -1 OR day >= $1) AND class < 32", [.integer(day)]
        ) { row throws(IdentityError) in (try row.integer(0), Int(try row.integer(1)), Int(try row.integer(2))) }
        return rows.compactMap { day, number, count in
            AccountClass.all.indices.contains(number) ? (day, AccountClass.all[number], count) : nil
        }
    }

    /// Returns the accounts of list rows, in the order of the rows.
    fileprivate func fullAccounts(serials: [Int64]) throws(IdentityError) -> [FullAccount] {
        try all(
            """
            SELECT \(FullAccount.list) FROM account LEFT JOIN account_details ON account_id = id
            WHERE id = (SELECT account_id FROM account_list WHERE serial = $1) AND standing IS DISTINCT FROM 'deleted'
            """,
            each: serials.map { [.integer($0)] }, read: FullAccount.init
        ).flatMap(\.self)
    }
}

/// A combination of the properties that lists filter by: status, verification and role.
///
/// The column `class` of `account_list` holds its ``number``, which the triggers of ``SQLiteSchema`` compute in the
/// same way. Deleted accounts have the number 62, which no combination has.
struct AccountClass: Sendable, Hashable {
    let status: Account.Status
    let isVerified: Bool
    let role: Role

    /// All combinations; the index of each is its number.
    static let all: [AccountClass] = [Account.Status.active, .disabled, .suspended, .banned].flatMap { status in
        [false, true].flatMap { isVerified in
            Role.allCases.map { AccountClass(status: status, isVerified: isVerified, role: $0) }
        }
    }

    /// The numbers of the classes that can administer the server, separated by commas.
    static let administrators = all.indices.filter { all[$0].status == .active && all[$0].role >= .admin }
        .map(String.init).joined(separator: ",")

    /// The status that lists report.
    var reportedStatus: AccountStatus { AccountStatus(status, isVerified: isVerified) }

    /// Returns whether a query shows the accounts of this class.
    func matches(_ query: AccountQuery) -> Bool {
        (query.role ?? role) == role && (query.isVerified ?? isVerified) == isVerified
            && (query.status ?? reportedStatus) == reportedStatus
    }
}

/// The execution of an ``AccountQuery`` on the table `account_list`, at a cost that hardly depends on its size.
///
/// Every index of the table begins with `class`, followed by one sort column and `serial`. There are only 32 classes.
/// So two plans are possible:
///
/// - **Merge**: read the first rows of each matching class by the index of the sort column, and merge them in memory. A
///   search filters the rows while they are read.
/// - **Full text**: let the trigram index find the rows of a search, and filter and sort them.
///
/// Without a search the first plan is used. For a search, counts up to ``effort`` rows decide which plan is cheaper.
///
/// `serial` is the time of the sign-up in milliseconds × 2²⁰ plus a sequence number (see ``SQLiteSchema``). So it
/// orders by sign-up, breaks ties, and represents the times of a query as bounds.
private struct AccountListQuery {
    /// The number of rows up to which a plan counts as cheap.
    private static let effort = 5000

    private let query: AccountQuery
    private let db: any SQLConnection
    /// The numbers of the matching classes that have accounts.
    private let classes: [Int]
    /// The number of accounts in these classes.
    private let classTotal: Int
    /// The text that rows must contain; nil without a search.
    private let needle: String?
    /// The serials in the period of the query.
    private let (lowest, highest): (Int64, Int64)
    /// Whether the plan uses the full-text index.
    private let usesFullText: Bool

    init(_ query: AccountQuery, on db: any SQLConnection) throws(IdentityError) {
        self.query = query
        self.db = db
        let counts = try db.all("SELECT class, count FROM account_tally WHERE day = -1") { row throws(IdentityError) in
            (Int(try row.integer(0)), Int(try row.integer(1)))
        }
        let matching = counts.filter { number, count in
            count > 0 && AccountClass.all.indices.contains(number) && AccountClass.all[number].matches(query)
        }
        classes = matching.map(\.0)
        classTotal = matching.reduce(0) { $0 + $1.1 }
        needle = Self.needle(query.search)
        lowest = query.createdAfter.map { .firstNumber(ofMillisecond: $0.storedMilliseconds + 1) } ?? 0
        highest = query.createdBefore.map { .firstNumber(ofMillisecond: $0.storedMilliseconds) - 1 } ?? .max
        usesFullText = try Self.prefersFullText(needle, query.sort, classTotal, db)
    }

    /// Returns the first rows of the page.
    func rows(_ limit: Int) throws(IdentityError) -> [AccountQuery.Cursor] {
        if usesFullText { return try fullTextRows(limit) }
        let rows = try indexedRows(limit).sorted(by: precedes)
        return Array(rows.prefix(limit))
    }

    /// Returns the number of matching accounts, and whether it is only a minimum.
    func total() throws(IdentityError) -> (Int, isMinimum: Bool) {
        if needle == nil, lowest == 0, highest == .max { return (classTotal, false) }
        let bound = Int64(AccountPage.countBound) + 1
        let times: [SQLValue] = [.integer(lowest), .integer(highest)]
        var count = 0
        if usesFullText {
            count = try db.number(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM account_search CROSS JOIN account_list ON serial = account_search.rowid
                    WHERE account_search MATCH $1 AND ($2 >> class) & 1
                        AND account_search.rowid BETWEEN $3 AND $4 LIMIT $5)
                """, [.text(phrase), .integer(classBits)] + times + [.integer(bound)])
        } else {
            // SQLite stops at the bound; PostgreSQL counts the few remaining classes in one round trip.
            let steps = db.dialect == .postgres ? [classes] : classes.map { [$0] }
            for classes in steps where count < bound {
                count += try db.all(
                    """
                    SELECT count(*) FROM (SELECT 1 FROM account_list WHERE class = $1 AND \(isMatch("$2"))
                        AND serial BETWEEN $3 AND $4 LIMIT $5) AS found
                    """, each: classes.map { [.integer(Int64($0)), .text(pattern)] + times + [.integer(bound)] }
                ) { row throws(IdentityError) in Int(try row.integer(0)) }.joined().reduce(0, +)
            }
        }
        return (min(count, AccountPage.countBound), count > AccountPage.countBound)
    }

    /// Returns the first rows of each class, by the index of the sort column.
    private func indexedRows(_ limit: Int) throws(IdentityError) -> [AccountQuery.Cursor] {
        try rows(
            "account_list WHERE class = $1 AND \(isMatch("$2"))", serial: "serial", limit,
            each: classes.map { [.integer(Int64($0)), .text(pattern)] })
    }

    /// Returns the first rows that the full-text index finds.
    ///
    /// For the order of the sign-up, the index returns them sorted; otherwise all matches are sorted.
    private func fullTextRows(_ limit: Int) throws(IdentityError) -> [AccountQuery.Cursor] {
        try rows(
            """
            account_search CROSS JOIN account_list ON serial = account_search.rowid
            WHERE account_search MATCH $1 AND ($2 >> class) & 1
            """, serial: "account_search.rowid", limit, each: [[.text(phrase), .integer(classBits)]])
    }

    /// Returns the first rows of a source for each pair of values.
    ///
    /// - Parameters:
    ///   - source: The tables and a condition on the two values, as $1 and $2.
    ///   - serial: The serial column of the source's index, which is the whole order when sorting by sign-up.
    private func rows(
        _ source: String, serial: String, _ limit: Int, each pairs: [[SQLValue]]
    ) throws(IdentityError) -> [AccountQuery.Cursor] {
        let (column, direction) = (query.sort.column, query.isAscending ? "ASC" : "DESC")
        let sign = query.isAscending ? ">" : "<"
        let isBySignUp = column == "serial"
        let position = position
        let after =
            switch position.count {
            case 0: ""
            case 1: "AND \(serial) \(sign) $5"
            default: "AND (\(column), serial) \(sign) ($5, $6)"
            }
        let order = isBySignUp ? "\(serial) \(direction)" : "\(column) \(direction), serial \(direction)"
        return try db.all(
            """
            SELECT \(column), serial FROM \(source) AND \(serial) BETWEEN $3 AND $4 \(after)
            ORDER BY \(order) LIMIT $\(position.count + 5)
            """,
            each: pairs.map { $0 + [.integer(lowest), .integer(highest)] + position + [.integer(Int64(limit))] },
            read: cursor
        ).flatMap(\.self)
    }

    /// The values of the position after which the page begins; none for the first page.
    private var position: [SQLValue] {
        guard let cursor = query.after else { return [] }
        if query.sort == .createdAt { return [.integer(cursor.serial)] }
        switch cursor.value {
        case .text(let text): return [.text(text), .integer(cursor.serial)]
        case .number(let number): return [.integer(number), .integer(cursor.serial)]
        }
    }

    /// Returns the SQL condition that a row contains the search text; true without a search.
    private func isMatch(_ pattern: String) -> String {
        switch db.dialect {
        case .sqlite: "(\(pattern) IS NULL OR instr(content, \(pattern)) > 0)"
        case .postgres: needle == nil ? "\(pattern) IS NULL" : "content LIKE \(pattern)"
        }
    }

    /// The value of the condition; NULL without a search.
    private var pattern: String? {
        guard let needle, db.dialect == .postgres else { return needle }
        // https://www.postgresql.org/docs/current/functions-matching.html#FUNCTIONS-LIKE
        let special: Set<Unicode.Scalar> = ["%", "_", "\\"]
        let escaped: String = needle.unicodeScalars.reduce(into: "") { text, scalar in
            if special.contains(scalar) { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return "%\(escaped)%"
    }

    /// The matching classes as a bit set, for the SQL condition `(bits >> class) & 1`.
    private var classBits: Int64 { classes.reduce(0) { $0 | 1 << Int64($1) } }

    /// The needle as a string of the FTS5 query language (https://sqlite.org/fts5.html#fts5_strings).
    private var phrase: String { Self.phrase(needle ?? "") }

    private func cursor(_ row: borrowing SQLRow) throws(IdentityError) -> AccountQuery.Cursor {
        .init(
            value: query.sort.isText ? .text(try row.text(0)) : .number(try row.integer(0)),
            serial: try row.integer(1))
    }

    /// Compares rows as the databases do, with texts compared by bytes.
    private func precedes(_ left: AccountQuery.Cursor, _ right: AccountQuery.Cursor) -> Bool {
        let (first, second) = query.isAscending ? (left, right) : (right, left)
        switch (first.value, second.value) {
        case (.number(let a), .number(let b)) where a != b: return a < b
        case (.text(let a), .text(let b)) where !a.utf8.elementsEqual(b.utf8):
            return a.utf8.lexicographicallyPrecedes(b.utf8)
        default: return first.serial < second.serial
        }
    }

    /// Returns the text that rows must contain.
    ///
    /// Trigrams need three characters. So one or two letters match only at the beginning of a part, which follows two
    /// line breaks in the indexed content.
    private static func needle(_ search: String) -> String? {
        let text = search.lowercased()
        switch text.unicodeScalars.count {
        case 0: return nil
        case 1: return "\n\n" + text
        case 2: return "\n" + text
        default: return text
        }
    }

    private static func phrase(_ needle: String) -> String {
        "\"" + needle.unicodeScalars.reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) } + "\""
    }

    /// Returns whether the full-text index reads fewer rows than the sorted indexes.
    private static func prefersFullText(
        _ needle: String?, _ sort: AccountQuery.Sort, _ count: Int, _ db: any SQLConnection
    ) throws(IdentityError) -> Bool {
        // PostgreSQL's planner chooses between its indexes.
        guard let needle, db.dialect == .sqlite else { return false }
        // A page in the order of the sign-up stops when it is full; a small number of accounts is scanned quickly.
        if sort == .createdAt { return count > effort }
        let found = try db.number(
            "SELECT count(*) FROM (SELECT 1 FROM account_search WHERE account_search MATCH $1 LIMIT $2)",
            [.text(phrase(needle)), .integer(Int64(effort) + 1)])
        return found <= effort
    }
}

extension AccountQuery.Sort {
    /// The column of `account_list`, which is never NULL, since comparisons with NULL find no row.
    fileprivate var column: String {
        switch self {
        case .createdAt: "serial"
        case .updatedAt: "updated_at"
        case .lastLoginAt: "last_login_at"
        case .email: "email"
        case .username: "username"
        case .firstName: "first_name"
        case .lastName: "last_name"
        case .displayName: "shown_name"
        }
    }
}
