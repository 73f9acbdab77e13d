// SPDX-License-Identifier: Apache-2.0

internal import CLatchPostgres

/// The rows that a statement returned, and the number of rows that it changed.
///
/// `@unchecked Sendable`: libpq never changes a received result, and permits its use by any thread
/// (https://www.postgresql.org/docs/current/libpq-threading.html).
package final class PostgresResult: @unchecked Sendable {
    fileprivate let handle: OpaquePointer

    /// Takes ownership of a libpq result.
    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    /// The number of rows.
    package var count: Int { Int(PQntuples(handle)) }

    /// The number of rows that the statement inserted, changed, removed or returned.
    package var changedRows: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// libpq's status of the result.
    var status: Int32 { PQresultStatus(handle) }

    /// Returns a field of the error in this result; nil if the result has none.
    func errorField(_ field: Int) -> String? {
        PQresultErrorField(handle, Int32(clamping: field)).map { String(cString: $0) }
    }

    /// The name of the command that ran, such as `COMMIT`.
    var command: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

    /// Returns the first row, decoded by `read`; nil if there is none.
    package func first<Value, Failure>(
        _ read: (borrowing PostgresRow) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        count > 0 ? try read(PostgresRow(self, 0)) : nil
    }

    /// Returns all rows, each decoded by `read`.
    package func all<Value, Failure>(
        _ read: (borrowing PostgresRow) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        var values: [Value] = []
        for row in 0..<count { values.append(try read(PostgresRow(self, Int32(row)))) }
        return values
    }
}

/// A row of a result; column numbers begin at 0.
///
/// A column of an unexpected type throws ``PostgresError/mismatch`` and is never read as a default value.
package struct PostgresRow: ~Copyable {
    private let result: PostgresResult
    private let row: Int32

    /// Creates a view of a row, whose number must be less than the result's count.
    package init(_ result: PostgresResult, _ row: Int32) {
        self.result = result
        self.row = row
    }

    /// Returns a whole number; a Boolean is 1 or 0.
    package func integer(_ column: Int32) throws(PostgresError) -> Int64 {
        let number = try optionalInteger(column)
        guard let number else { throw mismatch(column, "a number") }
        return number
    }

    package func text(_ column: Int32) throws(PostgresError) -> String {
        let text = try optionalText(column)
        guard let text else { throw mismatch(column, "a text") }
        return text
    }

    /// Returns bytes.
    package func blob(_ column: Int32) throws(PostgresError) -> [UInt8] {
        let bytes = try optionalBlob(column)
        guard let bytes else { throw mismatch(column, "bytes") }
        return bytes
    }

    /// Returns whether the column is NULL.
    package func isNull(_ column: Int32) -> Bool { PQgetisnull(result.handle, row, column) != 0 }

    /// Returns a whole number; nil for NULL.
    package func optionalInteger(_ column: Int32) throws(PostgresError) -> Int64? {
        guard let bytes = bytes(column) else { return nil }
        let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch (PQftype(result.handle, column), bytes.count) {
        case (PostgresType.int8, 8): return Int64(bitPattern: value)
        case (PostgresType.int4, 4): return Int64(Int32(truncatingIfNeeded: value))
        case (PostgresType.int2, 2): return Int64(Int16(truncatingIfNeeded: value))
        case (PostgresType.bool, 1): return Int64(value)
        default: throw mismatch(column, "a number")
        }
    }

    /// Returns a text; nil for NULL.
    package func optionalText(_ column: Int32) throws(PostgresError) -> String? {
        guard let bytes = bytes(column) else { return nil }
        switch PQftype(result.handle, column) {
        case PostgresType.text, PostgresType.varchar, PostgresType.name:
            if let text = Self.text(of: bytes) { return text }
        default: break
        }
        throw mismatch(column, "a text")
    }

    /// Returns the text of bytes; nil if they are not UTF-8.
    private static func text(of bytes: UnsafeRawBufferPointer) -> String? {
        // ASCII is decoded in one step; the standard library's generic validation looks up several types first.
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return String(validating: bytes, as: UTF8.self) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns bytes; nil for NULL.
    package func optionalBlob(_ column: Int32) throws(PostgresError) -> [UInt8]? {
        guard let bytes = bytes(column) else { return nil }
        guard PQftype(result.handle, column) == PostgresType.bytea else { throw mismatch(column, "bytes") }
        return Array(bytes)
    }

    /// Returns the bytes of a column, valid as long as the result; nil for NULL and for a missing column.
    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        guard PQgetisnull(result.handle, row, column) == 0, let start = PQgetvalue(result.handle, row, column) else {
            return nil
        }
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result.handle, row, column)))
    }

    /// Returns an error that names the column but not its value.
    private func mismatch(_ column: Int32, _ type: String) -> PostgresError {
        .mismatch(column: PQfname(result.handle, column).map { String(cString: $0) } ?? "\(column)", wants: type)
    }
}
