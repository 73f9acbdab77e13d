// SPDX-License-Identifier: Apache-2.0

/// A value to bind to a statement, with the type of its parameter, even for NULL.
///
/// The types are those of the server's store. Each statement text has one list of types, and so one plan.
package enum PostgresValue: Sendable, Hashable {
    /// A `bigint`.
    case integer(Int64?)
    /// A `text`, without NUL, which PostgreSQL rejects in texts.
    case text(String?)
    /// A `bytea`.
    case blob([UInt8]?)

    /// The object ID of the type (pg_type.dat), which never changes.
    var type: UInt32 {
        switch self {
        case .integer: PostgresType.int8
        case .text: PostgresType.text
        case .blob: PostgresType.bytea
        }
    }

    /// The binary format of the value; nil for NULL.
    var bytes: [UInt8]? {
        switch self {
        case .integer(let number): number.map { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        case .text(let text): text.map { Array($0.utf8) }
        case .blob(let bytes): bytes
        }
    }
}

/// The object IDs of the types that are read and bound.
enum PostgresType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let varchar: UInt32 = 1043
}

package struct PostgresStatement: Sendable {
    /// The text, with `$1`, `$2` … in place of the values.
    package let sql: String
    /// The values, in the order of their numbers.
    package let values: [PostgresValue]

    package init(_ sql: String, _ values: [PostgresValue] = []) {
        self.sql = sql
        self.values = values
    }
}
