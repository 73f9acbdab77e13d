// SPDX-License-Identifier: Apache-2.0

/// A 32-bit float that knows whether it is there: `google.protobuf.FloatValue`.
public struct FloatValue: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.FloatValue", "1 value float", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a value.
    public init(_ value: Float) {
        storage = MessageStorage(Self.schema)
        if value.bitPattern != 0 { self.value = value }
    }

    /// The value.
    public var value: Float {
        get { storage[float: 0] }
        set { storage[float: 0] = newValue }
    }
}

extension FloatValue: ExpressibleByFloatLiteral {
    /// The message of a value.
    public init(floatLiteral value: Float) { self.init(value) }
}

extension FloatValue: ExpressibleByIntegerLiteral {
    /// The message of a value.
    public init(integerLiteral value: Int64) { self.init(Float(value)) }
}
