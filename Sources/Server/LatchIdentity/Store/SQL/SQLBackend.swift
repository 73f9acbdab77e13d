// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A database behind a store, with its connections.
protocol SQLBackend: Sendable {
    /// The database.
    var dialect: SQLDialect { get }
    /// The time for which the costs of the stored password hashes may be out of date; nil where they are counted with each change.
    var passwordCostAge: Duration? { get }
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

    /// Runs a statement that decides by itself whether it changes one row, and `body` if it has changed none.
    ///
    /// - Parameter row: The key of the row.
    /// - Returns: Nil if the statement has changed the row; otherwise the result of `body`, in whose transaction the statement
    ///   changes no row either.
    func change<Result: Sendable>(
        row: [UInt8], _ sql: String, _ values: [SQLValue],
        otherwise body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result?

    /// Returns the date of the database's server; nil if it is this process.
    func date() async throws(IdentityError) -> Date?

    /// Commits waiting writes and closes the connections.
    func close() async
}

extension SQLBackend {
    var passwordCostAge: Duration? { nil }

    func date() async throws(IdentityError) -> Date? { nil }

    func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue],
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await self.read { db throws(IdentityError) in try db.first(sql, values, read: read) }
    }

    /// Runs both in one transaction.
    func change<Result: Sendable>(
        row: [UInt8], _ sql: String, _ values: [SQLValue],
        otherwise body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await write { db throws(IdentityError) in try db.run(sql, values) == 1 ? nil : try body(db) }
    }
}
