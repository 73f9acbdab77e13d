// SPDX-License-Identifier: Apache-2.0

/// A message without fields: `google.protobuf.Empty`.
public struct Empty: Message {
    /// The schema of the message.
    public static let schema = MessageSchema("google.protobuf.Empty", "")

    /// The storage of the field values.
    public var storage: MessageStorage

    /// Takes a storage with this message's schema, as the decoder creates it.
    public init(storage: MessageStorage) { self.storage = storage }
}
