// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// The declaration of a field, apart from its memory layout.
struct FieldSchema: Sendable {
    enum Cardinality: UInt8, Sendable { case singular, repeated, map }
    enum Presence: UInt8, Sendable {
        /// A value that differs from the default is present.
        case implicit
        /// The field records whether it is set.
        case explicit
        /// The oneof records which of its fields is set.
        case oneof
    }

    /// A default value that is not zero or empty.
    enum Default: Sendable {
        /// The bits of a number in its memory representation.
        case bits(UInt64)
        case text(String)
        case bytes(Data)
    }

    /// The index of the field in the schema's text.
    var slot = 0
    var number: UInt32 = 0
    /// The name in the .proto file, or the full name of an extension.
    var name = ""
    var jsonName = ""
    var kind = FieldKind.bool
    var cardinality = Cardinality.singular
    var presence = Presence.implicit
    var isRequired = false
    /// Whether repeated values are packed.
    var isPacked = false
    /// Whether descriptions redact the value.
    var isSecret = false
    /// The index of the oneof in its message.
    var oneof: Int?
    /// The kind of a map's keys; `kind` is that of its values.
    var key: FieldKind?
    /// The index of the message or enum type in the list of types.
    var typeIndex: Int?
    var type: (any SchemaType.Type)?
    var child: MessageSchema?
    var enumeration: EnumSchema?
    var defaultText: String?
    var defaultValue: Default?
}

/// The declared type of a field.
enum FieldKind: UInt8, Sendable {
    case double, float, int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64
    case bool, string, bytes
    /// An enum that keeps unknown numbers.
    case openEnum
    /// An enum whose unknown numbers become unknown fields.
    case closedEnum
    /// A length-delimited message.
    case message
    /// A message between start and end tags.
    case group

    init?(word: some StringProtocol) {
        guard let kind = Self.words.first(where: { $0.0 == word })?.1 else { return nil }
        self = kind
    }

    private static let words: [(String, FieldKind)] = [
        ("double", .double), ("float", .float), ("int32", .int32), ("int64", .int64), ("uint32", .uint32),
        ("uint64", .uint64), ("sint32", .sint32), ("sint64", .sint64), ("fixed32", .fixed32), ("fixed64", .fixed64),
        ("sfixed32", .sfixed32), ("sfixed64", .sfixed64), ("bool", .bool), ("string", .string), ("bytes", .bytes),
        ("enum", .openEnum), ("closed", .closedEnum), ("message", .message), ("group", .group),
    ]

    var isMessage: Bool { self == .message || self == .group }

    var isEnum: Bool { self == .openEnum || self == .closedEnum }

    /// The memory representation of the kind.
    var stored: StoredKind {
        switch self {
        case .double: .double
        case .float: .float
        case .int32, .sint32, .sfixed32, .openEnum, .closedEnum: .int32
        case .int64, .sint64, .sfixed64: .int64
        case .uint32, .fixed32: .uint32
        case .uint64, .fixed64: .uint64
        case .bool: .bool
        case .string: .string
        case .bytes: .bytes
        case .message, .group: .message
        }
    }

    /// The wire type of a single value.
    var wire: WireType {
        switch self {
        case .double, .fixed64, .sfixed64: .fixed64
        case .float, .fixed32, .sfixed32: .fixed32
        case .string, .bytes, .message: .delimited
        case .group: .startGroup
        default: .varint
        }
    }
}

/// The wire types (protobuf encoding, "Message Structure").
enum WireType: UInt8, Sendable {
    case varint, fixed64, delimited, startGroup, endGroup, fixed32
}

/// The memory representation of a value.
enum StoredKind: UInt8, Sendable {
    /// A Swift type of the same name; an enum is its number.
    case bool, int32, int64, uint32, uint64, float, double, string, bytes
    /// A message, which is a reference to its own memory.
    case message
}
