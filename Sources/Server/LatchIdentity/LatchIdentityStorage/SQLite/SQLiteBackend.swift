// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The embedded database: one SQLite file, one writer with group commit, and readers on their callers' threads.
final class SQLiteBackend: SQLBackend {
    /// The only connection that writes, on a separate queue.
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
        // A new file gets its tables and its application ID before its log; otherwise they would be in the log first.
        try SQLiteSchema.migrate(connection)
        try Self.enableLog(connection, timeout: busyTimeout)
        try Self.check(connection)
        writer = SQLiteWriter(connection)
        readers = SQLiteReaders(path: path)
    }

    let dialect = SQLDialect.sqlite
    var writeStatistics: WriteStatistics { writer.statistics }

    /// Reads on the caller's thread, without waiting for the writer.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try readers.read(body)
    }

    func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue],
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        let db = try readers.borrow()
        defer { readers.giveBack(db) }
        return try db.first(sql, values, read: read)
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

    /// Waits for the readers first, so that the writer can move the log into the file and no connection is left.
    func close() async {
        await readers.close()
        await writer.close()
        lock?.release()
    }

    /// Sets the pragmas of the writing connection, which SQLite does not keep in the file.
    private static func configure(_ connection: SQLiteConnection) throws(IdentityError) {
        // With a log, FULL adds one fsync per commit, which makes commits durable after a power cut.
        try connection.run("PRAGMA synchronous = FULL")
        // On Apple's systems fsync leaves data in the drive's cache, unlike F_FULLFSYNC. Elsewhere it has no effect.
        try connection.run("PRAGMA fullfsync = ON")
        try connection.run("PRAGMA foreign_keys = ON")
        // https://sqlite.org/security.html recommends OFF. But the triggers write to the full-text index, and SQLite
        // before 3.41 allows that only to trusted schemas. This connection registers no harmful function.
        try connection.run("PRAGMA trusted_schema = ON")
        // The size in bytes to which a log shrinks after a long reader let it grow: twice its usual content.
        try connection.run("PRAGMA journal_size_limit = 8388608")
        // Overwrites deleted content, so that a signed-out device's secret does not stay in the file.
        try connection.run("PRAGMA secure_delete = ON")
    }

    /// Enables the write-ahead log.
    ///
    /// SQLite does not wait for locks in this pragma. If another node that starts concurrently is migrating, this node
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

    /// Checks the integrity of a small file in a few milliseconds; damage of large files is reported when it is read.
    private static func check(_ connection: SQLiteConnection) throws(IdentityError) {
        guard try connection.number("PRAGMA page_count") <= 2048 else { return }
        let finding = try connection.first("PRAGMA quick_check(1)") { row throws(IdentityError) in try row.text(0) }
        guard finding == "ok" else { throw .corruptStore(finding ?? "it cannot be checked") }
    }
}
