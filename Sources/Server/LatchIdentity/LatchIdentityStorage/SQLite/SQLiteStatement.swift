// SPDX-License-Identifier: Apache-2.0

internal import CLatchSQLite

/// A prepared statement, which its connection keeps for reuse.
final class SQLiteStatement {
    /// The SQLite handle, valid as long as the connection.
    let handle: OpaquePointer
    /// The connection; unowned, since it owns its statements.
    private unowned let connection: SQLiteConnection

    /// Compiles a text for repeated use.
    init(_ sql: String, on connection: SQLiteConnection) throws(IdentityError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, Int32(sql.utf8.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw connection.failure(code) }
        self.handle = handle
        self.connection = connection
        try requireOrder()
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds values in the order of the placeholders; SQLite copies them.
    ///
    /// Missing values are NULL; too many are an error (SQLITE_RANGE).
    func bind(_ values: [SQLValue]) throws(IdentityError) {
        for (offset, value) in values.enumerated() {
            let code = bind(value, at: Int32(offset + 1))
            guard code == SQLITE_OK else { throw connection.failure(code) }
        }
    }

    /// Steps once and returns whether there is a row.
    ///
    /// - Throws: The error of SQLite. The statement must then also be `reset`, or its lock on the file would remain.
    func step() throws(IdentityError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw connection.failure(code)
        }
    }

    /// Resets the statement for its next use, and clears the bound values, which may be secret.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// Requires that `$1`, `$2` … first appear in this order: to SQLite they are names, numbered as they appear.
    private func requireOrder() throws(IdentityError) {
        let count = sqlite3_bind_parameter_count(handle)
        guard count > 0 else { return }
        for index in 1...count {
            guard let name = sqlite3_bind_parameter_name(handle, index), name[0] == CChar(UInt8(ascii: "$")) else {
                continue
            }
            guard String(cString: name) == "$\(index)" else {
                throw .storeUnavailable("the parameters of a statement are out of order")
            }
        }
    }

    /// Binds one value, counted from 1, and returns the result code.
    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .integer(nil), .text(nil), .blob(nil): sqlite3_bind_null(handle, index)
        case .integer(let number?): sqlite3_bind_int64(handle, index, number)
        case .text(let text?): sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), copied)
        // A nil pointer would bind NULL, so an empty blob needs a different call.
        case .blob(let bytes?) where bytes.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let bytes?): sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), copied)
        }
    }
}

/// The value SQLITE_TRANSIENT, a macro that Swift cannot import: SQLite copies the bytes before the call returns.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
