// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchPostgres
package import PortableFoundation
import Synchronization

/// A store in a SQL database: one SQLite file, or a PostgreSQL server that several nodes share.
///
/// Each aggregate's storage is an extension in a file of its own, with the same statements for both.
package final class SQLIdentityStore: IdentityStore {
    /// The database.
    let backend: any SQLBackend
    /// The durations of the calls.
    let calls = StoreCalls()
    /// The number of writes that have ended, in whatever way.
    private let writes = Atomic(0)
    /// The costs of the stored password hashes, with the time when they were read.
    let passwordCostsRead = Mutex<(costs: PasswordCosts, at: ContinuousClock.Instant)?>(nil)

    package let failures = StoreFailures()

    /// Creates a store over an open database.
    init(_ backend: any SQLBackend) { self.backend = backend }

    /// Opens a SQLite file, creates it if it does not exist, and migrates it to the newest schema.
    ///
    /// - Throws: `IdentityError.corruptStore`, `.notADatabase`, `.newerSchema`, `.readOnlyStore`, `.storeFull`,
    ///   `.storeBusy` or `.storeUnavailable`; the file is then as it was.
    package convenience init(path: String, busyTimeout: Duration = .seconds(5)) throws(IdentityError) {
        self.init(try SQLiteBackend(path: path, busyTimeout: busyTimeout))
    }

    /// Opens the store of a location: the path of a SQLite file, or a URI of PostgreSQL.
    ///
    /// - Throws: As ``init(path:busyTimeout:)``.
    package static func open(_ location: String) async throws(IdentityError) -> SQLIdentityStore {
        guard isDatabase(location) else { return try SQLIdentityStore(path: location) }
        return SQLIdentityStore(try await PostgresBackend.open(location))
    }

    /// Returns whether a location is a URI of PostgreSQL, and not the path of a file.
    package static func isDatabase(_ location: String) -> Bool { PostgresConfiguration.scheme(of: location) != nil }

    package func close() async { await backend.close() }

    /// Runs `body`, which only reads, with a connection of its own.
    func read<Result: Sendable>(
        operation: String = #function, _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await measured(operation, .read) { () throws(IdentityError) in try await backend.read(body) }
    }

    /// Runs `body` like `read`: all of its statements see the store as it is at the first one.
    func snapshot<Result: Sendable>(
        operation: String = #function, _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await measured(operation, .read) { () throws(IdentityError) in try await backend.snapshot(body) }
    }

    /// Runs `body` in a transaction, as if no other ran concurrently, and returns once that is durable.
    ///
    /// `body` may run several times.
    ///
    /// - Throws: The error of `body` or of the transaction; in both cases nothing of `body` remains.
    func write<Result: Sendable>(
        operation: String = #function, _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        // One that failed counts as well: its outcome may be unknown.
        defer { writes.add(1, ordering: .sequentiallyConsistent) }
        return counted(
            try await measured(operation, .write) { () throws(IdentityError) in
                try await backend.write(Self.countingSignedOut(body))
            })
    }

    /// Runs a statement as ``SQLBackend/change(row:_:then:read:otherwise:)`` does.
    func change<Result: Sendable>(
        row: [UInt8], _ statement: SQLStatement, then query: SQLStatement, operation: String = #function,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result,
        otherwise body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        defer { writes.add(1, ordering: .sequentiallyConsistent) }
        return try await measured(operation, .write) { () throws(IdentityError) in
            try await backend.change(
                row: row, statement, then: query, read: { row throws(IdentityError) in (try read(row), 0) },
                otherwise: Self.countingSignedOut(body))
        }.map(counted)
    }

    /// Returns a function that does what `body` does, and returns the number of devices that it has signed out as well.
    private static func countingSignedOut<Result>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) -> @Sendable (any SQLConnection) throws(IdentityError) -> (Result, Int) {
        { db throws(IdentityError) in
            // What an earlier attempt has signed out is undone.
            db.signedOutDevices = 0
            return (try body(db), db.signedOutDevices)
        }
    }

    /// Adds the devices that a durable write has signed out, and returns its result.
    private func counted<Result>(_ outcome: (result: Result, signedOut: Int)) -> Result {
        if outcome.signedOut > 0 { calls.addSignedOut(outcome.signedOut) }
        return outcome.result
    }

    /// Runs a statement as ``SQLBackend/update(_:read:)`` does.
    ///
    /// It changes rows that no session is read from, and so the version stays.
    func update<Result: Sendable>(
        _ sql: String, _ values: [SQLValue], operation: String = #function,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await measured(operation, .write) { () throws(IdentityError) in
            try await backend.update(SQLStatement(sql, values), read: read)
        }
    }

    /// Returns the first row of a query that finds rows by a key: where it takes a round trip, concurrent calls share it.
    func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue], operation: String = #function,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await measured(operation, .read) { () throws(IdentityError) in
            try await backend.first(sql, values, read: read)
        }
    }

    /// Returns all rows of a query.
    func all<Result: Sendable>(
        _ sql: String, _ values: [SQLValue], operation: String = #function,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> [Result] {
        try await self.read(operation: operation) { db throws(IdentityError) in try db.all(sql, values, read: read) }
    }
}

extension SQLIdentityStore: StoreMaintenance {
    package var version: Int { writes.load(ordering: .sequentiallyConsistent) }
    package var writeStatistics: WriteStatistics { backend.writeStatistics }
    package var outage: IdentityError? { backend.outage }
    package var callSamples: [MetricSample] { calls.samples }

    /// Replaces one row: it costs a commit as a login does, and leaves no growing trace.
    package func checkHealth(at now: Date) async throws(IdentityError) {
        _ = try await update(
            "INSERT INTO heartbeat (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
            [.date(now)]
        ) { _ in }
    }

    package func date(by local: WallClock) async throws(IdentityError) -> StoreDate? {
        try await measured(#function, .read) { () throws(IdentityError) in try await backend.date(by: local) }
    }

    package func requireOwnSessions() async throws(IdentityError) {
        try await measured(#function, .read) { () throws(IdentityError) in try await backend.requireOwnSessions() }
    }

    /// The rows that one transaction of a pruning removes: tens of milliseconds.
    private static let pruningBatch = 5000

    package func prune(endedBefore date: Date) async throws(IdentityError) {
        let tables: KeyValuePairs = [
            "device": "id", "one_time_token": "digest", "sign_in_challenge": "digest", "sign_in_code": "digest",
            "spent_sign_in": "digest", "authorization_code": "digest", "device_authorization": "digest",
            "address_challenge": "id",
        ]
        for (table, key) in tables {
            var removed: Int
            repeat {
                // Other writers come in between.
                removed = try await write { db throws(IdentityError) in
                    try db.run(
                        """
                        DELETE FROM \(table) WHERE \(key) IN (
                            SELECT \(key) FROM \(table) WHERE expires_at < $1 LIMIT \(Self.pruningBatch))
                        """, [.date(date)])
                }
            } while removed == Self.pruningBatch
        }
        _ = try await write { db throws(IdentityError) in
            // A change whose mails still wait, because the server was down, has not begun for its user.
            try db.run(
                """
                DELETE FROM email_change WHERE expires_at < $1 AND NOT EXISTS (
                    SELECT 1 FROM mail WHERE mail.account_id = email_change.account_id
                    AND mail.purpose IN ('newAddress', 'oldAddress'))
                """, [.date(date)])
        }
    }
}
