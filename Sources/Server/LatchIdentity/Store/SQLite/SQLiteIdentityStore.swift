// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import PortableFoundation

/// The embedded store: one SQLite file, one writer with group commit, readers on their callers' threads.
///
/// Each aggregate's storage is an extension in a file of its own.
package final class SQLiteIdentityStore: IdentityStore {
    /// The only connection that writes, on a queue of its own.
    let writer: SQLiteWriter
    /// The read-only connections.
    let readers: SQLiteReaders

    /// Opens the store, creates it if it does not exist, and migrates it to the newest schema.
    ///
    /// - Throws: `IdentityError.corruptStore`, `.notADatabase`, `.newerSchema`, `.readOnlyStore`, `.storeFull`,
    ///   `.storeBusy` or `.storeUnavailable`; the file is then as it was.
    package init(path: String, busyTimeout: Duration = .seconds(5)) throws(IdentityError) {
        try SQLiteFile.prepare(path, knownSchema: SQLiteSchema.latest, applicationID: SQLiteSchema.applicationID)
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

    /// Closes the readers first, so that the writer can move the log into the file.
    package func close() async {
        readers.close()
        await writer.close()
    }

    /// Returns the first row of a query, read on the caller's thread.
    func first<Result>(
        _ sql: String, _ values: [SQLiteValue], read: (borrowing SQLiteRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result? {
        try readers.read { db throws(IdentityError) in try db.first(sql, values, read: read) }
    }

    /// Returns all rows of a query, read on the caller's thread.
    func all<Result>(
        _ sql: String, _ values: [SQLiteValue], read: (borrowing SQLiteRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [Result] {
        try readers.read { db throws(IdentityError) in try db.all(sql, values, read: read) }
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

extension SQLiteIdentityStore: StoreMaintenance {
    package var writeStatistics: WriteStatistics { writer.statistics }

    /// Replaces one row: it costs a commit as a login does, and leaves no growing trace.
    package func checkHealth(at now: Date) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            try db.run("INSERT OR REPLACE INTO heartbeat (id, at) VALUES (1, ?)", [.date(now)])
        }
    }

    package func prune(endedBefore date: Date) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) in
            let tables = [
                "device", "one_time_token", "sign_in_challenge", "sign_in_code", "spent_sign_in", "authorization_code",
                "device_authorization", "address_challenge",
            ]
            for table in tables {
                try db.run("DELETE FROM \(table) WHERE expires_at < ?", [.date(date)])
            }
            // A change whose mails still wait, because the server was down, has not begun for its user.
            try db.run(
                """
                DELETE FROM email_change WHERE expires_at < ? AND NOT EXISTS (
                    SELECT 1 FROM mail WHERE mail.account_id = email_change.account_id
                    AND mail.purpose IN ('newAddress', 'oldAddress'))
                """, [.date(date)])
        }
    }
}

extension SQLiteConnection {
    /// Returns the number that a statement selects; 0 if it selects no row.
    func number(_ sql: String, _ values: [SQLiteValue] = []) throws(IdentityError) -> Int {
        Int(try first(sql, values) { row throws(IdentityError) in try row.integer(0) } ?? 0)
    }
}
