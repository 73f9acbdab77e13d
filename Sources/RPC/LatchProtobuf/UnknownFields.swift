// SPDX-License-Identifier: Apache-2.0

/// The encoded fields that the schema does not contain, in their original order.
public struct UnknownFields: Sendable, Hashable {
    /// The encoded fields.
    public private(set) var bytes: [UInt8]

    /// Creates an empty value.
    public init() { bytes = [] }

    /// Whether the message has no unknown fields.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Removes all unknown fields.
    public mutating func removeAll() { bytes = [] }

    mutating func append(_ field: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: field) }

    mutating func append(contentsOf other: UnknownFields) { bytes += other.bytes }

    /// Appends a varint field, for an unknown enum value in a packed field.
    mutating func append(varint value: UInt64, number: UInt32) {
        for var rest in [UInt64(number) << 3, value] {
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
        }
    }
}
