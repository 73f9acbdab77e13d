// SPDX-License-Identifier: Apache-2.0

/// A 64-bit integer that knows whether it is there: `google.protobuf.Int64Value`.
public struct Int64Value: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.Int64Value", "1 value int64", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a value.
    public init(_ value: Int64) {
        storage = MessageStorage(Self.schema)
        if value != 0 { self.value = value }
    }

    /// The value.
    public var value: Int64 {
        get { storage[int64: 0] }
        set { storage[int64: 0] = newValue }
    }
}

extension Int64Value: ExpressibleByIntegerLiteral {
    /// The message of a value.
    public init(integerLiteral value: Int64) { self.init(value) }
}
