// SPDX-License-Identifier: Apache-2.0

/// Fields that the schema does not name, as they came and in their order.
public struct UnknownFields: Sendable, Hashable {
    /// The fields, encoded.
    public private(set) var bytes: [UInt8]

    /// No fields.
    public init() { bytes = [] }

    /// Whether there are none.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Removes all of them.
    public mutating func removeAll() { bytes = [] }

    mutating func append(_ field: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: field) }

    mutating func append(contentsOf other: UnknownFields) { bytes += other.bytes }

    /// Adds a number, as a packed field holds one that its enum does not have.
    mutating func append(varint value: UInt64, number: UInt32) {
        append(varint: UInt64(number) << 3)
        append(varint: value)
    }

    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
