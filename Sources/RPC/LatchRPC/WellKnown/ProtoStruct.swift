// SPDX-License-Identifier: Apache-2.0

/// A JSON object as a message: `google.protobuf.Struct`.
public struct ProtoStruct: Message {
    /// The message's fields.
    public static let schema = MessageSchema(
        "google.protobuf.Struct", "1 fields map string message 0", types: [ProtoValue.self])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The object of these members.
    public init(fields: [String: ProtoValue] = [:]) {
        storage = MessageStorage(Self.schema)
        if !fields.isEmpty { self.fields = fields }
    }

    /// The members.
    public var fields: [String: ProtoValue] {
        get { storage[map: 0] }
        set { storage[map: 0] = newValue }
    }

    /// The value of a member.
    public subscript(name: String) -> ProtoValue? {
        get { fields[name] }
        set { fields[name] = newValue }
    }
}

extension ProtoStruct: ExpressibleByDictionaryLiteral {
    /// An object; of a name that stands twice the last value counts.
    public init(dictionaryLiteral elements: (String, ProtoValue)...) {
        self.init(fields: Dictionary(elements) { _, last in last })
    }
}
