// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The embedded database: one SQLite file, one writer with group commit, readers on their callers' threads.
final class SQLiteBackend: SQLBackend {
    /// The only connection that writes, on a queue of its own.
    private let writer: SQLiteWriter
    /// The read-only connections.
    private let readers: SQLiteReaders
    /// The lock that shows operators' commands that the store is open.
    private let lock: FileLock.Holder?

    /// Opens the file, creates it if it does not exist, and migrates it to the newest schema.
    init(path: String, busyTimeout: Duration) throws(IdentityError) {
        try SQLiteFile.prepare(path, knownSchema: SQLiteSchema.latest, applicationID: SQLiteSchema.applicationID)
        lock = SQLiteFile.hold(path)
        let connection = try SQLiteConnection(path: path, access: .readWrite, busyTimeout: busyTimeout)
        guard !connection.isReadOnly else { throw .readOnlyStore(path) }
        try Self.configure(connection)
        // A new file gets its tables and its application id before it has a log; else they would first be in it.
        try SQLiteSchema.migrate(connection)
        try Self.enableLog(connection, timeout: busyTimeout)
        try Self.check(connection)
        writer = SQLiteWriter(connection)
        readers = SQLiteReaders(path: path)
    }

    let dialect = SQLDialect.sqlite
    var writeStatistics: WriteStatistics { writer.statistics }

    /// Reads on the caller's own thread, without waiting for the writer.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try readers.read(body)
    }

    func snapshot<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try readers.snapshot(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await writer.write(body)
    }

    /// Waits for the readers first: then the writer can move the log into the file, and no connection is left when it returns.
    func close() async {
        await readers.close()
        await writer.close()
        lock?.release()
    }

    /// Sets the pragmas of the writing connection, which SQLite does not keep in the file.
    private static func configure(_ connection: SQLiteConnection) throws(IdentityError) {
        // With a log, FULL adds the one fsync per commit that makes "durable" true after a power cut.
        try connection.run("PRAGMA synchronous = FULL")
        // On Apple's systems fsync leaves the content in the drive's cache, and F_FULLFSYNC does not; elsewhere no effect.
        try connection.run("PRAGMA fullfsync = ON")
        try connection.run("PRAGMA foreign_keys = ON")
        // https://sqlite.org/security.html recommends OFF. But the triggers write to the full-text index, which SQLite
        // before 3.41 allows to trusted schemas alone; no harmful function is registered on this connection.
        try connection.run("PRAGMA trusted_schema = ON")
        // A log that a long reader let grow becomes this small again, in bytes: twice what usually waits in it.
        try connection.run("PRAGMA journal_size_limit = 8388608")
        // Deleted content is overwritten: a signed-out device's secret does not stay in the file.
        try connection.run("PRAGMA secure_delete = ON")
    }

    /// Enables the write-ahead log.
    ///
    /// SQLite does not wait for locks in this pragma: if another node that starts concurrently is migrating, this one
    /// waits for a write transaction and tries again.
    private static func enableLog(_ connection: SQLiteConnection, timeout: Duration) throws(IdentityError) {
        let start = ContinuousClock.now
        while true {
            do throws(IdentityError) {
                try connection.run("PRAGMA journal_mode = WAL")
                return
            } catch {
                guard error == .storeBusy, ContinuousClock.now - start < timeout else { throw error }
            }
            try connection.run("BEGIN IMMEDIATE")
            try connection.run("COMMIT")
        }
    }

    /// Checks the integrity of a small file, which takes a few milliseconds; damage of others is reported when it is met.
    private static func check(_ connection: SQLiteConnection) throws(IdentityError) {
        guard try connection.number("PRAGMA page_count") <= 2048 else { return }
        let finding = try connection.first("PRAGMA quick_check(1)") { row throws(IdentityError) in try row.text(0) }
        guard finding == "ok" else { throw .corruptStore(finding ?? "it cannot be checked") }
    }
}
