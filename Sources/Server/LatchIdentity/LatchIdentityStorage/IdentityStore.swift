// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
import LatchPostgres
import Synchronization

/// The durable storage of the auth server: one SQLite file, or a PostgreSQL database that several nodes share.
///
/// Each change is one transaction, and durable when the call returns. The call also decides its conditions, for example
/// that the token is unused or the password has not changed. No caller reads first and writes later. Each aggregate has
/// an extension in a separate file, with the same statements for both databases.
package final class IdentityStore: Sendable {
    /// The database.
    package let backend: any SQLBackend
    /// The durations of the calls.
    package let calls = StoreCalls()
    /// The number of writes that have ended, including failed ones.
    private let writes = Atomic(0)
    /// The costs of the stored password hashes, with the time of the reading.
    let passwordCostsRead = Mutex<(costs: PasswordCosts, at: ContinuousClock.Instant)?>(nil)
    /// The numbers of accounts by class, with the time of the reading.
    let classTotalsRead = Mutex<(totals: [AccountClass: Int], at: ContinuousClock.Instant)?>(nil)

    /// The watch over calls that fail because of the store.
    package let failures = StoreFailures()
    /// The receiver of what durable writes have stored for listeners.
    private let eventReport = Mutex<EventReport?>(nil)

    /// Creates a store over an open database.
    package init(_ backend: any SQLBackend) { self.backend = backend }

    /// Opens a SQLite file, creates it if it does not exist, and migrates it to the newest schema.
    ///
    /// - Throws: `IdentityError.corruptStore`, `.notADatabase`, `.newerSchema`, `.readOnlyStore`, `.storeFull`,
    ///   `.storeBusy` or `.storeUnavailable`; the file is then unchanged.
    package convenience init(path: String, busyTimeout: Duration = .seconds(5)) throws(IdentityError) {
        self.init(try SQLiteBackend(path: path, busyTimeout: busyTimeout))
    }

    /// Opens the store of a location: the path of a SQLite file, or a URI of PostgreSQL.
    ///
    /// - Throws: As ``init(path:busyTimeout:)``.
    package static func open(_ location: String) async throws(IdentityError) -> IdentityStore {
        guard isDatabase(location) else { return try IdentityStore(path: location) }
        return IdentityStore(try await PostgresBackend.open(location))
    }

    /// Returns whether a location is a URI of PostgreSQL, and not the path of a file.
    package static func isDatabase(_ location: String) -> Bool { PostgresConfiguration.scheme(of: location) != nil }

    /// Commits waiting writes and closes the store; later calls throw `IdentityError.storeClosed`.
    package func close() async { await backend.close() }

    /// Calls `body` after each write that has stored events, with the names of their listeners.
    package func onEvents(_ body: @escaping @Sendable (Set<String>) -> Void) {
        eventReport.withLock { $0 = EventReport(added: body) }
    }

    /// Runs `body`, which only reads, with a separate connection.
    package func read<Result: Sendable>(
        operation: String = #function, _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await measured(operation, .read) { () throws(IdentityError) in try await backend.read(body) }
    }

    /// Runs `body` like `read`; all of its statements see the store in the state of the first one.
    package func snapshot<Result: Sendable>(
        operation: String = #function, _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await measured(operation, .read) { () throws(IdentityError) in try await backend.snapshot(body) }
    }

    /// Runs `body` in a serializable transaction, and returns when it is durable.
    ///
    /// `body` may run several times.
    ///
    /// - Throws: The error of `body` or of the transaction; in both cases nothing of `body` remains.
    package func write<Result: Sendable>(
        operation: String = #function, _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        // A failed write also counts, since its outcome may be unknown.
        defer { writes.add(1, ordering: .sequentiallyConsistent) }
        return applied(
            try await measured(operation, .write) { () throws(IdentityError) in
                try await backend.write(Self.notingEffects(body))
            })
    }

    /// Runs a statement as ``SQLBackend/change(row:_:then:read:otherwise:)`` does.
    package func change<Result: Sendable>(
        row: [UInt8], _ statement: SQLStatement, then query: SQLStatement, operation: String = #function,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result,
        otherwise body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        defer { writes.add(1, ordering: .sequentiallyConsistent) }
        return try await measured(operation, .write) { () throws(IdentityError) in
            try await backend.change(
                row: row, statement, then: query,
                read: { row throws(IdentityError) in (try read(row), WriteEffects()) },
                otherwise: Self.notingEffects(body))
        }.map(applied)
    }

    /// What a write has done besides its result.
    private struct WriteEffects {
        var signedOut = 0
        var told: Set<String> = []
    }

    /// Wraps `body` so that it also returns the effects of its write.
    private static func notingEffects<Result>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) -> @Sendable (any SQLConnection) throws(IdentityError) -> (Result, WriteEffects) {
        { db throws(IdentityError) in
            // The effects of an earlier attempt were rolled back.
            (db.signedOutDevices, db.toldListeners) = (0, [])
            return (try body(db), WriteEffects(signedOut: db.signedOutDevices, told: db.toldListeners))
        }
    }

    /// Counts the devices that a durable write has signed out, reports its events, and returns its result.
    private func applied<Result>(_ outcome: (result: Result, effects: WriteEffects)) -> Result {
        if outcome.effects.signedOut > 0 { calls.addSignedOut(outcome.effects.signedOut) }
        if !outcome.effects.told.isEmpty { eventReport.withLock { $0 }?.added(outcome.effects.told) }
        return outcome.result
    }

    /// Runs a statement as ``SQLBackend/update(_:read:)`` does.
    ///
    /// It does not change rows of sessions, so it does not increase the version.
    package func update<Result: Sendable>(
        _ sql: String, _ values: [SQLValue], operation: String = #function,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await updateAll(sql, values, operation: operation, read: read).first
    }

    /// Runs a statement as ``update(_:_:operation:read:)`` does, and returns all rows of its result.
    package func updateAll<Result: Sendable>(
        _ sql: String, _ values: [SQLValue], operation: String = #function,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> [Result] {
        try await measured(operation, .write) { () throws(IdentityError) in
            try await backend.update(SQLStatement(sql, values), read: read)
        }
    }

    /// Returns the first row of a query by key; where a query takes a round trip, concurrent calls share it.
    package func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue], operation: String = #function,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        try await measured(operation, .read) { () throws(IdentityError) in
            try await backend.first(sql, values, read: read)
        }
    }

    /// Returns all rows of a query.
    package func all<Result: Sendable>(
        _ sql: String, _ values: [SQLValue], operation: String = #function,
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> [Result] {
        try await self.read(operation: operation) { db throws(IdentityError) in try db.all(sql, values, read: read) }
    }
}

