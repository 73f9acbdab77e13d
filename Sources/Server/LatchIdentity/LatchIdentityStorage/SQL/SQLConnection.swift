// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// A connection to a database, with the same statements for every database.
///
/// A statement takes its values as `$1`, `$2` …, whose first uses are in this order. It uses the SQL that SQLite 3.39
/// and PostgreSQL 14 have in common.
package protocol SQLConnection: AnyObject {
    /// The database, for the few statements that differ.
    var dialect: SQLDialect { get }
    /// The keyed digests of the audit log; nil until the server has their key.
    var auditChain: AuditChain? { get set }
    /// The programs and the code that are told of events.
    var eventListeners: [EventListener] { get set }
    /// The number of devices that the current write has signed out.
    var signedOutDevices: Int { get set }
    /// The names of the listeners for which the current write has stored events.
    var toldListeners: Set<String> { get set }
    /// Whether the outbox has room for a further email.
    var hasRoomForMail: Bool { get throws(IdentityError) }
    /// The number of prepared statements; with it, tests check that no input becomes part of a statement's text.
    var statementCount: Int { get }

    /// Runs a statement to its end and returns the number of changed rows.
    @discardableResult
    func run(_ sql: String, _ values: [SQLValue]) throws(IdentityError) -> Int

    /// Runs a statement once for each list of values, in one round trip.
    func run(_ sql: String, each rows: [[SQLValue]]) throws(IdentityError)

    /// Returns the first row, read by `read`; nil if there is none.
    func first<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result?

    /// Returns all rows, each read by `read`.
    func all<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [Result]

    /// Returns the rows of a query for each list of values, each read by `read`, in one round trip.
    func all<Result>(
        _ sql: String, each rows: [[SQLValue]], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [[Result]]

    /// Adds an entry to the audit log and extends the chain, in the transaction of the change.
    func addAuditEntry(
        _ event: String, account: String?, detail: String?, at now: Date
    ) throws(IdentityError) -> AuditRecord

    /// Adds the first entry of each of many new accounts, in the transaction that inserts them.
    func auditCreated(_ accounts: [String], detail: String, at now: Date) throws(IdentityError)

    /// Chains the existing entries of a log that has no chain yet.
    func chainAudit(_ chain: AuditChain) throws(IdentityError)

    /// Checks the chain of all entries.
    func verifyAudit(_ chain: AuditChain) throws(IdentityError) -> AuditVerification

    /// Returns an anchor over all chains for the entries before a time; nil with a single chain, or without entries.
    func auditAnchor(before date: Date) throws(IdentityError) -> AuditAnchor?

    /// Removes the oldest entries, and returns whether more entries remain to be removed.
    func pruneAudit(
        before date: Date, keeping count: Int, atMost batch: Int, at now: Date
    ) throws(IdentityError) -> Bool
}

/// A database whose SQL differs from that of others.
package enum SQLDialect: Sendable {
    case sqlite
    case postgres

    /// The name in traces (OpenTelemetry's attribute `db.system.name`).
    var systemName: String {
        switch self {
        case .sqlite: "sqlite"
        case .postgres: "postgresql"
        }
    }
}

extension SQLConnection {
    /// Runs a statement; if it changed one row, reads the row of `query`, otherwise runs `body`.
    package func change<Result>(
        _ statement: SQLStatement, then query: SQLStatement,
        read: (borrowing SQLRow) throws(IdentityError) -> Result,
        otherwise body: (any SQLConnection) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result? {
        guard try run(statement.text, statement.values) == 1 else { return try body(self) }
        return try first(query.text, query.values, read: read)
    }

    /// Returns the date of a PostgreSQL server.
    func postgresDate() throws(IdentityError) -> Date? {
        try first("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint", []) {
            row throws(IdentityError) in
            try row.date(0)
        }
    }

    /// Runs a statement without values.
    @discardableResult
    package func run(_ sql: String) throws(IdentityError) -> Int { try run(sql, []) }

    /// Runs the statement for each list of values, one after the other.
    package func run(_ sql: String, each rows: [[SQLValue]]) throws(IdentityError) {
        for values in rows { try run(sql, values) }
    }

    /// Runs the query for each list of values, one after the other.
    package func all<Result>(
        _ sql: String, each rows: [[SQLValue]], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [[Result]] {
        var results: [[Result]] = []
        for values in rows { results.append(try all(sql, values, read: read)) }
        return results
    }

    /// Adds the entries one after the other.
    package func auditCreated(_ accounts: [String], detail: String, at now: Date) throws(IdentityError) {
        for account in accounts { try audit("account.created", account: account, detail: detail, at: now) }
    }

    /// Returns the first row of a statement without values.
    package func first<Result>(
        _ sql: String, read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result? {
        try first(sql, [], read: read)
    }

    /// Returns all rows of a statement without values.
    package func all<Result>(
        _ sql: String, read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [Result] {
        try all(sql, [], read: read)
    }

    /// Returns the number that a statement selects; 0 without a row.
    package func number(_ sql: String, _ values: [SQLValue] = []) throws(IdentityError) -> Int {
        Int(try first(sql, values) { row throws(IdentityError) in try row.integer(0) } ?? 0)
    }

    /// Adds an entry to the audit log, and stores it for listeners, in the transaction of the change.
    package func audit(_ event: String, account: String?, detail: String? = nil, at now: Date) throws(IdentityError) {
        try tell([try addAuditEntry(event, account: account, detail: detail, at: now)], at: now)
    }
}
