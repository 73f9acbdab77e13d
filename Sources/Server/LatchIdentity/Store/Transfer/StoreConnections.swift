// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import LatchPostgres

/// The version of a store's schema.
package struct StoreSchema: Sendable, Hashable {
    /// The version that the store has; 0 for a database without tables.
    package let found: Int
    /// The version to which this program migrates it.
    package let latest: Int

    /// The numbers of the migrations that are due.
    package var due: ClosedRange<Int>? { found < latest ? found + 1...latest : nil }

    /// Requires the newest schema.
    fileprivate func requireLatest() throws(IdentityError) {
        guard found <= latest else { throw .newerSchema(found: found, known: latest) }
        guard found == latest else { throw .olderSchema(found: found, known: latest) }
    }
}

/// The connections of operations on a whole store; all calls block.
enum StoreConnections {
    /// Runs blocking work on a thread of its own.
    static func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Swift.Result<Result, IdentityError>, Never>) in
            DispatchQueue(label: "latch.store.transfer").async {
                continuation.resume(returning: Swift.Result(catching: body))
            }
        }
        return try result.get()
    }

    /// Reads the version of a store's schema, and changes nothing.
    static func schema(of location: String) throws(IdentityError) -> StoreSchema {
        guard IdentityStore.isDatabase(location) else {
            return try schema(of: try SQLiteConnection(path: location, access: .readOnly), location)
        }
        return try postgres(location) { try $0.schema() }
    }

    /// Requires that no server has a store open, also one whose file was removed or whose tables were emptied.
    ///
    /// - Throws: `IdentityError.storeInUse`.
    static func requireUnused(_ location: String) throws(IdentityError) {
        guard IdentityStore.isDatabase(location) else {
            guard !SQLiteFile.isOpen(location) else { throw .storeInUse(location) }
            return
        }
        try postgres(location) { try $0.requireAlone() }
    }

    /// Runs `body`, which only reads, with a store of any schema, and the version of that.
    static func inspecting<Result>(
        _ location: String, _ body: (any SQLConnection, StoreSchema) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        guard IdentityStore.isDatabase(location) else {
            let connection = try SQLiteConnection(path: location, access: .readOnly)
            return try body(connection, try schema(of: connection, location))
        }
        return try postgres(location, waits: false) { connection in
            try body(PostgresSession(connection, audit: PostgresAudit()), try connection.schema())
        }
    }

    /// Runs `body` with a store of the newest schema as it is at this moment, while servers go on.
    static func snapshot<Result>(
        of location: String, _ body: (any SQLConnection) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        guard IdentityStore.isDatabase(location) else {
            let connection = try SQLiteConnection(path: location, access: .readOnly)
            try connection.run("BEGIN")
            // The first read fixes the snapshot; a migration after it is not in it.
            try schema(of: connection, location).requireLatest()
            // The connection closes with its last use, which ends the transaction.
            return try body(connection)
        }
        return try postgres(location, isLimited: false) { connection in
            try connection.transaction(.snapshot) { connection in
                try connection.schema().requireLatest()
                return try body(PostgresSession(connection, audit: PostgresAudit()))
            }
        }
    }

    /// Runs `body` with a new and empty store, which is complete when the call returns, and is not there if it throws.
    ///
    /// The tables of PostgreSQL must have been made before.
    static func fill<Result>(
        _ location: String, _ body: (any SQLConnection) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        guard IdentityStore.isDatabase(location) else { return try fillFile(location, body) }
        return try postgres(location, isLimited: false) { connection in
            // A server that starts meanwhile makes keys of its own: one of both is rolled back.
            try connection.transaction(.serializable) { connection in
                try connection.schema().requireLatest()
                let result = try body(PostgresSession(connection, audit: PostgresAudit()))
                // One that had lost its connection before may be back.
                try connection.requireAlone()
                return result
            }
        }
    }

    /// Fills a file under a temporary name, which gets its own when it is complete.
    private static func fillFile<Result>(
        _ path: String, _ body: (any SQLConnection) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        // SQLite would put what is left of an earlier store's log into the new one. The store itself is named first.
        for rest in ["", "-wal", "-shm", "-journal"] where SQLiteFile.inode(of: path + rest) != nil {
            throw .storeNotEmpty(path + rest)
        }
        let file = try IdentityError.mapping { () throws(FileError) in try NewFile(path) }
        let result = try filled(file.temporaryPath, body)
        try IdentityError.mapping { () throws(FileError) in try file.publish() }
        return result
    }

    private static func filled<Result>(
        _ path: String, _ body: (any SQLConnection) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        // A crash leaves nothing that anybody opens: a log of it would be for nothing.
        try connection.run("PRAGMA journal_mode = MEMORY")
        try connection.run("PRAGMA foreign_keys = ON")
        // As in a server's store: the triggers write to the full-text index.
        try connection.run("PRAGMA trusted_schema = ON")
        try SQLiteSchema.migrate(connection)
        try connection.run("BEGIN IMMEDIATE")
        let result = try body(connection)
        try connection.run("COMMIT")
        return result
    }

    private static func schema(
        of connection: SQLiteConnection, _ path: String
    ) throws(IdentityError) -> StoreSchema {
        guard try connection.number("PRAGMA application_id") == SQLiteSchema.applicationID else {
            throw .notADatabase(path)
        }
        return StoreSchema(found: try connection.number("PRAGMA user_version"), latest: SQLiteSchema.latest)
    }

    /// Runs `body` with a connection of its own, which nothing repeats.
    ///
    /// - Parameters:
    ///   - isLimited: Whether statements, and the pauses of a transaction, have a time limit. That of a large store waits here for as
    ///     long as the other store reads, writes or verifies.
    ///   - waits: Whether a database that does not answer is waited for, as a server does.
    private static func postgres<Result>(
        _ location: String, isLimited: Bool = true, waits: Bool = true, _ body: (PostgresConnection) throws -> Result
    ) throws(IdentityError) -> Result {
        var configuration = PostgresConfiguration(location)
        if !isLimited { configuration.statementTimeout = nil }
        if !waits { configuration.retryTimeout = .zero }
        do {
            return try body(try connection(configuration))
        } catch {
            throw IdentityError(storing: error)
        }
    }

    /// Connects, also to a database that is away for a while, and reports the outage.
    private static func connection(
        _ configuration: PostgresConfiguration
    ) throws(PostgresError) -> PostgresConnection {
        let deadline = ContinuousClock.now + configuration.retryTimeout
        var isReported = false
        defer { if isReported { StoreOutages.changed(nil) } }
        while true {
            do throws(PostgresError) { return try PostgresConnection(configuration) } catch {
                guard error.isRepeatable, ContinuousClock.now < deadline else { throw error }
                if !isReported { StoreOutages.changed(IdentityError(error)) }
                isReported = true
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(300))
            }
        }
    }
}

