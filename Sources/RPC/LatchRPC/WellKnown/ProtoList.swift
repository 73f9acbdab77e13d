// SPDX-License-Identifier: Apache-2.0

/// A JSON array as a message: `google.protobuf.ListValue`.
public struct ProtoList: Message {
    /// The message's fields.
    public static let schema = MessageSchema(
        "google.protobuf.ListValue", "1 values message 0 repeated", types: [ProtoValue.self])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The array of these values.
    public init(values: [ProtoValue] = []) {
        storage = MessageStorage(Self.schema)
        if !values.isEmpty { self.values = values }
    }

    /// The values.
    public var values: [ProtoValue] {
        get { storage[messages: 0] }
        set { storage[messages: 0] = newValue }
    }
}

extension ProtoList: ExpressibleByArrayLiteral {
    /// An array of these values.
    public init(arrayLiteral elements: ProtoValue...) { self.init(values: elements) }
}
