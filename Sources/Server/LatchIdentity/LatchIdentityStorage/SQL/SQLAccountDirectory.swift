// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation
import Synchronization

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
    ///
    /// - Parameter withDetails: Whether the details are read; otherwise they are empty.
    package func accounts(
        _ query: AccountQuery, withDetails: Bool = true
    ) async throws(IdentityError) -> AccountPage {
        try await read { db throws(IdentityError) in
            let list = try AccountListQuery(query, on: db)
            let rows = try list.rows(query.limit + 1)
            let page = rows.prefix(query.limit)
            // An account that was deleted after its row was read is left out.
            let accounts = try db.fullAccounts(serials: page.map(\.serial), withDetails: withDetails)
            let next = rows.count > query.limit ? page.last : nil
            let (total, isMinimum) = try list.total()
            return AccountPage(
                accounts: accounts, next: next, total: isMinimum ? max(total, rows.count) : total,
                isTotalMinimum: isMinimum)
        }
    }

    /// Returns statistics of all accounts.
    ///
    /// It sums the counts per class and UTC day, which triggers maintain in SQLite. In PostgreSQL the counts of all
    /// accounts can be a minute old, and those of the last days are current.
    ///
    /// - Parameter midnight: The beginning of the day in UTC.
    package func statistics(since midnight: Date) async throws(IdentityError) -> AccountStatistics {
        let today = midnight.storedMilliseconds / 86_400_000
        var statistics = AccountStatistics()
        for (accountClass, count) in try await classTotals() {
            statistics.total += count
            if accountClass.isVerified { statistics.verified += count }
            if accountClass.reportedStatus == .active { statistics.active += count }
        }
        for (day, count) in try await read({ db throws(IdentityError) in try db.signUps(since: today - 29) }) {
            statistics.newThisMonth += count
            statistics.newByDay[Int(min(max(0, day - today + 29), 29))] += count
            if day > today - 7 { statistics.newThisWeek += count }
            if day >= today { statistics.newToday += count }
        }
        try await separateGuests(in: &statistics, today: today)
        return statistics
    }

    /// Moves the guests from the numbers of accounts and sign-ups to a number that only counts them.
    private func separateGuests(in statistics: inout AccountStatistics, today: Int64) async throws(IdentityError) {
        for (day, count) in try await read({ db throws(IdentityError) in try db.guests() }) {
            statistics.guests += count
            // The numbers of all accounts may be a minute older.
            statistics.total = max(0, statistics.total - count)
            guard day >= today - 29 else { continue }
            statistics.newThisMonth = max(0, statistics.newThisMonth - count)
            let index = Int(min(max(0, day - today + 29), 29))
            statistics.newByDay[index] = max(0, statistics.newByDay[index] - count)
            if day > today - 7 { statistics.newThisWeek = max(0, statistics.newThisWeek - count) }
            if day >= today { statistics.newToday = max(0, statistics.newToday - count) }
        }
    }

    /// Returns the number of accounts of each class, without deleted ones.
    private func classTotals() async throws(IdentityError) -> [AccountClass: Int] {
        if let age = backend.countAge, let read = classTotalsRead.withLock({ $0 }), .now - read.at < age {
            return read.totals
        }
        let rows = try await all("SELECT class, count FROM account_tally WHERE day = -1", []) {
            row throws(IdentityError) in (Int(try row.integer(0)), Int(try row.integer(1)))
        }
        var totals: [AccountClass: Int] = [:]
        for (number, count) in rows where AccountClass.all.indices.contains(number) {
            totals[AccountClass.all[number]] = count
        }
        classTotalsRead.withLock { [totals] in $0 = (totals, .now) }
        return totals
    }
}

extension SQLConnection {
    /// Returns the number of accounts that the full-text index finds, at most `bound`.
    fileprivate func matches(_ phrase: String, upTo bound: Int) throws(IdentityError) -> Int {
        try number(
            "SELECT count(*) FROM (SELECT 1 FROM account_search WHERE account_search MATCH $1 LIMIT $2)",
            [.text(phrase), .integer(Int64(bound))])
    }

    /// Returns the number of sign-ups on the days of a period of serials.
    fileprivate func signUps(from lowest: Int64, to highest: Int64) throws(IdentityError) -> Int {
        try number(
            "SELECT coalesce(sum(count), 0) FROM account_tally WHERE day BETWEEN $1 AND $2",
            [lowest, highest].map { .integer(($0 >> 20) / 86_400_000) })
    }

