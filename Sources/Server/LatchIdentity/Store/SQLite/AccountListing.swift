// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A list of accounts as a query asks for it, read from whichever index begins nearest to its rows.
///
/// - Without a search, a page is merged from the beginnings of the ordered lists of the classes that it shows.
/// - With one, either the rows that the index of texts finds are filtered, or an ordered list is walked and its texts are
///   looked at; which of both depends on how much each of them would have to look at, by counts that stop early.
struct AccountListing {
    /// What is looked at for one page at most, where that can be chosen.
    private static let effort = 5000

    private let query: AccountQuery
    private let db: SQLiteConnection
    /// The classes that the list shows and that have accounts, each with how many.
    private let classes: [(kind: AccountClass, count: Int)]
    /// What texts must hold; nil without a search.
    private let needle: String?
    /// The lowest and the highest number that the times of the query allow.
    private let (lowest, highest): (Int64, Int64)
    /// Whether the index of texts is the one to read.
    private let isByText: Bool

    init(_ query: AccountQuery, on db: SQLiteConnection) throws(IdentityError) {
        self.query = query
        self.db = db
        let counts = try db.all("SELECT class, count FROM account_tally WHERE day = -1") { row throws(IdentityError) in
            (Int(try row.integer(0)), Int(try row.integer(1)))
        }
        let known = Dictionary(uniqueKeysWithValues: counts)
        classes = AccountClass.all(in: query).compactMap { kind in
            known[kind.number].flatMap { $0 > 0 ? (kind, $0) : nil }
        }
        needle = Self.needle(query.search)
        lowest = query.createdAfter.map { Self.serial(of: $0.storedMilliseconds + 1) } ?? 0
        highest = query.createdBefore.map { Self.serial(of: $0.storedMilliseconds) - 1 } ?? .max
        isByText = try Self.isByText(needle, query.sort, classes.reduce(0) { $0 + $1.count }, db)
    }

    /// The first rows of the page.
    func rows(_ limit: Int) throws(IdentityError) -> [AccountQuery.Place] {
        if isByText { return try found(limit) }
        var rows: [AccountQuery.Place] = []
        for (kind, _) in classes { rows += try walked(kind, limit) }
        rows.sort(by: precedes)
        return Array(rows.prefix(limit))
    }

