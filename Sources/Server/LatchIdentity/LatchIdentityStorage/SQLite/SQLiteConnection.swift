// SPDX-License-Identifier: Apache-2.0

internal import CLatchSQLite
import LatchCore

/// A connection to a SQLite file, with its prepared statements.
///
/// `@unchecked Sendable`: a connection moves between threads, but one thread at a time uses it. Its owners ensure that:
/// the writer's queue and the readers' pool. So SQLite's own mutexes are disabled (SQLITE_OPEN_NOMUTEX).
package final class SQLiteConnection: SQLConnection, @unchecked Sendable {
    /// The access of a connection, which SQLite enforces.
    package enum Access {
        /// Only reads, and never creates, changes or checkpoints a file.
        case readOnly
        /// Reads and writes, and creates the file if it does not exist.
        case readWrite
    }

    /// The SQLite handle, for the statements of this connection; it is closed with the connection.
    package let handle: OpaquePointer
    private var isClosed = false
    /// The prepared statements by their text; values are bound and never in the text, so their number is small.
    private var statements: [String: SQLiteStatement] = [:]
    package let dialect = SQLDialect.sqlite
    package var auditChain: AuditChain?
    package var eventListeners: [EventListener] = []
    package var signedOutDevices = 0
    package var toldListeners: Set<String> = []
    /// The inode of the log at the first call of `hasLostLog`; nil before, and without a log.
    private var logInode: UInt64?
    /// The size and time of the file after the last commit.
    private var noted: (size: Int?, modified: Int64)?
    package var statementCount: Int { statements.count }

    /// Opens a connection.
    ///
    /// - Parameter busyTimeout: The time for which a call waits for another process's lock, before it throws
    ///   `IdentityError.storeBusy`.
    package init(path: String, access: Access, busyTimeout: Duration = .seconds(5)) throws(IdentityError) {
        var handle: OpaquePointer?
        let mode = access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Self.failure(code, message: "")
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout.milliseconds))
        // Keeps journals of statements and sorts in memory, so that only the store's folder is written to.
        sqlite3_exec(handle, "PRAGMA temp_store = MEMORY", nil, nil, nil)
    }

    deinit { close() }

    /// Closes the file, even if other references to the connection exist; it must not be used afterwards.
    ///
    /// The connections of a process share SQLite's index of the log. A connection that is closed late would apply it to
    /// another file at the same path.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Whether a transaction is open; SQLite rolls it back after some failures, such as a full disk.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file can only be read.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether the file has been moved, replaced or removed since it was opened (SQLITE_FCNTL_HAS_MOVED).
    ///
    /// A connection continues to write into an unlinked file. The check costs one `stat`.
    var hasMoved: Bool {
        var moved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }

    /// Returns whether the write-ahead log was removed or replaced since the first call, as backup tools do.
    ///
    /// Later commits would then be in no file at the next start.
    func hasLostLog() -> Bool {
        let inode = status(of: "-wal")?.inode
        if logInode == nil { logInode = inode }
        return inode != logInode
    }

    /// Notes the state of the file after a commit, for ``saveLostLog()``.
    func noteFile() { noted = status(of: "").map { ($0.size, $0.modified) } }

    /// Moves a removed log into the file, with all acknowledged commits.
    ///
    /// A log of another process stays. A file that has changed since the last commit also stays, since it may be an
    /// operator's backup.
    func saveLostLog() {
        guard logInode != nil, status(of: "-wal") == nil, let noted, let now = status(of: ""),
            noted == (now.size, now.modified)
        else { return }
        do throws(IdentityError) {
            try run("PRAGMA wal_checkpoint(FULL)", [])
            noteFile()
        } catch {
            // The caller reports `storeMoved`, which is the cause.
        }
    }

    private func status(of suffix: String) -> FileStatus? {
        sqlite3_db_filename(handle, "main").flatMap { FileStatus(of: String(cString: $0) + suffix) }
    }

    @discardableResult
    package func run(_ sql: String, _ values: [SQLValue]) throws(IdentityError) -> Int {
        try with(sql, values) { statement throws(IdentityError) in while try statement.step() {} }
        return Int(sqlite3_changes64(handle))
    }

    package func first<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result? {
        try with(sql, values) { statement throws(IdentityError) in
            try statement.step() ? try read(.sqlite(SQLiteRow(statement))) : nil
        }
    }

    package func all<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [Result] {
        try with(sql, values) { statement throws(IdentityError) in
            var results: [Result] = []
            while try statement.step() { results.append(try read(.sqlite(SQLiteRow(statement)))) }
            return results
        }
    }

    package var hasRoomForMail: Bool {
        get throws(IdentityError) { try number("SELECT count(*) FROM mail") < Self.maximumMails }
    }

    /// Runs `body` with a statement and its bound values, and resets the statement afterwards.
    private func with<Result>(
        _ sql: String, _ values: [SQLValue], _ body: (SQLiteStatement) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        let running = StatementWatch.begin(sql)
        defer { running?.end() }
        return try body(statement)
    }

    /// Returns the statement of a text, compiled at its first use, since compilation costs more than most executions.
    private func prepared(_ sql: String) throws(IdentityError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        let statement = try SQLiteStatement(sql, on: self)
        statements[sql] = statement
        return statement
    }
}

extension SQLiteConnection {
    /// Returns the error for the last result code; it reads the message immediately, since the next call changes it.
    package func failure(_ code: Int32) -> IdentityError {
        Self.failure(code, message: String(cString: sqlite3_errmsg(handle)))
    }

    /// Maps a result code (https://sqlite.org/rescode.html).
    ///
    /// SQLite's messages name tables and columns, never values.
    private static func failure(_ code: Int32, message: String) -> IdentityError {
        switch code & 0xFF {
        case SQLITE_CORRUPT: .corruptStore(message)
        case SQLITE_NOTADB: .notADatabase("The file")
        case SQLITE_READONLY, SQLITE_PERM: .readOnlyStore("The store")
        case SQLITE_FULL: .storeFull
        case SQLITE_BUSY, SQLITE_LOCKED: .storeBusy
        case SQLITE_CONSTRAINT where code == uniqueViolation || code == primaryKeyViolation:
            .alreadyExists
        case SQLITE_CANTOPEN: .storeUnavailable("its file cannot be opened or created")
        default: .storeUnavailable(message.isEmpty ? "SQLite reports \(code)" : message)
        }
    }
}

/// The extended codes SQLITE_CONSTRAINT_UNIQUE and _PRIMARYKEY, macros that Swift cannot import.
private let uniqueViolation = SQLITE_CONSTRAINT | (8 << 8)
private let primaryKeyViolation = SQLITE_CONSTRAINT | (6 << 8)

extension Duration {
    /// The duration in whole milliseconds, rounded toward zero.
    package var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
