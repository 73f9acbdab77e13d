// SPDX-License-Identifier: Apache-2.0

/// The type of a field, as its .proto file names it.
enum FieldKind: UInt8, Sendable {
    case double, float, int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64
    case bool, string, bytes
    /// An enum that keeps numbers it does not know.
    case openEnum
    /// An enum whose unknown numbers become unknown fields.
    case closedEnum
    /// A message, with its length before it.
    case message
    /// A message between a start and an end tag.
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

    /// Whether an index of a type follows the kind in the schema's text.
    var namesType: Bool { self == .openEnum || self == .closedEnum || isMessage }

    var isMessage: Bool { self == .message || self == .group }

    var isEnum: Bool { self == .openEnum || self == .closedEnum }

    /// How a value of the kind is kept in memory.
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

    /// The type of one value on the wire.
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

/// The six types of a value on the wire (protobuf encoding, "Message Structure").
enum WireType: UInt8, Sendable {
    case varint, fixed64, delimited, startGroup, endGroup, fixed32
}

/// The type of a value in memory.
public enum StoredKind: UInt8, Sendable {
    /// A type of Swift, of the same name; an enum is its number.
    case bool, int32, int64, uint32, uint64, float, double, string, bytes
    /// A message, which is a reference to its own memory.
    case message
}
