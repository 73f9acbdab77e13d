// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A scalar Swift type of a field: a Boolean, a number, a string or bytes.
///
/// Generated code relies on the conformances below; other types cannot conform.
public protocol FieldValue: Hashable, Sendable {
    /// The access to fields of the type.
    static var fieldAccess: FieldAccess<Self> { get }
}

/// A scalar type that the keys of a map field can have.
public protocol MapKey: FieldValue {}

/// The reading and writing of singular fields of one scalar type.
public struct FieldAccess<Value: Sendable>: Sendable {
    let kind: StoredKind
    let read: @Sendable (MessageStorage, Int) -> Value
    let write: @Sendable (inout MessageStorage, Int, Value) -> Void
}

extension Bool: MapKey {
    /// The access to Boolean fields.
    public static var fieldAccess: FieldAccess<Bool> {
        FieldAccess(kind: .bool) {
            $0[bool: $1]
        } write: {
            $0[bool: $1] = $2
        }
    }
}

extension Int32: MapKey {
    /// The access to signed 32-bit fields.
    public static var fieldAccess: FieldAccess<Int32> {
        FieldAccess(kind: .int32) {
            $0[int32: $1]
        } write: {
            $0[int32: $1] = $2
        }
    }
}

extension Int64: MapKey {
    /// The access to signed 64-bit fields.
    public static var fieldAccess: FieldAccess<Int64> {
        FieldAccess(kind: .int64) {
            $0[int64: $1]
        } write: {
            $0[int64: $1] = $2
        }
    }
}

extension UInt32: MapKey {
    /// The access to unsigned 32-bit fields.
    public static var fieldAccess: FieldAccess<UInt32> {
        FieldAccess(kind: .uint32) {
            $0[uint32: $1]
        } write: {
            $0[uint32: $1] = $2
        }
    }
}

extension UInt64: MapKey {
    /// The access to unsigned 64-bit fields.
    public static var fieldAccess: FieldAccess<UInt64> {
        FieldAccess(kind: .uint64) {
            $0[uint64: $1]
        } write: {
            $0[uint64: $1] = $2
        }
    }
}

extension Float: FieldValue {
    /// The access to 32-bit floating-point fields.
    public static var fieldAccess: FieldAccess<Float> {
        FieldAccess(kind: .float) {
            $0[float: $1]
        } write: {
            $0[float: $1] = $2
        }
    }
}

extension Double: FieldValue {
    /// The access to 64-bit floating-point fields.
    public static var fieldAccess: FieldAccess<Double> {
        FieldAccess(kind: .double) {
            $0[double: $1]
        } write: {
            $0[double: $1] = $2
        }
    }
}

extension String: MapKey {
    /// The access to string fields.
    public static var fieldAccess: FieldAccess<String> {
        FieldAccess(kind: .string) {
            $0[string: $1]
        } write: {
            $0[string: $1] = $2
        }
    }
}

extension Data: FieldValue {
    /// The access to bytes fields.
    public static var fieldAccess: FieldAccess<Data> {
        FieldAccess(kind: .bytes) {
            $0[bytes: $1]
        } write: {
            $0[bytes: $1] = $2
        }
    }
}
