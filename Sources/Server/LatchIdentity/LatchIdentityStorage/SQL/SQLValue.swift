// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

/// A value to bind to a statement; nil is NULL with a type.
package enum SQLValue: Sendable, Hashable {
    case integer(Int64?)
    case text(String?)
    case blob([UInt8]?)

    /// Returns a date as whole milliseconds since 1970, which SQL can sort and compare.
    package static func date(_ value: Date?) -> SQLValue { .integer(value?.storedMilliseconds) }
}

extension SQLValue {
    /// The type of the value, also of a NULL.
    package var kind: StoreTable.Column.Kind {
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
    package var storedMilliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: min(max(milliseconds, -9e15), 9e15)) ?? 0
    }

    /// Creates a stored date.
    package init(storedMilliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(storedMilliseconds) / 1000)
    }
}

extension String {
    /// Whether a database can store the text: PostgreSQL refuses U+0000, which a client can send as ID or login name.
    var isStorable: Bool { !utf8.contains(0) }
}

/// The bytes of values in digests and backups.
///
/// The first byte is the type. A number follows in eight bytes. The length of a text or blob follows in four bytes
/// (big-endian), and then its bytes. NULL is the byte 0.
extension SQLValue {
    package func encode(into bytes: inout [UInt8]) {
        switch self {
        case .integer(let number?):
            bytes.append(1)
            bytes.append(bigEndian: UInt64(bitPattern: number))
        case .text(let text?):
            bytes.append(2)
            bytes.append(counted: Array(text.utf8))
        case .blob(let content?):
            bytes.append(3)
            bytes.append(counted: content)
        case .integer(nil), .text(nil), .blob(nil): bytes.append(0)
        }
    }

    /// Reads the value of a column.
    ///
    /// - Throws: `IdentityError.damagedBackup` for another type.
    package init(_ kind: StoreTable.Column.Kind, from reader: BackupReader) throws(IdentityError) {
        switch (kind, try reader.byte()) {
        case (.integer, 0): self = .integer(nil)
        case (.text, 0): self = .text(nil)
        case (.blob, 0): self = .blob(nil)
        case (.integer, 1): self = .integer(Int64(bitPattern: try reader.number()))
        case (.text, 2): self = .text(try reader.text())
        case (.blob, 3): self = .blob(try reader.counted())
        default: throw .damagedBackup
        }
    }
}

extension [UInt8] {
    /// Appends a number in eight bytes.
    package mutating func append(bigEndian number: UInt64) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends the length in four bytes, and then the bytes.
    package mutating func append(counted content: [UInt8]) {
        Swift.withUnsafeBytes(of: UInt32(clamping: content.count).bigEndian) { append(contentsOf: $0) }
        append(contentsOf: content)
    }
}