extension IdentityStore {
    /// A number that grows with each write of this process, before its caller gets the result.
    ///
    /// Writes by `update(_:read:)`, such as those of the health check, do not count.
    package var version: Int { writes.load(ordering: .sequentiallyConsistent) }
    /// The commits since the store was opened, for the metrics.
    package var writeStatistics: WriteStatistics { backend.writeStatistics }
    /// The reason why the store's database cannot currently be reached; nil if it can.
    package var outage: IdentityError? { backend.outage }
    /// The durations of the calls since the store was opened, for the metrics.
    package var callSamples: [MetricSample] { calls.samples }

    /// Commits a no-op write, which proves that the store can commit.
    ///
    /// It replaces one row, which costs a commit like that of a login, and adds no rows.
    package func checkHealth(at now: Date) async throws(IdentityError) {
        _ = try await update(
            "INSERT INTO heartbeat (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
            [.date(now)]
        ) { _ in }
    }

    /// Returns the date of the database that several nodes share; nil for a file, which uses this machine's date.
    package func date(by local: WallClock) async throws(IdentityError) -> StoreDate? {
        try await measured(#function, .read) { () throws(IdentityError) in try await backend.date(by: local) }
    }

    /// Requires a separate database session for each connection to a shared database, as behind a session pooler.
    package func requireOwnSessions() async throws(IdentityError) {
        try await measured(#function, .read) { () throws(IdentityError) in try await backend.requireOwnSessions() }
    }

    /// The number of rows that one pruning transaction removes, which takes tens of milliseconds.
    private static let pruningBatch = 5000

    /// Removes the rows that ended before `date`.
    ///
    /// These are devices, challenges, codes, device authorizations, pushed requests, mailed tokens, used attempts,
    /// notices to clients, address changes, initial tokens, API keys and unused clients.
    package func prune(endedBefore date: Date) async throws(IdentityError) {
        let tables: KeyValuePairs = [
            "device": "id", "one_time_token": "digest", "sign_in_challenge": "digest", "sign_in_code": "digest",
            "spent_sign_in": "digest", "authorization_code": "digest", "device_authorization": "digest",
            "pushed_request": "digest", "initial_token": "digest", "api_key": "digest",
            "address_challenge": "id", "client_notice": "device_id",
        ]
        for (table, key) in tables {
            var removed: Int
            repeat {
                // Other writers run between the batches.
                removed = try await write { db throws(IdentityError) in
                    try db.run(
                        """
                        DELETE FROM \(table) WHERE \(key) IN (
                            SELECT \(key) FROM \(table) WHERE expires_at < $1 LIMIT \(Self.pruningBatch))
                        """, [.date(date)])
                }
            } while removed == Self.pruningBatch
        }
        try await removeUnusedClients(endedBefore: date)
        _ = try await write { db throws(IdentityError) in
            // If its emails still wait since the server was down, the change has not begun for its user.
            try db.run(
                """
                DELETE FROM email_change WHERE expires_at < $1 AND NOT EXISTS (
                    SELECT 1 FROM mail WHERE mail.account_id = email_change.account_id
                    AND mail.purpose IN ('newAddress', 'oldAddress'))
                """, [.date(date)])
        }
    }
}

/// The statistics of a store's writes; with group commit there are more jobs than commits.
package struct WriteStatistics: Sendable, Hashable {
    /// The number of transactions, each of them one fsync.
    package var commits = 0
    /// The number of committed writes, including those whose own conditions failed.
    package var jobs = 0
    /// The number of jobs in the largest commit.
    package var largestCommit = 0
    /// The number of transactions that were rolled back because they conflicted with concurrent ones.
    package var conflicts = 0
}
