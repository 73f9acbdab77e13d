// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation

/// A database behind a store, with its connections.
protocol SQLBackend: Sendable {
    /// The database.
    var dialect: SQLDialect { get }
    /// The time for which the costs of the stored password hashes may be out of date; nil where they are counted with each change.
    var passwordCostAge: Duration? { get }
    /// The reason why no connection can be made at present; nil if one could, or none is needed.
    var outage: IdentityError? { get }

    /// The commits since the database was opened.
    var writeStatistics: WriteStatistics { get }

    /// Runs `body`, which only reads, with a connection of its own.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result

    /// Returns the first row of a query that finds rows by a key.
    func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue],
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result?

    /// Runs `body` like `read`: all of its statements see the database as it is at the first one.
    func snapshot<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result

    /// Runs `body` in a transaction, as if no other ran concurrently, and returns once that is durable.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result

    /// Runs a statement that decides by itself whether it changes one row, and if it has, reads another row in the same
    /// transaction.
    ///
    /// - Parameter row: The key of the row.
    /// - Returns: The row of `query`, nil if it finds none; if the statement has changed no row, the result of `body`, in whose
    ///   transaction it changes none either.
    func change<Result: Sendable>(
        row: [UInt8], _ statement: SQLStatement, then query: SQLStatement,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result,
        otherwise body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result?

    /// Runs a statement that decides by itself which rows it changes, and returns the first row that it returns.
    ///
    /// It is durable when the call returns, and no other statement sees a part of it; unlike a transaction none
    /// undoes it.
    func update<Result: Sendable>(
        _ statement: SQLStatement, read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result?

    /// Returns the date of the database's server; nil if it is this process.
    func date(by local: WallClock) async throws(IdentityError) -> StoreDate?

    /// Requires that each connection has a session of the database to itself.
    ///
    /// - Throws: `IdentityError.databaseUnavailable` if it has not; no error where that cannot be told at present.
    func requireOwnSessions() async throws(IdentityError)

    /// Commits waiting writes and closes the connections.
    func close() async
}

/// A statement with its values.
struct SQLStatement: Sendable {
    let text: String
    let values: [SQLValue]

    init(_ text: String, _ values: [SQLValue]) {
        self.text = text
        self.values = values
    }
}

extension SQLBackend {
    var passwordCostAge: Duration? { nil }
    var outage: IdentityError? { nil }

    func date(by local: WallClock) async throws(IdentityError) -> StoreDate? { nil }

    func requireOwnSessions() async throws(IdentityError) {}

    func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue],
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await self.read { db throws(IdentityError) in try db.first(sql, values, read: read) }
    }

    func update<Result: Sendable>(
        _ statement: SQLStatement, read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await write { db throws(IdentityError) in try db.first(statement.text, statement.values, read: read) }
    }

    func change<Result: Sendable>(
        row: [UInt8], _ statement: SQLStatement, then query: SQLStatement,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result,
        otherwise body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await write { db throws(IdentityError) in
            try db.change(statement, then: query, read: read, otherwise: body)
        }
    }
}
