// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A value to bind to a statement; nil is NULL with a type.
enum SQLValue: Sendable, Hashable {
    case integer(Int64?)
    case text(String?)
    case blob([UInt8]?)

    /// Returns a date as whole milliseconds since 1970, which SQL can sort and compare.
    static func date(_ value: Date?) -> SQLValue { .integer(value?.storedMilliseconds) }
}

extension SQLValue {
    /// The type of the value, also of a NULL.
    var kind: StoreTable.Column.Kind {
        switch self {
        case .integer: .integer
        case .text: .text
        case .blob: .blob
        }
    }
}

extension Int64 {
    /// Returns the first of the 2²⁰ numbers of a millisecond since 1970.
    ///
    /// Lists of accounts and PostgreSQL's audit entries are in the order of these numbers.
    static func firstNumber(ofMillisecond time: Int64) -> Int64 {
        Swift.max(0, Swift.min(time, 8_000_000_000_000)) << 20
    }
}

extension Date {
    /// The milliseconds since 1970, bounded so that no date overflows.
    var storedMilliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: min(max(milliseconds, -9e15), 9e15)) ?? 0
    }

    /// Creates a stored date.
    init(storedMilliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(storedMilliseconds) / 1000)
    }
}

extension String {
    /// Whether a database can store the text: PostgreSQL refuses U+0000, which a client can send as ID or login name.
    var isStorable: Bool { !utf8.contains(0) }
}
