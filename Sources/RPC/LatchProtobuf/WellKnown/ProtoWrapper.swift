// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A scalar value that may be absent: the messages of `google/protobuf/wrappers.proto`.
public struct ProtoWrapper<Value: FieldValue>: Message {
    /// The schema of the wrapper message.
    public static var schema: MessageSchema { wrapperSchemas[Int(Value.fieldAccess.kind.rawValue)] }

    /// The storage of the field values.
    public var storage: MessageStorage

    /// Takes a storage with this message's schema, as the decoder creates it.
    public init(storage: MessageStorage) { self.storage = storage }

    /// Creates a message that holds a value.
    public init(_ value: Value) {
        storage = MessageStorage(Self.schema)
        self.value = value
    }

    /// The wrapped value.
    public var value: Value {
        get { Value.fieldAccess.read(storage, 0) }
        set { Value.fieldAccess.write(newValue, &storage, 0) }
    }
}

/// The schemas of the wrapper messages, in the order of `StoredKind`.
private let wrapperSchemas = [
    ("BoolValue", "bool"), ("Int32Value", "int32"), ("Int64Value", "int64"), ("UInt32Value", "uint32"),
    ("UInt64Value", "uint64"), ("FloatValue", "float"), ("DoubleValue", "double"), ("StringValue", "string"),
    ("BytesValue", "bytes"),
].map { MessageSchema("google.protobuf.\($0)", "1 value \($1)") }

/// A `google.protobuf.BoolValue`.
public typealias BoolValue = ProtoWrapper<Bool>
/// A `google.protobuf.BytesValue`.
public typealias BytesValue = ProtoWrapper<Data>
/// A `google.protobuf.DoubleValue`.
public typealias DoubleValue = ProtoWrapper<Double>
/// A `google.protobuf.FloatValue`.
public typealias FloatValue = ProtoWrapper<Float>
/// A `google.protobuf.Int32Value`.
public typealias Int32Value = ProtoWrapper<Int32>
/// A `google.protobuf.Int64Value`.
public typealias Int64Value = ProtoWrapper<Int64>
/// A `google.protobuf.StringValue`.
public typealias StringValue = ProtoWrapper<String>
/// A `google.protobuf.UInt32Value`.
public typealias UInt32Value = ProtoWrapper<UInt32>
/// A `google.protobuf.UInt64Value`.
public typealias UInt64Value = ProtoWrapper<UInt64>

extension ProtoWrapper: ExpressibleByBooleanLiteral where Value == Bool {
    /// Creates a message from a Boolean literal.
    public init(booleanLiteral value: Bool) { self.init(value) }
}

extension ProtoWrapper: ExpressibleByIntegerLiteral where Value: ExpressibleByIntegerLiteral {
    /// Creates a message from an integer literal.
    public init(integerLiteral value: Value.IntegerLiteralType) { self.init(Value(integerLiteral: value)) }
}

extension ProtoWrapper: ExpressibleByFloatLiteral where Value: ExpressibleByFloatLiteral {
    /// Creates a message from a floating-point literal.
    public init(floatLiteral value: Value.FloatLiteralType) { self.init(Value(floatLiteral: value)) }
}

extension ProtoWrapper: ExpressibleByUnicodeScalarLiteral, ExpressibleByExtendedGraphemeClusterLiteral,
    ExpressibleByStringLiteral
where Value == String {
    /// Creates a message from a string literal.
    public init(stringLiteral value: String) { self.init(value) }
}