extension PostgresConnection {
    /// The time for which connections of programs that have just ended may remain.
    private static let patience = Duration.seconds(3)

    /// Requires that no other program of this project is connected to the database.
    ///
    /// A server reads the date of its database every 15 seconds, and so keeps a connection. Names of others that a connection string
    /// gives (`application_name`) are known only if this one has the same.
    ///
    /// - Throws: `IdentityError.storeInUse`.
    fileprivate func requireAlone() throws {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let others = try all(
                """
                SELECT pid::bigint FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> ''
                    AND application_name IN ($1, current_setting('application_name')) ORDER BY pid
                """, [.text(PostgresConfiguration.applicationName)]
            ) { row throws(PostgresError) in try row.integer(0) }
            guard !others.isEmpty else { return }
            guard ContinuousClock.now < deadline else { throw IdentityError.storeInUse(connections: others) }
            // A transaction would else see the connections as they were at the first look.
            for statement in ["SELECT pg_stat_clear_snapshot()", "SELECT pg_sleep(0.1)"] { try run(statement) }
        }
    }

    /// Reads the version of the schema; 0 if there are no tables.
    fileprivate func schema() throws(PostgresError) -> StoreSchema {
        let exists = try first("SELECT to_regclass('latch_schema') IS NOT NULL") { row throws(PostgresError) in
            try row.integer(0) == 1
        }
        let found =
            exists == true
            ? try first("SELECT version FROM latch_schema WHERE id = 1") { row throws(PostgresError) in
                Int(try row.integer(0))
            } : nil
        return StoreSchema(found: found ?? 0, latest: PostgresSchema.latest)
    }
}
