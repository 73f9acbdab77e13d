// SPDX-License-Identifier: Apache-2.0

/// A 32-bit natural number that knows whether it is there: `google.protobuf.UInt32Value`.
public struct UInt32Value: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.UInt32Value", "1 value uint32", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a value.
    public init(_ value: UInt32) {
        storage = MessageStorage(Self.schema)
        if value != 0 { self.value = value }
    }

    /// The value.
    public var value: UInt32 {
        get { storage[uint32: 0] }
        set { storage[uint32: 0] = newValue }
    }
}

extension UInt32Value: ExpressibleByIntegerLiteral {
    /// The message of a value.
    public init(integerLiteral value: UInt32) { self.init(value) }
}
