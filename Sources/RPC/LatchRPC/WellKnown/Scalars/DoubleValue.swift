// SPDX-License-Identifier: Apache-2.0

/// A 64-bit float that knows whether it is there: `google.protobuf.DoubleValue`.
public struct DoubleValue: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.DoubleValue", "1 value double", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a value.
    public init(_ value: Double) {
        storage = MessageStorage(Self.schema)
        if value.bitPattern != 0 { self.value = value }
    }

    /// The value.
    public var value: Double {
        get { storage[double: 0] }
        set { storage[double: 0] = newValue }
    }
}

extension DoubleValue: ExpressibleByFloatLiteral {
    /// The message of a value.
    public init(floatLiteral value: Double) { self.init(value) }
}

extension DoubleValue: ExpressibleByIntegerLiteral {
    /// The message of a value.
    public init(integerLiteral value: Int64) { self.init(Double(value)) }
}
