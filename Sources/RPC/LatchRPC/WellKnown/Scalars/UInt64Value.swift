// SPDX-License-Identifier: Apache-2.0

/// A 64-bit natural number that knows whether it is there: `google.protobuf.UInt64Value`.
public struct UInt64Value: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.UInt64Value", "1 value uint64", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a value.
    public init(_ value: UInt64) {
        storage = MessageStorage(Self.schema)
        if value != 0 { self.value = value }
    }

    /// The value.
    public var value: UInt64 {
        get { storage[uint64: 0] }
        set { storage[uint64: 0] = newValue }
    }
}

extension UInt64Value: ExpressibleByIntegerLiteral {
    /// The message of a value.
    public init(integerLiteral value: UInt64) { self.init(value) }
}
