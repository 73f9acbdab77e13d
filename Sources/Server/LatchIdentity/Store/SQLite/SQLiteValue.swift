// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A value to bind to a statement.
enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// Returns NULL for nil.
    static func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }

    /// Returns NULL for nil, but not for an empty blob.
    static func blob(_ value: [UInt8]?) -> SQLiteValue { value.map { .blob($0) } ?? .null }

    /// Returns a date as whole milliseconds since 1970, which sort and compare in SQL.
    static func date(_ value: Date) -> SQLiteValue { .integer(value.storedMilliseconds) }

    static func date(_ value: Date?) -> SQLiteValue { value.map { .date($0) } ?? .null }
}

extension Date {
    /// The milliseconds since 1970, bounded so that no date can overflow.
    var storedMilliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: min(max(milliseconds, -9e15), 9e15)) ?? 0
    }

    /// Creates a stored date.
    init(storedMilliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(storedMilliseconds) / 1000)
    }
}
