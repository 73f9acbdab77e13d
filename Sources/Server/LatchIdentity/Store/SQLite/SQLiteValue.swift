// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A value on its way into a statement.
enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// NULL for nil.
    static func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }

    /// NULL for nil; an empty blob is another thing.
    static func blob(_ value: [UInt8]?) -> SQLiteValue { value.map { .blob($0) } ?? .null }

    /// Dates are kept as whole milliseconds since 1970, which sort and compare in SQL.
    static func date(_ value: Date) -> SQLiteValue { .integer(value.storedMilliseconds) }

    static func date(_ value: Date?) -> SQLiteValue { value.map { .date($0) } ?? .null }
}

extension Date {
    /// Milliseconds since 1970, the same again after a round trip, bounded so that no date of a caller can trap.
    var storedMilliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: min(max(milliseconds, -9e15), 9e15)) ?? 0
    }

    /// A date as it was stored; whole milliseconds, so that it equals the one that was written.
    init(storedMilliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(storedMilliseconds) / 1000)
    }
}
