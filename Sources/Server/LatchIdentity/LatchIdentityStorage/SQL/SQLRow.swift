// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation
package import LatchPostgres

/// A row of a statement's result; columns are counted from 0.
///
/// A value whose type differs from the schema is damage, and is never read as a default value.
///
/// The `switch` statements are not inlined: the optimizer of Swift 6.3 crashes when it simplifies several of them over
/// one row.
package enum SQLRow: ~Copyable {
    case sqlite(SQLiteRow)
    case postgres(PostgresRow)

    /// Returns a whole number; 1 and 0 for a Boolean.
    @inline(never)
    package func integer(_ column: Int32) throws(IdentityError) -> Int64 {
        switch self {
        case .sqlite(let row): try row.integer(column)
        case .postgres(let row): try IdentityError.mapping { () throws(PostgresError) in try row.integer(column) }
        }
    }

    @inline(never)
    package func text(_ column: Int32) throws(IdentityError) -> String {
        switch self {
        case .sqlite(let row): try row.text(column)
        case .postgres(let row): try IdentityError.mapping { () throws(PostgresError) in try row.text(column) }
        }
    }

    /// Returns bytes.
    @inline(never)
    package func blob(_ column: Int32) throws(IdentityError) -> [UInt8] {
        switch self {
        case .sqlite(let row): try row.blob(column)
        case .postgres(let row): try IdentityError.mapping { () throws(PostgresError) in try row.blob(column) }
        }
    }

    /// Returns whether the column is NULL.
    @inline(never)
    package func isNull(_ column: Int32) -> Bool {
        switch self {
        case .sqlite(let row): row.isNull(column)
        case .postgres(let row): row.isNull(column)
        }
    }

    /// Returns a date in milliseconds since 1970.
    package func date(_ column: Int32) throws(IdentityError) -> Date { Date(storedMilliseconds: try integer(column)) }

    /// Returns a whole number; nil for NULL.
    func optionalInteger(_ column: Int32) throws(IdentityError) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    /// Returns text; nil for NULL.
    package func optionalText(_ column: Int32) throws(IdentityError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// Returns bytes; nil for NULL.
    func optionalBlob(_ column: Int32) throws(IdentityError) -> [UInt8]? { isNull(column) ? nil : try blob(column) }

    /// Returns a date in milliseconds since 1970; nil for NULL.
    package func optionalDate(_ column: Int32) throws(IdentityError) -> Date? {
        isNull(column) ? nil : try date(column)
    }
}
