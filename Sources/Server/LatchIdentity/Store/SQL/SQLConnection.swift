// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// One connection to a database, as the aggregates use it: their statements are the same for every database.
///
/// A statement takes its values as `$1`, `$2` …, which appear first in this order. It is written as SQLite 3.39 and PostgreSQL 14
/// both understand it.
protocol SQLConnection: AnyObject {
    /// The database, for the few statements that differ.
    var dialect: SQLDialect { get }
    /// The digests of the audit log, once the server has their key.
    var auditChain: AuditChain? { get set }
    /// The number of devices that the write in progress has signed out.
    var signedOutDevices: Int { get set }
    /// Whether the outbox has room for a further mail.
    var hasRoomForMail: Bool { get throws(IdentityError) }
    /// The number of prepared statements, for tests that no input becomes part of a text.
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

    /// Adds an entry to the audit log, in the transaction of the change, and extends the chain to it.
    func addAuditEntry(_ event: String, account: String?, detail: String?, at now: Date) throws(IdentityError)

    /// Chains the entries that exist, of a log that has no chain yet.
    func chainAudit(_ chain: AuditChain) throws(IdentityError)

    /// Checks the chain of all entries.
    func verifyAudit(_ chain: AuditChain) throws(IdentityError) -> AuditVerification

    /// Returns the digest of all chains' entries before a time, since the last one; nil for one chain, or without entries.
    func auditAnchor(before date: Date) throws(IdentityError) -> AuditAnchor?

    /// Removes the oldest entries, and returns whether entries remain to be removed.
    func pruneAudit(
        before date: Date, keeping count: Int, atMost batch: Int, at now: Date
    ) throws(IdentityError) -> Bool
}

/// A database whose SQL differs from the others'.
enum SQLDialect: Sendable {
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
    /// Runs a statement, and reads the row of `query` if it has changed one row, or else runs `body`.
    func change<Result>(
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
    func run(_ sql: String) throws(IdentityError) -> Int { try run(sql, []) }

    /// Runs the statement for one list of values after the other.
    func run(_ sql: String, each rows: [[SQLValue]]) throws(IdentityError) {
        for values in rows { try run(sql, values) }
    }

    /// Runs the query for one list of values after the other.
    func all<Result>(
        _ sql: String, each rows: [[SQLValue]], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [[Result]] {
        var results: [[Result]] = []
        for values in rows { results.append(try all(sql, values, read: read)) }
        return results
    }

    /// Returns the first row of a statement without values.
    func first<Result>(
        _ sql: String, read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result? {
        try first(sql, [], read: read)
    }

    /// Returns all rows of a statement without values.
    func all<Result>(
        _ sql: String, read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [Result] {
        try all(sql, [], read: read)
    }

    /// Returns the number that a statement selects; 0 if it selects no row.
    func number(_ sql: String, _ values: [SQLValue] = []) throws(IdentityError) -> Int {
        Int(try first(sql, values) { row throws(IdentityError) in try row.integer(0) } ?? 0)
    }

    /// Adds an entry to the audit log, in the transaction of the change.
    func audit(_ event: String, account: String?, detail: String? = nil, at now: Date) throws(IdentityError) {
        try addAuditEntry(event, account: account, detail: detail, at: now)
    }
}