    /// Returns the number of sign-ups on each day since `day`, without deleted accounts.
    fileprivate func signUps(since day: Int64) throws(IdentityError) -> [(day: Int64, count: Int)] {
        // The view of PostgreSQL would group all accounts; a range of serials has an index.
        let (source, start) =
            dialect == .postgres
            ? (
                "(serial >> 20) / 86400000, count(*) FROM account_list WHERE serial >= $1 AND class < 32 GROUP BY 1",
                Int64.firstNumber(ofMillisecond: day * 86_400_000)
            )
            : ("day, sum(count) FROM account_tally WHERE day >= $1 AND class < 32 GROUP BY day", max(0, day))
        return try all("SELECT \(source)", [.integer(start)]) { row throws(IdentityError) in
            (day: try row.integer(0), count: Int(try row.integer(1)))
        }
    }

    /// Returns the number of accounts of each class, in PostgreSQL at most one more than ``AccountPage/classBound``.
    fileprivate func classCounts() throws(IdentityError) -> [(number: Int, count: Int)] {
        let source =
            dialect == .postgres
            ? """
            class, (SELECT count(*) FROM (
                SELECT 1 FROM account WHERE listed_class = class LIMIT \(AccountPage.classBound + 1)) AS part)
            FROM generate_series(0::bigint, \(AccountClass.all.count - 1)) AS class
            """ : "class, count FROM account_tally WHERE day = -1"
        return try all("SELECT \(source)", []) { row throws(IdentityError) in
            (number: Int(try row.integer(0)), count: Int(try row.integer(1)))
        }
    }

