// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A message of any type with its type URL: `google.protobuf.Any`.
public struct ProtoAny: Message {
    /// The schema of the message.
    public static let schema = MessageSchema(
        "google.protobuf.Any",
        """
        1 type_url string
        2 value bytes
        """)

    /// The storage of the field values.
    public var storage: MessageStorage

    /// Takes a storage with this message's schema, as the decoder creates it.
    public init(storage: MessageStorage) { self.storage = storage }

    /// Creates a message from a type URL and an encoded message.
    public init(typeURL: String = "", value: Data = Data()) {
        storage = MessageStorage(Self.schema)
        self.typeURL = typeURL
        self.value = value
    }

    /// The type URL, which ends in a slash and the full name, such as `type.googleapis.com/userservice.v1.User`.
    public var typeURL: String {
        get { storage[string: 0] }
        set { storage[string: 0] = newValue }
    }

    /// The message in the binary encoding.
    public var value: Data {
        get { storage[bytes: 1] }
        set { storage[bytes: 1] = newValue }
    }

    /// The full name of the contained type; empty if the URL has none.
    public var typeName: String {
        guard let slash = typeURL.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(typeURL[typeURL.utf8.index(after: slash)...])
    }

    /// Creates an Any that contains a message.
    ///
    /// - Throws: ``ProtoError`` if a required field is missing.
    public init(packing message: some Message, domain: String = "type.googleapis.com") throws(ProtoError) {
        self.init(typeURL: domain + "/" + type(of: message).name, value: Data(try message.storage.packed()))
    }

    /// Whether the Any contains a message of a type.
    public func holds<Packed: Message>(_ type: Packed.Type) -> Bool { typeName == type.name }

    /// Returns the contained message; nil if it has another type.
    ///
    /// - Throws: ``ProtoError`` if the bytes are not a valid encoding.
    public func unpack<Packed: Message>(
        _ type: Packed.Type, extensions: ExtensionSet = []
    ) throws(ProtoError) -> Packed? {
        guard holds(type) else { return nil }
        return Packed(storage: try MessageStorage(type.schema, packed: Array(value), extensions: extensions))
    }
}

extension MessageStorage {
    /// Returns the encoding of the message for an Any.
    func packed() throws(ProtoError) -> [UInt8] {
        try checkRequired()
        return serialized(deterministic: true)
    }

    /// Decodes the value of an Any.
    init(_ schema: MessageSchema, packed bytes: [UInt8], extensions: ExtensionSet) throws(ProtoError) {
        self.init(schema)
        try merge(bytes, .standard, extensions)
        try checkRequired()
    }
}
