// SPDX-License-Identifier: Apache-2.0

/// A text that knows whether it is there: `google.protobuf.StringValue`.
public struct StringValue: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.StringValue", "1 value string", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a value.
    public init(_ value: String) {
        storage = MessageStorage(Self.schema)
        if !value.isEmpty { self.value = value }
    }

    /// The value.
    public var value: String {
        get { storage[string: 0] }
        set { storage[string: 0] = newValue }
    }
}

extension StringValue: ExpressibleByStringLiteral {
    /// The message of a value.
    public init(stringLiteral value: String) { self.init(value) }
}
