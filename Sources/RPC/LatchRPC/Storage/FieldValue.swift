// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A scalar type of a field's value, as Swift has it; messages and enums have their own protocols.
public protocol FieldValue: Hashable, Sendable {
    /// How a value is kept.
    static var storedKind: StoredKind { get }
}

extension Bool: FieldValue {
    /// A truth value.
    public static var storedKind: StoredKind { .bool }
}
extension Int32: FieldValue {
    /// 32 bits with sign.
    public static var storedKind: StoredKind { .int32 }
}
extension Int64: FieldValue {
    /// 64 bits with sign.
    public static var storedKind: StoredKind { .int64 }
}
extension UInt32: FieldValue {
    /// 32 bits.
    public static var storedKind: StoredKind { .uint32 }
}
extension UInt64: FieldValue {
    /// 64 bits.
    public static var storedKind: StoredKind { .uint64 }
}
extension Float: FieldValue {
    /// A fraction of 32 bits.
    public static var storedKind: StoredKind { .float }
}
extension Double: FieldValue {
    /// A fraction of 64 bits.
    public static var storedKind: StoredKind { .double }
}
extension String: FieldValue {
    /// A text.
    public static var storedKind: StoredKind { .string }
}
extension Data: FieldValue {
    /// A run of bytes.
    public static var storedKind: StoredKind { .bytes }
}
