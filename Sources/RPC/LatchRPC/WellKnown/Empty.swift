// SPDX-License-Identifier: Apache-2.0

/// A message without fields: `google.protobuf.Empty`.
public struct Empty: Message {
    /// The message's fields.
    public static let schema = MessageSchema("google.protobuf.Empty", "", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }
}
