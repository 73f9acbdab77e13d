// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore

/// The embedded store: one SQLite file, one writer with group commit, readers on their callers' threads.
package final class SQLiteIdentityStore: IdentityStore {
    /// The one connection that writes, on a queue of its own.
    let writer: SQLiteWriter
    /// Connections that cannot write, whatever statement they are given.
    let readers: SQLiteReaders

    /// Opens the store, creates it where there is none, and brings it to the newest schema.
    ///
    /// - Throws: `IdentityError.corruptStore`, `.notADatabase`, `.newerSchema`, `.readOnlyStore`, `.storeFull`,
    ///   `.storeBusy` or `.storeUnavailable`; the file is then as it was.
    package init(path: String, busyTimeout: Duration = .seconds(5)) throws(IdentityError) {
        try SQLiteFile.prepare(
            path, knownSchema: SQLiteSchema.latest, applicationID: SQLiteSchema.applicationID)
        let connection = try SQLiteConnection(path: path, access: .readWrite, busyTimeout: busyTimeout)
        guard !connection.isReadOnly else { throw .readOnlyStore(path) }
        try Self.configure(connection)
        // A new file gets its tables and its mark at once and before it has a log, in which they would be at first.
        try SQLiteSchema.migrate(connection)
        try Self.keepLog(connection, patience: busyTimeout)
        try Self.check(connection)
        writer = SQLiteWriter(connection)
        readers = SQLiteReaders(path: path)
    }

    package var tally: StoreTally { writer.tally }

    /// Readers first, so that the writer, as the last one, can fold the log into the file.
    package func close() async {
        readers.close()
        await writer.close()
    }

    /// What a connection that writes must be told each time: SQLite keeps none of it in the file.
    private static func configure(_ connection: SQLiteConnection) throws(IdentityError) {
        // With a log, FULL adds the one fsync per commit that makes "durable" true after a power cut.
        try connection.run("PRAGMA synchronous = FULL")
        try connection.run("PRAGMA foreign_keys = ON")
        // https://sqlite.org/security.html: what a file's schema says is data from outside, and OFF would be wished for. But our
        // own triggers write to the index of texts, which SQLite allows to trusted schemas alone until 3.41; nothing that
        // could do harm is registered on this connection, and those that read need no trust.
        try connection.run("PRAGMA trusted_schema = ON")
        // What is deleted is overwritten: a signed-out device's secret does not stay in the file.
        try connection.run("PRAGMA secure_delete = ON")
    }

    /// Begins to write through a log.
    ///
    /// SQLite waits for nobody there, since it holds a lock already that others may wait for: where another server that
    /// started at once is at its tables, this one waits for its turn as for any write, and tries again.
    private static func keepLog(_ connection: SQLiteConnection, patience: Duration) throws(IdentityError) {
        let start = ContinuousClock.now
        while true {
            do throws(IdentityError) {
                try connection.run("PRAGMA journal_mode = WAL")
                return
            } catch {
                guard error == .storeBusy, ContinuousClock.now - start < patience else { throw error }
            }
            try connection.run("BEGIN IMMEDIATE")
            try connection.run("COMMIT")
        }
    }

    /// Looks through a file that is small enough to be read whole in a few milliseconds; of others, damage is reported when
    /// it is met.
    private static func check(_ connection: SQLiteConnection) throws(IdentityError) {
        guard try connection.number("PRAGMA page_count") <= 2048 else { return }
        let finding = try connection.first("PRAGMA quick_check(1)") { row throws(IdentityError) in try row.text(0) }
        guard finding == "ok" else { throw .corruptStore(finding ?? "it cannot be checked") }
    }
}

extension SQLiteConnection {
    /// The one number that a statement gives; 0 where it gives none.
    func number(_ sql: String, _ values: [SQLiteValue] = []) throws(IdentityError) -> Int {
        Int(try first(sql, values) { row throws(IdentityError) in try row.integer(0) } ?? 0)
    }

    /// Notes what happened, in the same transaction as what happened.
    func audit(_ event: String, account: String?, detail: String? = nil, at now: Date) throws(IdentityError) {
        try run(
            "INSERT INTO audit (at, event, account_id, detail) VALUES (?, ?, ?, ?)",
            [.date(now), .text(event), .text(account), .text(detail)])
    }
}
