// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
import PortableFoundation

/// The row that a statement stands on; read it at once, it is gone with the next step.
///
/// A column of another type than the schema promises is damage, not a default value.
struct SQLiteRow: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: SQLiteStatement) { self.statement = statement.handle }

    /// A whole number.
    func integer(_ column: Int32) throws(IdentityError) -> Int64 {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { throw mismatch(column) }
        return sqlite3_column_int64(statement, column)
    }

    /// Text, read by its length, so that a NUL within it does not end it.
    func text(_ column: Int32) throws(IdentityError) -> String {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT,
            let start = sqlite3_column_text(statement, column)
        else { throw mismatch(column) }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw mismatch(column) }
        return text
    }

    /// Bytes, copied out of SQLite's buffer.
    func blob(_ column: Int32) throws(IdentityError) -> [UInt8] {
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { throw mismatch(column) }
        let count = Int(sqlite3_column_bytes(statement, column))
        guard count > 0, let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A date in milliseconds.
    func date(_ column: Int32) throws(IdentityError) -> Date {
        Date(storedMilliseconds: try integer(column))
    }

    /// Whether the column is NULL, which is the only thing that the `optional…` functions take for nil.
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// Text; nil for NULL, while the empty text stays one.
    func optionalText(_ column: Int32) throws(IdentityError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// Bytes; nil for NULL, while no bytes at all stay a value.
    func optionalBlob(_ column: Int32) throws(IdentityError) -> [UInt8]? {
        isNull(column) ? nil : try blob(column)
    }

    /// A date in milliseconds since 1970; nil for NULL, while 0 is the first of January.
    func optionalDate(_ column: Int32) throws(IdentityError) -> Date? {
        isNull(column) ? nil : try date(column)
    }

    /// Names the column and not what stands in it.
    private func mismatch(_ column: Int32) -> IdentityError {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "\(column)"
        return .corruptStore("column \(name) holds a value of another type")
    }
}
