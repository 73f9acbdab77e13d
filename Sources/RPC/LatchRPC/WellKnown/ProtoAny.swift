// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A message of any type, with the name of the type: `google.protobuf.Any`.
public struct ProtoAny: Message {
    /// The message's fields.
    public static let schema = MessageSchema(
        "google.protobuf.Any",
        """
        1 type_url string
        2 value bytes
        """,
        types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The message of a type's URL and a serialized message of it.
    public init(typeURL: String = "", value: Data = Data()) {
        storage = MessageStorage(Self.schema)
        if !typeURL.isEmpty { self.typeURL = typeURL }
        if !value.isEmpty { self.value = value }
    }

    /// The type's full name after a slash, such as `type.googleapis.com/userservice.v1.User`.
    public var typeURL: String {
        get { storage[string: 0] }
        set { storage[string: 0] = newValue }
    }

    /// The message in the binary encoding.
    public var value: Data {
        get { storage[bytes: 1] }
        set { storage[bytes: 1] = newValue }
    }
}

extension ProtoAny {
    /// The full name of the type that is inside; empty where the URL has none.
    public var typeName: String {
        guard let slash = typeURL.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(typeURL[typeURL.index(after: slash)...])
    }
}
