// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
import LatchPostgres
import Synchronization

/// A PostgreSQL database that several nodes share.
///
/// Writes run as serializable transactions. So a closure that reads and then writes decides as if it were alone, as
/// with SQLite's single writer. Conflicting transactions are rolled back and repeated. A refresh is one statement,
/// which shares its round trip and commit with others.
package final class PostgresBackend: SQLBackend {
    private let database: PostgresDatabase
    private let configuration: PostgresConfiguration
    private let writer: PostgresWriter
    private let reader: PostgresReader
    private let audit = PostgresAudit()
    private let transactions = Mutex(0)

    private init(_ database: PostgresDatabase, _ configuration: PostgresConfiguration) {
        (self.database, self.configuration) = (database, configuration)
        writer = PostgresWriter(database)
        reader = PostgresReader(database)
    }

    /// Connects, and migrates the database to the newest schema.
    ///
    /// - Throws: `IdentityError.storeUnavailable` or `.newerSchema`.
    package static func open(_ connectionString: String) async throws(IdentityError) -> PostgresBackend {
        var configuration = PostgresConfiguration(connectionString)
        configuration.reportOutage = { StoreOutages.changed($0.map { IdentityError($0) }) }
        configuration.reportRoundTrip = { groups, duration in
            StatementWatch.ended(after: duration, Set(groups.joined().map(\.sql)))
        }
        let database = PostgresDatabase(configuration)
        do {
            try await PostgresSchema.namingOldServer(database) { [configuration] in
                try await requireOwnSession(database, configuration)
            }
            try await PostgresSchema.migrate(database)
        } catch {
            database.close()
            throw IdentityError(storing: error)
        }
        return PostgresBackend(database, configuration)
    }

    /// Refuses a database without Unicode, and a pooler that gives a session to other clients between transactions.
    ///
    /// A pooler that has just started is detected only when a second connection prepares the same statements as the
    /// first.
    private static func requireOwnSession(
        _ database: PostgresDatabase, _ configuration: PostgresConfiguration
    ) async throws {
        try await database.read { first in
            let encoding = try encoding(first)
            guard encoding == "UTF8" else { throw PostgresError.unsupportedEncoding(encoding) }
            _ = try self.encoding(try PostgresConnection(configuration))
        }
    }

    /// Opens a connection for the check, since a pooler can be switched to transaction pooling while the server runs.
    package func requireOwnSessions() async throws(IdentityError) {
        do { try await Self.requireOwnSession(database, configuration) } catch PostgresError.sharedSession {
            throw IdentityError(.sharedSession)
        } catch {
            // Other checks report whether the database is reachable.
        }
    }

    private static func encoding(_ connection: PostgresConnection) throws(PostgresError) -> String {
        try connection.first("SELECT current_setting('server_encoding')") { row throws(PostgresError) in
            try row.text(0)
        } ?? ""
    }

    package let dialect = SQLDialect.postgres
    package let countAge: Duration? = .seconds(60)

    package var outage: IdentityError? { database.outage.map { IdentityError($0) } }

    package var writeStatistics: WriteStatistics {
        let flights = writer.statistics
        let transactions = transactions.withLock { $0 }
        return WriteStatistics(
            commits: transactions + flights.flights, jobs: transactions + flights.calls,
            largestCommit: max(min(transactions, 1), flights.largestFlight), conflicts: database.conflictCount)
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        let body = repeatable(body)
        do { return try await database.read(body) } catch { throw IdentityError(storing: error) }
    }

    /// Sends the query together with those of concurrent calls.
    package func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue],
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        let result: PostgresResult
        do { result = try await reader.run(PostgresStatement(sql, values.map(\.postgres))) } catch {
            throw IdentityError(storing: error)
        }
        return result.count > 0 ? try read(.postgres(PostgresRow(result, 0))) : nil
    }

    package func snapshot<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        let body = repeatable(body)
        do { return try await database.transaction(.snapshot, body) } catch { throw IdentityError(storing: error) }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        let body = repeatable(body)
        let result: Result
        do { result = try await database.transaction(.serializable, body) } catch {
            throw IdentityError(storing: error)
        }
        transactions.withLock { $0 += 1 }
        return result
    }

    /// Sends both statements together with those of concurrent calls.
    ///
    /// If no row changes, the statement is repeated in the transaction of `body`.
    package func change<Result: Sendable>(
        row: [UInt8], _ statement: SQLStatement, then query: SQLStatement,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result,
        otherwise body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        let results: [PostgresResult]
        do {
            results = try await writer.run([statement.postgres, query.postgres], key: row)
        } catch {
            throw IdentityError(storing: error)
        }
        if results[0].changedRows == 1 {
            return results[1].count > 0 ? try read(.postgres(PostgresRow(results[1], 0))) : nil
        }
        return try await write { db throws(IdentityError) in
            try db.change(statement, then: query, read: read, otherwise: body)
        }
    }

    /// Runs the statement at READ COMMITTED, where it waits for rows that another statement changes.
    package func update<Result: Sendable>(
        _ statement: SQLStatement, read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> [Result] {
        let results: [PostgresResult]
        do {
            results = try await database.pipeline([statement.postgres])
        } catch {
            throw IdentityError(storing: error)
        }
        transactions.withLock { $0 += 1 }
        return try PostgresCall.rows(of: results[0], read: read)
    }

    package func date(by local: WallClock) async throws(IdentityError) -> StoreDate? {
        // Measured with an open connection, without the wait for one.
        try await read { db throws(IdentityError) in
            let start = local.uptime
            let date = try db.postgresDate()
            return date.map { StoreDate(date: $0, start: start, end: local.uptime) }
        }
    }

    package func close() async { database.close() }

    /// Wraps `body` for a connection, so that its errors let the database decide whether to repeat it.
    private func repeatable<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) -> @Sendable (PostgresConnection) throws -> Result {
        { [audit] connection in
            let call = PostgresCall(connection, audit: audit)
            do throws(IdentityError) { return try body(call) } catch {
                // A statement outside of a transaction only reads, so an unknown outcome does not matter.
                if let failure = call.failure, failure.isRepeatable || failure == .outcomeUnknown {
                    throw failure
                }
                throw error
            }
        }
    }
}

extension SQLStatement {
    /// The statement in the form of PostgreSQL's client.
    fileprivate var postgres: PostgresStatement { PostgresStatement(text, values.map(\.postgres)) }
}
