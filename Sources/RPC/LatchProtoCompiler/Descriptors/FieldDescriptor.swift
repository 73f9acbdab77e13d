// SPDX-License-Identifier: Apache-2.0

/// A field of a message, or an extension (`FieldDescriptorProto`).
///
/// The scope of an extension is that of its declaration, not the extended message.
package final class FieldDescriptor: Declaration {
    @exclusivity(unchecked) package internal(set) var number: Int32 = 0
    @exclusivity(unchecked) package internal(set) var label: FieldLabel?
    /// The type; nil before a named type is resolved.
    @exclusivity(unchecked) package internal(set) var type: FieldType?
    /// The name of the message or enum: as written in the source before linking, absolute with a leading dot
    /// afterwards.
    @exclusivity(unchecked) package internal(set) var typeName: String?
    /// The type of a message or group field; nil for other types.
    @exclusivity(unchecked) package internal(set) unowned var message: MessageDescriptor?
    /// The type of an enum field; nil for other types.
    @exclusivity(unchecked) package internal(set) unowned var `enum`: EnumDescriptor?
    /// The name of the extended message, in the same form as `typeName`; nil if it is not an extension.
    @exclusivity(unchecked) package internal(set) var extendeeName: String?
    /// The extended message; nil before linking, and if it is not an extension.
    @exclusivity(unchecked) package internal(set) unowned var extendee: MessageDescriptor?
    /// The text of the default value; nil if the source contains none.
    @exclusivity(unchecked) package internal(set) var defaultValue: String?
    /// Whether the default of a string contains bytes that are not UTF-8, which `defaultValue` cannot represent.
    @exclusivity(unchecked) var hasRawDefault = false
    /// Whether the JSON name contains bytes that are not UTF-8, which `jsonName` cannot represent.
    @exclusivity(unchecked) var hasRawJSONName = false
    /// The JSON name: before linking only if the source sets it, afterwards always.
    @exclusivity(unchecked) package internal(set) var jsonName: String?
    /// The index of the oneof that contains the field.
    @exclusivity(unchecked) package internal(set) var oneofIndex: Int?
    /// Whether the field is marked `optional` in a proto3 file.
    @exclusivity(unchecked) package internal(set) var isProto3Optional = false
    /// The message that contains the declaration; nil for an extension at the top level.
    @exclusivity(unchecked) package private(set) unowned var parent: MessageDescriptor?
    package var isExtension: Bool { extendeeName != nil }

    /// The positions of the field's parts; nil for parts that the source does not contain.
    @exclusivity(unchecked) package var positions = Positions()

    /// The positions of the parts of a field.
    package struct Positions {
        package var number: SourcePosition?
        package var type: SourcePosition?
        var extendee: SourcePosition?
        var defaultValue: SourcePosition?
        var jsonName: SourcePosition?
    }

    init(file: FileDescriptor, parent: MessageDescriptor?) {
        self.parent = parent
        super.init(name: "", file: file, namePosition: nil)
    }
}

/// The type of a field (`FieldDescriptorProto.Type`).
package enum FieldType: UInt8, Sendable, Hashable, CaseIterable {
    case double = 1
    case float, int64, uint64, int32, fixed64, fixed32, bool, string, group, message, bytes, uint32, `enum`
    case sfixed32, sfixed64, sint32, sint64

    /// Creates the type for a keyword; nil for the name of a message or an enum.
    init?(keyword: String) {
        guard let type = Self.keywords[keyword] else { return nil }
        self = type
    }

    /// The keywords of all types except groups.
    static var keywordNames: [String] { keywords.keys.filter { $0 != "group" }.sorted() }

    private static let keywords: [String: FieldType] = Dictionary(
        uniqueKeysWithValues: allCases.filter { $0 != .message && $0 != .enum }.map { ("\($0)", $0) })

    /// The keyword of the type, or `message` or `enum`.
    package var word: String { Self.words[Int(rawValue) - 1] }

    /// The keywords in the order of the raw values, because reflecting on the name of a case is slow.
    private static let words = allCases.map { "\($0)" }

    /// The number of bytes of the encoding; nil for types of variable width.
    var width: Int? {
        switch self {
        case .double, .fixed64, .sfixed64: 8
        case .float, .fixed32, .sfixed32: 4
        default: nil
        }
    }

    /// Whether the type is a message or a group.
    package var isMessage: Bool { self == .message || self == .group }
}

/// The label of a field (`FieldDescriptorProto.Label`).
package enum FieldLabel: UInt8, Sendable, Hashable {
    case optional = 1
    case required, repeated

    static let keywords: [String: FieldLabel] = ["optional": .optional, "required": .required, "repeated": .repeated]
}
