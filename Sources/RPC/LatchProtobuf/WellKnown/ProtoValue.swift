// SPDX-License-Identifier: Apache-2.0

/// A JSON value as a message: `google.protobuf.Value`.
///
/// ```swift
/// let profile: ProtoStruct = ["name": "Ann", "age": 41, "tags": ["admin", nil]]
/// ```
public struct ProtoValue: Message {
    /// The schema of the message.
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

    /// The storage of the field values.
    public var storage: MessageStorage

    /// Takes a storage with this message's schema, as the decoder creates it.
    public init(storage: MessageStorage) { self.storage = storage }

    /// Creates an empty message.
    public init() { storage = MessageStorage(Self.schema) }

    /// The kinds of JSON values.
    public enum Kind: Hashable, Sendable {
        case nullValue(ProtoNull), numberValue(Double), stringValue(String), boolValue(Bool)
        case structValue(ProtoStruct), listValue(ProtoList)
    }

    /// Creates a value; without a kind it cannot be written as JSON.
    public init(kind: Kind?) {
        self.init()
        self.kind = kind
    }

    /// The kind and content; nil if never set, which JSON cannot represent.
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
    /// The value that JSON writes as `null`.
    public static let null = ProtoValue(kind: .nullValue(.nullValue))

    /// Whether the value is null.
    public var isNull: Bool { if case .nullValue = kind { true } else { false } }

    /// The number; nil for other kinds.
    public var number: Double? { if case .numberValue(let value) = kind { value } else { nil } }

    /// The string; nil for other kinds.
    public var string: String? { if case .stringValue(let value) = kind { value } else { nil } }

    /// The Boolean; nil for other kinds.
    public var bool: Bool? { if case .boolValue(let value) = kind { value } else { nil } }

    /// The members of an object; nil for other kinds.
    public var fields: [String: ProtoValue]? { if case .structValue(let value) = kind { value.fields } else { nil } }

    /// The elements of an array; nil for other kinds.
    public var values: [ProtoValue]? { if case .listValue(let value) = kind { value.values } else { nil } }
}

extension ProtoValue: ExpressibleByNilLiteral {
    /// The value that JSON writes as `null`.
    public init(nilLiteral: ()) { self.init(kind: .nullValue(.nullValue)) }
}

extension ProtoValue: ExpressibleByBooleanLiteral {
    /// Creates the value that JSON writes as `true` or `false`.
    public init(booleanLiteral value: Bool) { self.init(kind: .boolValue(value)) }
}

extension ProtoValue: ExpressibleByIntegerLiteral {
    /// Creates a number.
    public init(integerLiteral value: Int64) { self.init(kind: .numberValue(Double(value))) }
}

extension ProtoValue: ExpressibleByFloatLiteral {
    /// Creates a number.
    public init(floatLiteral value: Double) { self.init(kind: .numberValue(value)) }
}

extension ProtoValue: ExpressibleByStringInterpolation {
    /// Creates the value that JSON writes in quotes.
    public init(stringLiteral value: String) { self.init(kind: .stringValue(value)) }
}

extension ProtoValue: ExpressibleByArrayLiteral {
    /// Creates the value that JSON writes in brackets.
    public init(arrayLiteral elements: ProtoValue...) { self.init(kind: .listValue(ProtoList(values: elements))) }
}

extension ProtoValue: ExpressibleByDictionaryLiteral {
    /// Creates an object; for duplicate names the last value counts.
    public init(dictionaryLiteral elements: (String, ProtoValue)...) {
        self.init(kind: .structValue(ProtoStruct(fields: Dictionary(elements) { _, last in last })))
    }
}

/// The type of JSON's null: `google.protobuf.NullValue`.
public enum ProtoNull: ProtoEnum {
    case nullValue
    /// An unknown number.
    case unrecognized(Int32)

    /// The schema of the enum.
    public static let schema = EnumSchema("google.protobuf.NullValue", "0 NULL_VALUE")

    /// The value that JSON writes as `null`.
    public init() { self = .nullValue }

    /// Creates the value of a number.
    public init?(rawValue: Int32) { self = rawValue == 0 ? .nullValue : .unrecognized(rawValue) }

    /// The number of the value.
    public var rawValue: Int32 {
        switch self {
        case .nullValue: 0
        case .unrecognized(let number): number
        }
    }

    /// The known values.
    public static let allCases: [ProtoNull] = [.nullValue]
}

/// A JSON object as a message: `google.protobuf.Struct`.
public struct ProtoStruct: Message {
    /// The schema of the message.
    public static let schema = MessageSchema(
        "google.protobuf.Struct", "1 fields map string message 0", types: [ProtoValue.self])

    /// The storage of the field values.
    public var storage: MessageStorage

    /// Takes a storage with this message's schema, as the decoder creates it.
    public init(storage: MessageStorage) { self.storage = storage }

    /// Creates an empty message.
    public init() { storage = MessageStorage(Self.schema) }

    /// Creates an object from members.
    public init(fields: [String: ProtoValue]) {
        self.init()
        self.fields = fields
    }

    /// The members of the object.
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
    /// Creates an object; for duplicate names the last value counts.
    public init(dictionaryLiteral elements: (String, ProtoValue)...) {
        self.init(fields: Dictionary(elements) { _, last in last })
    }
}

/// A JSON array as a message: `google.protobuf.ListValue`.
public struct ProtoList: Message {
    /// The schema of the message.
    public static let schema = MessageSchema(
        "google.protobuf.ListValue", "1 values message 0 repeated", types: [ProtoValue.self])

    /// The storage of the field values.
    public var storage: MessageStorage

    /// Takes a storage with this message's schema, as the decoder creates it.
    public init(storage: MessageStorage) { self.storage = storage }

    /// Creates an empty message.
    public init() { storage = MessageStorage(Self.schema) }

    /// Creates an array from values.
    public init(values: [ProtoValue]) {
        self.init()
        self.values = values
    }

    /// The elements of the array.
    public var values: [ProtoValue] {
        get { storage[messages: 0] }
        set { storage[messages: 0] = newValue }
    }
}

extension ProtoList: ExpressibleByArrayLiteral {
    /// Creates a list, which keeps the order.
    public init(arrayLiteral elements: ProtoValue...) { self.init(values: elements) }
}
