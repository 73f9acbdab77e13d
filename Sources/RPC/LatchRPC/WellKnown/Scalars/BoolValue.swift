// SPDX-License-Identifier: Apache-2.0

/// A truth value that knows whether it is there: `google.protobuf.BoolValue`.
public struct BoolValue: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.BoolValue", "1 value bool", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a value.
    public init(_ value: Bool) {
        storage = MessageStorage(Self.schema)
        if value { self.value = value }
    }

    /// The value.
    public var value: Bool {
        get { storage[bool: 0] }
        set { storage[bool: 0] = newValue }
    }
}

extension BoolValue: ExpressibleByBooleanLiteral {
    /// The message of a value.
    public init(booleanLiteral value: Bool) { self.init(value) }
}
