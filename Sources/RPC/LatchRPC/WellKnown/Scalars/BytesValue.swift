// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A run of bytes that knows whether it is there: `google.protobuf.BytesValue`.
public struct BytesValue: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.BytesValue", "1 value bytes", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a value.
    public init(_ value: Data) {
        storage = MessageStorage(Self.schema)
        if !value.isEmpty { self.value = value }
    }

    /// The value.
    public var value: Data {
        get { storage[bytes: 0] }
        set { storage[bytes: 0] = newValue }
    }
}
