// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation

/// A database of a store, with its connections.
package protocol SQLBackend: Sendable {
    /// The database.
    var dialect: SQLDialect { get }
    /// The maximum age of counts that read all accounts; nil if each change of an account updates them.
    var countAge: Duration? { get }
    /// The reason why currently no connection can be opened; nil if one can, or none is needed.
    var outage: IdentityError? { get }

    /// The commits since the database was opened.
    var writeStatistics: WriteStatistics { get }

    /// Runs `body`, which only reads, with a separate connection.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result

    /// Returns the first row of a query by key.
    func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue],
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result?

    /// Runs `body` like `read`; all of its statements see the database in the state of the first one.
    func snapshot<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result

    /// Runs `body` in a serializable transaction, and returns when it is durable.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result

    /// Runs a statement that changes one row or none; after a change, reads another row in the same transaction.
    ///
    /// - Parameter row: The key of the row.
    /// - Returns: After a change, the row of `query`, or nil if it finds none. Otherwise the result of `body`, in whose
    ///   transaction the statement changes no row either.
    func change<Result: Sendable>(
        row: [UInt8], _ statement: SQLStatement, then query: SQLStatement,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result,
        otherwise body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result?

    /// Runs a statement that decides which rows it changes, and returns the rows of its result.
    ///
    /// It is durable when the call returns, and no other statement sees a part of it. Unlike a transaction, it is never
    /// rolled back for a conflict.
    func update<Result: Sendable>(
        _ statement: SQLStatement, read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> [Result]

    /// Returns the date of the database's server; nil if the database runs in this process.
    func date(by local: WallClock) async throws(IdentityError) -> StoreDate?

    /// Requires a separate database session for each connection.
    ///
    /// - Throws: `IdentityError.databaseUnavailable` without separate sessions; no error if that is currently unknown.
    func requireOwnSessions() async throws(IdentityError)

    /// Commits waiting writes and closes the connections.
    func close() async
}

package struct SQLStatement: Sendable {
    package let text: String
    package let values: [SQLValue]

    init(_ text: String, _ values: [SQLValue]) {
        self.text = text
        self.values = values
    }
}

extension SQLBackend {
    package var countAge: Duration? { nil }
    package var outage: IdentityError? { nil }

    package func date(by local: WallClock) async throws(IdentityError) -> StoreDate? { nil }

    package func requireOwnSessions() async throws(IdentityError) {}

    package func update<Result: Sendable>(
        _ statement: SQLStatement, read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> [Result] {
        try await write { db throws(IdentityError) in try db.all(statement.text, statement.values, read: read) }
    }

    package func change<Result: Sendable>(
        row: [UInt8], _ statement: SQLStatement, then query: SQLStatement,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result,
        otherwise body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await write { db throws(IdentityError) in
            try db.change(statement, then: query, read: read, otherwise: body)
        }
    }
}
