// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

/// The columns of a table, the one list for statements, reading, copies and backups.
///
/// A case is named after its column in the spelling of Swift: `emailKey` is `email_key`. The columns of the primary key
/// come first.
package protocol TableColumn: RawRepresentable<Int32>, CaseIterable, Sendable {
    associatedtype Row

    /// The number of columns of the primary key.
    static var keyCount: Int { get }

    /// The names of all columns for a query; stored, since queries are frequent.
    static var list: String { get }

    /// The columns and the parameters of an insertion, `(id, name) VALUES ($1, $2)`; also stored.
    static var insertion: String { get }

    /// Returns the value of a row in this column; without a row, a NULL of the column's type.
    func value(of row: Row?) -> SQLValue
}

extension TableColumn {
    package static var keyCount: Int { 1 }

    /// The name in the database.
    package var name: String {
        var name: [UInt8] = []
        var wasUppercase = true
        for byte in String(describing: self).utf8 {
            let isUppercase = asciiLowercased(byte) != byte
            // An abbreviation such as ID is one word.
            if isUppercase, !wasUppercase { name.append(UInt8(ascii: "_")) }
            name.append(asciiLowercased(byte))
            wasUppercase = isUppercase
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Returns the names of all columns, with the table's name for a query with several tables.
    package static func names(in table: String? = nil) -> String {
        allCases.map { (table.map { $0 + "." } ?? "") + $0.name }.joined(separator: ", ")
    }

    /// Returns the values of ``list`` and ``insertion``.
    package static func texts() -> (list: String, insertion: String) {
        let parameters = allCases.map { "$\($0.rawValue + 1)" }.joined(separator: ", ")
        return (names(), "(\(names())) VALUES (\(parameters))")
    }

    /// Returns the values of a row, in the order of the columns.
    package static func values(of row: Row) -> [SQLValue] { allCases.map { $0.value(of: row) } }
}

/// Columns by name, in a query that selects all columns of a table.
///
/// `first` is the index of the table's first column in the query.
extension SQLRow {
    /// Returns a whole number.
    package func integer(_ column: some TableColumn, from first: Int32 = 0) throws(IdentityError) -> Int64 {
        try integer(first + column.rawValue)
    }

    package func text(_ column: some TableColumn, from first: Int32 = 0) throws(IdentityError) -> String {
        try text(first + column.rawValue)
    }

    /// Returns bytes.
    package func blob(_ column: some TableColumn, from first: Int32 = 0) throws(IdentityError) -> [UInt8] {
        try blob(first + column.rawValue)
    }

    package func date(_ column: some TableColumn, from first: Int32 = 0) throws(IdentityError) -> Date {
        try date(first + column.rawValue)
    }

    /// Returns text; nil for NULL.
    package func optionalText(_ column: some TableColumn, from first: Int32 = 0) throws(IdentityError) -> String? {
        try optionalText(first + column.rawValue)
    }

    /// Returns bytes; nil for NULL.
    func optionalBlob(_ column: some TableColumn, from first: Int32 = 0) throws(IdentityError) -> [UInt8]? {
        try optionalBlob(first + column.rawValue)
    }

    /// Returns a date; nil for NULL.
    package func optionalDate(_ column: some TableColumn, from first: Int32 = 0) throws(IdentityError) -> Date? {
        try optionalDate(first + column.rawValue)
    }
}