    /// Returns the accounts of list rows, in the order of the rows.
    fileprivate func fullAccounts(serials: [Int64], withDetails: Bool) throws(IdentityError) -> [FullAccount] {
        let source =
            withDetails
            ? "\(FullAccount.list) FROM account LEFT JOIN account_details ON account_id = id"
            : "\(Account.Column.list), NULL FROM account"
        return try all(
            """
            SELECT \(source)
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
/// Without a search the first plan is used. For a search, bounded counts decide which plan is cheaper. The accounts of
/// small classes are all read, since the full-text index would find many accounts of other classes first.
///
/// `serial` is the time of the sign-up in milliseconds × 2²⁰ plus a sequence number (see ``SQLiteSchema``). So it
/// orders by sign-up, breaks ties, and represents the times of a query as bounds.
private struct AccountListQuery {
    /// The number of rows up to which a plan counts as cheap.
    private static let effort = 5000
    /// The number of accounts up to which the classes of a query are read as a whole if most accounts have others.
    private static let smallClasses = 10_000
    /// The number of matches up to which the full-text index is cheaper even then.
    private static let fewMatches = 500
    /// The number of sign-ups in a period up to which they are sorted, instead of walking the index of the sort column.
    private static let shortPeriod = 20_000

    private let query: AccountQuery
    private let db: any SQLConnection
    /// The numbers of the matching classes that have accounts.
    private let classes: [Int]
    /// The number of accounts in these classes, and whether there are more.
    private let classTotal: Int
    private let isClassTotalMinimum: Bool
    /// The text that rows must contain; nil without a search.
    private let needle: String?
    /// The serials in the period of the query.
    private let (lowest, highest): (Int64, Int64)
    /// Whether all accounts of the classes are counted for a search, instead of those that the full-text index finds.
    private let countsClasses: Bool
    /// Whether the full-text index finds the rows.
    private let usesFullText: Bool
    /// Whether the accounts of the period are read by their serials, also for another order.
    private let readsPeriod: Bool

    init(_ query: AccountQuery, on db: any SQLConnection) throws(IdentityError) {
        self.query = query
        self.db = db
        let counts = try db.classCounts()
        let matching = counts.filter { number, count in
            count > 0 && AccountClass.all.indices.contains(number) && AccountClass.all[number].matches(query)
        }
        classes = matching.map(\.number)
        let bound = db.dialect == .postgres ? AccountPage.classBound : .max
        classTotal = matching.reduce(0) { $0 + min($1.count, bound) }
        isClassTotalMinimum = matching.contains { $0.count > bound }
        needle = Self.needle(query.search)
        lowest = query.createdAfter.map { .firstNumber(ofMillisecond: $0.storedMilliseconds + 1) } ?? 0
        highest = query.createdBefore.map { .firstNumber(ofMillisecond: $0.storedMilliseconds) - 1 } ?? .max
        (countsClasses, usesFullText) = try Self.plan(
            needle, query.sort, classTotal, of: counts.reduce(0) { $0 + $1.count }, db)
        readsPeriod = try Self.readsPeriod(query, lowest, highest, db)
    }

    /// Returns the first rows of the page.
    func rows(_ limit: Int) throws(IdentityError) -> [AccountQuery.Cursor] {
        if usesFullText { return try fullTextRows(limit) }
        let rows = try indexedRows(limit).sorted(by: precedes)
        return Array(rows.prefix(limit))
    }

    /// Returns the number of matching accounts, and whether it is only a minimum.
    func total() throws(IdentityError) -> (Int, isMinimum: Bool) {
        if needle == nil, lowest == 0, highest == .max { return (classTotal, isClassTotalMinimum) }
        let bound = Int64(AccountPage.countBound) + 1
        let times: [SQLValue] = [.integer(lowest), .integer(highest)]
        var count = 0
        guard countsClasses else { return try fullTextTotal(times, bound) }
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
        return (min(count, AccountPage.countBound), count > AccountPage.countBound)
    }

    /// Returns the number of accounts of the classes among the first ones that the full-text index finds.
    ///
    /// It does not continue to the bound, since most matches can have other classes.
    private func fullTextTotal(_ times: [SQLValue], _ bound: Int64) throws(IdentityError) -> (Int, isMinimum: Bool) {
        let counts = try db.first(
            """
            SELECT count(*), coalesce(sum(is_own), 0) FROM (
                SELECT ($1 >> class) & 1 AS is_own
                FROM account_search CROSS JOIN account_list ON serial = account_search.rowid
                WHERE account_search MATCH $2 AND account_search.rowid BETWEEN $3 AND $4 LIMIT $5)
            """, [.integer(classBits), .text(phrase)] + times + [.integer(bound)]
        ) { row throws(IdentityError) in (found: try row.integer(0), own: Int(try row.integer(1))) }
        return (min(counts?.own ?? 0, AccountPage.countBound), counts?.found == bound)
    }

    /// Returns the first rows of each class, by the index of the sort column.
    private func indexedRows(_ limit: Int) throws(IdentityError) -> [AccountQuery.Cursor] {
        try rows(
            "account_list WHERE class = $1 AND \(isMatch("$2"))", serial: readsPeriod ? "serial" : "+serial", limit,
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

    /// Returns whether all accounts of the classes are counted, and whether the full-text index finds the rows.
    ///
    /// - Parameters:
    ///   - count: The number of accounts of the classes.
    ///   - all: The number of accounts of any class.
    private static func plan(
        _ needle: String?, _ sort: AccountQuery.Sort, _ count: Int, of all: Int, _ db: any SQLConnection
    ) throws(IdentityError) -> (countsClasses: Bool, usesFullText: Bool) {
        // PostgreSQL's planner chooses between its indexes.
        guard let needle, db.dialect == .sqlite else { return (true, false) }
        let phrase = phrase(needle)
        var countsClasses = count <= effort
        if !countsClasses, count <= smallClasses, count < all / 4 {
            countsClasses = try db.matches(phrase, upTo: fewMatches + 1) > fewMatches
        }
        // A page in the order of the sign-up stops when it is full.
        if sort == .createdAt { return (countsClasses, !countsClasses) }
        return (countsClasses, try db.matches(phrase, upTo: effort + 1) <= effort)
    }

    /// Returns whether the accounts of the period are read by their serials.
    ///
    /// Without statistics of its indexes, SQLite prefers a range of serials to the order of another column. It would
    /// then sort all accounts of a class for one page.
    private static func readsPeriod(
        _ query: AccountQuery, _ lowest: Int64, _ highest: Int64, _ db: any SQLConnection
    ) throws(IdentityError) -> Bool {
        if query.sort == .createdAt || db.dialect == .postgres { return true }
        guard lowest > 0 || highest < .max else { return false }
        return try db.signUps(from: lowest, to: highest) <= shortPeriod
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
