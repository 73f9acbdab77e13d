// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// A prepared statement, kept by its connection for the next time.
final class SQLiteStatement {
    /// Valid as long as its connection is, which keeps all of its statements.
    let handle: OpaquePointer
    /// Not retained: the connection owns its statements, and a reference back would keep both alive for ever.
    private unowned let connection: SQLiteConnection

    /// Compiles a text, for use again and again.
    init(_ sql: String, on connection: SQLiteConnection) throws(IdentityError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, Int32(sql.utf8.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw connection.failure(code) }
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// In the order of the placeholders; SQLite copies every value before this returns.
    ///
    /// Fewer values than placeholders leave the rest NULL, more are an error of SQLite's (SQLITE_RANGE).
    func bind(_ values: [SQLiteValue]) throws(IdentityError) {
        for (offset, value) in values.enumerated() {
            let code = bind(value, at: Int32(offset + 1))
            guard code == SQLITE_OK else { throw connection.failure(code) }
        }
    }

    /// Steps once: true when there is a row.
    ///
    /// - Throws: What SQLite reports. The statement must be `reset` then as well, or its lock on the file would stay.
    func step() throws(IdentityError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw connection.failure(code)
        }
    }

    /// Makes the statement ready for its next use and lets go of what was bound, which may be secret.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// The result code of binding one value, counted from 1.
    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .text(let text): sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), copied)
        // A nil pointer would bind NULL, so that an empty blob needs its own call.
        case .blob(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let bytes): sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), copied)
        }
    }
}

/// SQLITE_TRANSIENT, a macro that Swift cannot import: SQLite copies the bytes before the call returns.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
