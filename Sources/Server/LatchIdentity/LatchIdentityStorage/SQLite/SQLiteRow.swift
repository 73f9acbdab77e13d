// SPDX-License-Identifier: Apache-2.0

internal import CLatchSQLite

/// The current row of a statement, valid until its next step.
///
/// A value whose type differs from the schema is damage, and is never read as a default value.
package struct SQLiteRow: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: SQLiteStatement) { self.statement = statement.handle }

    /// Returns a whole number.
    package func integer(_ column: Int32) throws(IdentityError) -> Int64 {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { throw mismatch(column) }
        return sqlite3_column_int64(statement, column)
    }

    /// Returns text, read by its length, so that NUL is a part of it.
    package func text(_ column: Int32) throws(IdentityError) -> String {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT,
            let start = sqlite3_column_text(statement, column)
        else { throw mismatch(column) }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw mismatch(column) }
        return text
    }

    /// Returns bytes.
    package func blob(_ column: Int32) throws(IdentityError) -> [UInt8] {
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { throw mismatch(column) }
        let count = Int(sqlite3_column_bytes(statement, column))
        guard count > 0, let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Returns whether the column is NULL.
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// Returns an error that names the column, but not its value.
    private func mismatch(_ column: Int32) -> IdentityError {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "\(column)"
        return .corruptStore("column \(name) holds a value of another type")
    }
}
