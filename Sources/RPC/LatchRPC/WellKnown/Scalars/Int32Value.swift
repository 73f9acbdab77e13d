// SPDX-License-Identifier: Apache-2.0

/// A 32-bit integer that knows whether it is there: `google.protobuf.Int32Value`.
public struct Int32Value: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.Int32Value", "1 value int32", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a value.
    public init(_ value: Int32) {
        storage = MessageStorage(Self.schema)
        if value != 0 { self.value = value }
    }

    /// The value.
    public var value: Int32 {
        get { storage[int32: 0] }
        set { storage[int32: 0] = newValue }
    }
}

extension Int32Value: ExpressibleByIntegerLiteral {
    /// The message of a value.
    public init(integerLiteral value: Int32) { self.init(value) }
}
