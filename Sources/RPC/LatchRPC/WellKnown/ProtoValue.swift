// SPDX-License-Identifier: Apache-2.0

/// A JSON value as a message: `google.protobuf.Value`.
///
/// ```swift
/// let profile: ProtoStruct = ["name": "Ann", "age": 41, "tags": ["admin", nil]]
/// ```
public struct ProtoValue: Message {
    /// The message's fields.
    public static let schema = MessageSchema(
        "google.protobuf.Value",
        """
        1 null_value enum 0 oneof 0
        2 number_value double oneof 0
        3 string_value string oneof 0
        4 bool_value bool oneof 0
        5 struct_value message 1 oneof 0
        6 list_value message 2 oneof 0
        """,
        types: [ProtoNull.self, ProtoStruct.self, ProtoList.self])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// What the value is.
    public enum Kind: Hashable, Sendable {
        case nullValue(ProtoNull), numberValue(Double), stringValue(String), boolValue(Bool)
        case structValue(ProtoStruct), listValue(ProtoList)
    }

    /// The value of a kind.
    public init(kind: Kind?) {
        storage = MessageStorage(Self.schema)
        self.kind = kind
    }

    /// What the value is; nil where it was never set, which JSON cannot say.
    public var kind: Kind? {
        get {
            switch storage[oneof: 0] {
            case 1: .nullValue(storage[enum: 0])
            case 2: .numberValue(storage[double: 1])
            case 3: .stringValue(storage[string: 2])
            case 4: .boolValue(storage[bool: 3])
            case 5: .structValue(storage[message: 4])
            case 6: .listValue(storage[message: 5])
            default: nil
            }
        }
        set {
            switch newValue {
            case .nullValue(let value): storage[enum: 0] = value
            case .numberValue(let value): storage[double: 1] = value
            case .stringValue(let value): storage[string: 2] = value
            case .boolValue(let value): storage[bool: 3] = value
            case .structValue(let value): storage[message: 4] = value
            case .listValue(let value): storage[message: 5] = value
            case nil: storage.clear(oneof: 0)
            }
        }
    }
}

extension ProtoValue {
    /// JSON's null.
    public static let null = ProtoValue(kind: .nullValue(.nullValue))

    /// Whether it is JSON's null.
    public var isNull: Bool { if case .nullValue = kind { true } else { false } }

    /// The number, if it is one.
    public var number: Double? { if case .numberValue(let value) = kind { value } else { nil } }

    /// The text, if it is one.
    public var string: String? { if case .stringValue(let value) = kind { value } else { nil } }

    /// The truth value, if it is one.
    public var bool: Bool? { if case .boolValue(let value) = kind { value } else { nil } }

    /// The members, if it is an object.
    public var fields: [String: ProtoValue]? { if case .structValue(let value) = kind { value.fields } else { nil } }

    /// The elements, if it is an array.
    public var values: [ProtoValue]? { if case .listValue(let value) = kind { value.values } else { nil } }
}