    /// How many the list has, and whether there are more than that.
    func total() throws(IdentityError) -> (Int, isMinimum: Bool) {
        if needle == nil, lowest == 0, highest == .max { return (classes.reduce(0) { $0 + $1.count }, false) }
        let bound = Int64(AccountPage.countBound) + 1
        var count = 0
        if isByText {
            count = try db.number(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM account_search CROSS JOIN account_list ON serial = account_search.rowid
                    WHERE account_search MATCH ?1 AND account_search.rowid BETWEEN ?2 AND ?3 AND (?4 >> class) & 1 LIMIT ?5)
                """, [.text(phrase), .integer(lowest), .integer(highest), .integer(mask), .integer(bound)])
        } else {
            for (kind, _) in classes where count < bound {
                count += try db.number(
                    """
                    SELECT count(*) FROM (SELECT 1 FROM account_list WHERE class = ?1 AND serial BETWEEN ?2 AND ?3
                        AND (?4 IS NULL OR instr(content, ?4) > 0) LIMIT ?5)
                    """,
                    [
                        .integer(Int64(kind.number)), .integer(lowest), .integer(highest), .text(needle),
                        .integer(bound),
                    ])
            }
        }
        return (min(count, AccountPage.countBound), count > AccountPage.countBound)
    }

    /// The rows of one class, by the index that has them in order.
    private func walked(_ kind: AccountClass, _ limit: Int) throws(IdentityError) -> [AccountQuery.Place] {
        let (column, direction) = (query.sort.column, query.isAscending ? "ASC" : "DESC")
        // By the sign-up alone the number is the order, and the borders of the page and of the times are one.
        let behind =
            column == "serial"
            ? "serial \(sign) ?2" : "(\(column), serial) \(sign) (?6, ?2)"
        return try db.all(
            """
            SELECT \(column), serial FROM account_list WHERE class = ?1 AND \(behind) AND serial BETWEEN ?3 AND ?4
                AND (?7 IS NULL OR instr(content, ?7) > 0)
            ORDER BY \(column) \(direction), serial \(direction) LIMIT ?5
            """,
            [
                .integer(Int64(kind.number)), .integer(border.serial), .integer(lowest), .integer(highest),
                .integer(Int64(limit)), border.value, .text(needle),
            ], read: place)
    }

    /// The rows that the index of texts finds.
    ///
    /// In the order of the sign-up they come as they are wanted; in every other one all of them are sorted.
    private func found(_ limit: Int) throws(IdentityError) -> [AccountQuery.Place] {
        let (column, direction) = (query.sort.column, query.isAscending ? "ASC" : "DESC")
        let bySignUp = column == "serial"
        let behind =
            bySignUp ? "account_search.rowid \(sign) ?2" : "(\(column), serial) \(sign) (?6, ?2)"
        let order = bySignUp ? "account_search.rowid \(direction)" : "\(column) \(direction), serial \(direction)"
        return try db.all(
            """
            SELECT \(column), serial FROM account_search CROSS JOIN account_list ON serial = account_search.rowid
            WHERE account_search MATCH ?1 AND \(behind) AND account_search.rowid BETWEEN ?3 AND ?4 AND (?7 >> class) & 1
            ORDER BY \(order) LIMIT ?5
            """,
            [
                .text(phrase), .integer(border.serial), .integer(lowest), .integer(highest), .integer(Int64(limit)),
                border.value, .integer(mask),
            ], read: place)
    }

    private var sign: String { query.isAscending ? ">" : "<" }

    /// Behind which the page begins; in front of everything where it is the first.
    private var border: (value: SQLiteValue, serial: Int64) {
        guard let place = query.behind else {
            if query.isAscending { return (query.sort.isText ? .text("") : .integer(.min), -1) }
            // SQLite has every blob behind every text.
            return (query.sort.isText ? .blob([0xFF]) : .integer(.max), .max)
        }
        switch place.value {
        case .text(let text): return (.text(text), place.serial)
        case .number(let number): return (.integer(number), place.serial)
        }
    }

    /// The classes of the list, as bits.
    private var mask: Int64 { classes.reduce(0) { $0 | 1 << Int64($1.kind.number) } }

    /// The needle as one string of the query language (https://sqlite.org/fts5.html#fts5_strings).
    private var phrase: String { Self.phrase(needle ?? "") }

    private func place(_ row: borrowing SQLiteRow) throws(IdentityError) -> AccountQuery.Place {
        .init(
            value: query.sort.isText ? .text(try row.text(0)) : .number(try row.integer(0)),
            serial: try row.integer(1))
    }

    /// As SQLite compares: texts by their bytes.
    private func precedes(_ left: AccountQuery.Place, _ right: AccountQuery.Place) -> Bool {
        let (first, second) = query.isAscending ? (left, right) : (right, left)
        switch (first.value, second.value) {
        case (.number(let a), .number(let b)) where a != b: return a < b
        case (.text(let a), .text(let b)) where a != b:
            return a.utf8.lexicographicallyPrecedes(b.utf8)
        default: return first.serial < second.serial
        }
    }
}

extension AccountListing {
    /// What a text must hold: one or two letters are looked for where a part begins, behind the line breaks in front of it.
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
        "\"" + needle.reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) } + "\""
    }

    /// The first number of a millisecond.
    private static func serial(of milliseconds: Int64) -> Int64 { max(0, min(milliseconds, 8_000_000_000_000)) << 20 }

    /// Whether the index of texts has less to look at than the ordered lists.
    private static func isByText(
        _ needle: String?, _ sort: AccountQuery.Sort, _ count: Int, _ db: SQLiteConnection
    ) throws(IdentityError) -> Bool {
        guard let needle else { return false }
        // A page in the order of the sign-up stops as soon as it is full; few accounts are looked through at once.
        if sort == .createdAt { return count > effort }
        let found = try db.number(
            "SELECT count(*) FROM (SELECT 1 FROM account_search WHERE account_search MATCH ?1 LIMIT ?2)",
            [.text(phrase(needle)), .integer(Int64(effort) + 1)])
        return found <= effort
    }
}

extension AccountQuery.Sort {
    /// The column of the list; none of them is ever NULL, since nothing compares with NULL.
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

    /// Whether the field is text; the others are numbers.
    package var isText: Bool {
        switch self {
        case .createdAt, .updatedAt, .lastLoginAt: false
        case .email, .username, .firstName, .lastName, .displayName: true
        }
    }
}
