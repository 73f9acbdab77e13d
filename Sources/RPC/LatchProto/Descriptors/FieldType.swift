// SPDX-License-Identifier: Apache-2.0

/// What a field holds (`FieldDescriptorProto.Type`).
public enum FieldType: UInt8, Sendable, Hashable, CaseIterable {
    case double = 1
    case float, int64, uint64, int32, fixed64, fixed32, bool, string, group, message, bytes, uint32, `enum`
    case sfixed32, sfixed64, sint32, sint64

    /// The type that a word names; nil for the name of a message or an enum.
    init?(keyword: String) {
        guard let type = Self.keywords[keyword] else { return nil }
        self = type
    }

    /// The words for types that are neither messages nor enums.
    static var keywordNames: [String] { keywords.keys.filter { $0 != "group" }.sorted() }

    private static let keywords: [String: FieldType] = Dictionary(
        uniqueKeysWithValues: allCases.filter { $0 != .message && $0 != .enum }.map { ("\($0)", $0) })

    /// The word that names the type, or its kind: `int32`, `message`.
    package var word: String { Self.words[Int(rawValue) - 1] }

    /// In the order of the numbers, for asking the runtime for the name of a case takes its time.
    private static let words = allCases.map { "\($0)" }

    /// Whether it is another message, as content or between tags.
    public var isMessage: Bool { self == .message || self == .group }
}

/// How often a field may occur (`FieldDescriptorProto.Label`).
public enum FieldLabel: UInt8, Sendable, Hashable {
    case optional = 1
    case required, repeated
}
