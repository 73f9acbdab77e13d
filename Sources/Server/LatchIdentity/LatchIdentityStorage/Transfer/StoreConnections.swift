// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import LatchPostgres

/// The version of a store's schema.
package struct StoreSchema: Sendable, Hashable {
    /// The version of the store; 0 for a database without tables.
    package let found: Int
    /// The version that this program migrates it to.
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
package enum StoreConnections {
    /// Runs blocking work on a separate thread.
    package static func onThread<Result: Sendable>(
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

    /// Reads the version of a store's schema without changing the store.
    package static func schema(of location: String) throws(IdentityError) -> StoreSchema {
        guard IdentityStore.isDatabase(location) else {
            return try schema(of: try SQLiteConnection(path: location, access: .readOnly), location)
        }
        return try postgres(location) { try $0.schema() }
    }

    /// Requires that no server has opened a store, even if its file was removed or its tables were emptied.
    ///
    /// - Throws: `IdentityError.storeInUse`.
    package static func requireUnused(_ location: String) throws(IdentityError) {
        guard IdentityStore.isDatabase(location) else {
            guard !SQLiteFile.isOpen(location) else { throw .storeInUse(location) }
            return
        }
        try postgres(location) { try $0.requireAlone() }
    }

    /// Runs `body`, which only reads, with a store of any schema and the schema's version.
    static func inspecting<Result>(
        _ location: String, _ body: (any SQLConnection, StoreSchema) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        guard IdentityStore.isDatabase(location) else {
            let connection = try SQLiteConnection(path: location, access: .readOnly)
            return try body(connection, try schema(of: connection, location))
        }
        return try postgres(location, waits: false) { connection in
            try body(PostgresCall(connection, audit: PostgresAudit()), try connection.schema())
        }
    }

    /// Runs `body` with the current content of a store of the newest schema, while servers continue.
    package static func snapshot<Result>(
        of location: String, _ body: (any SQLConnection) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        guard IdentityStore.isDatabase(location) else {
            let connection = try SQLiteConnection(path: location, access: .readOnly)
            try connection.run("BEGIN")
            // The first read fixes the snapshot, so a later migration is not in it.
            try schema(of: connection, location).requireLatest()
            // The connection is closed after its last use, which ends the transaction.
            return try body(connection)
        }
        return try postgres(location, isLimited: false) { connection in
            try connection.transaction(.snapshot) { connection in
                try connection.schema().requireLatest()
                return try body(PostgresCall(connection, audit: PostgresAudit()))
            }
        }
    }

    /// Runs `body` with a new empty store, which is complete when the call returns; after an error it does not exist.
    ///
    /// The tables of PostgreSQL must already exist.
    package static func fill<Result>(
        _ location: String, _ body: (any SQLConnection) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        guard IdentityStore.isDatabase(location) else { return try fillFile(location, body) }
        return try postgres(location, isLimited: false) { connection in
            // A server that starts in the meantime creates other keys; then one of both transactions is rolled back.
            try connection.transaction(.serializable) { connection in
                try connection.schema().requireLatest()
                let result = try body(PostgresCall(connection, audit: PostgresAudit()))
                // A server that had lost its connection before may have connected again.
                try connection.requireAlone()
                return result
            }
        }
    }

    /// Fills a file with a temporary name, and renames it when it is complete.
    private static func fillFile<Result>(
        _ path: String, _ body: (any SQLConnection) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        // SQLite would apply the remaining log of an earlier store to the new one. The store is reported first.
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
        // After a crash no program opens the file, so a journal on disk would be useless.
        try connection.run("PRAGMA journal_mode = MEMORY")
        try connection.run("PRAGMA foreign_keys = ON")
        // As in a server's store, the triggers write to the full-text index.
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

    /// Runs `body` with a separate connection, without retries.
    ///
    /// - Parameters:
    ///   - isLimited: Whether statements, and the pauses of a transaction, have a time limit. The transaction of a
    ///     large store pauses while the other store reads, writes or verifies.
    ///   - waits: Whether to wait for an unavailable database, as a server does.
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

    /// Connects, waits for a database that is unavailable for a while, and reports the outage.
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
    /// A server reads the date of its database every 15 seconds, and so keeps a connection. A server whose connection
    /// string sets `application_name` is found only if this connection string sets the same name.
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
            // Otherwise a transaction would see the connections of the first query again.
            for statement in ["SELECT pg_stat_clear_snapshot()", "SELECT pg_sleep(0.1)"] { try run(statement) }
        }
    }

    /// Reads the version of the schema; 0 without tables.
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
