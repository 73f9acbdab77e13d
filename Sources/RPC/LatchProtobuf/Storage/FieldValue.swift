// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A scalar Swift type of a field: a Boolean, a number, a string or bytes.
///
/// Generated code relies on the conformances below; other types cannot conform.
public protocol FieldValue: Hashable, Sendable {
    static var fieldAccess: FieldAccess<Self> { get }
}

/// A scalar type that the keys of a map field can have.
public protocol MapKey: FieldValue {}

/// The reading and writing of singular fields of one scalar type.
public struct FieldAccess<Value: Sendable>: Sendable {
    let kind: StoredKind
    let read: @Sendable (MessageStorage, Int) -> Value
    let write: @Sendable (Value, inout MessageStorage, Int) -> Void
}

extension FieldAccess where Value: StoredValue {
    fileprivate init() { self.init(kind: Value.kind, read: Value.load, write: Value.store) }
}

extension Bool: MapKey {
    /// The access to Boolean fields.
    public static var fieldAccess: FieldAccess<Bool> { FieldAccess() }
}

extension Int32: MapKey {
    /// The access to signed 32-bit fields.
    public static var fieldAccess: FieldAccess<Int32> { FieldAccess() }
}

extension Int64: MapKey {
    /// The access to signed 64-bit fields.
    public static var fieldAccess: FieldAccess<Int64> { FieldAccess() }
}

extension UInt32: MapKey {
    /// The access to unsigned 32-bit fields.
    public static var fieldAccess: FieldAccess<UInt32> { FieldAccess() }
}

extension UInt64: MapKey {
    /// The access to unsigned 64-bit fields.
    public static var fieldAccess: FieldAccess<UInt64> { FieldAccess() }
}

extension Float: FieldValue {
    /// The access to 32-bit floating-point fields.
    public static var fieldAccess: FieldAccess<Float> { FieldAccess() }
}

extension Double: FieldValue {
    /// The access to 64-bit floating-point fields.
    public static var fieldAccess: FieldAccess<Double> { FieldAccess() }
}

extension String: MapKey {
    /// The access to fields that hold UTF-8.
    public static var fieldAccess: FieldAccess<String> { FieldAccess() }
}

extension Data: FieldValue {
    /// The access to bytes fields.
    public static var fieldAccess: FieldAccess<Data> { FieldAccess() }
}
