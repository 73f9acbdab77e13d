// SPDX-License-Identifier: Apache-2.0

/// A message (`DescriptorProto`).
package final class MessageDescriptor {
    /// The name within the scope that declares it.
    @exclusivity(unchecked) package internal(set) var name: String
    /// The full name: package, enclosing messages and name, without a leading dot.
    @exclusivity(unchecked) package internal(set) var fullName = ""
    package unowned let file: FileDescriptor
    /// The enclosing message; nil at the top level.
    @exclusivity(unchecked) package private(set) unowned var parent: MessageDescriptor?
    /// The fields, in source order.
    @exclusivity(unchecked) package internal(set) var fields: [FieldDescriptor] = []
    /// The oneofs; synthetic ones come last.
    @exclusivity(unchecked) package internal(set) var oneofs: [OneofDescriptor] = []
    /// The nested messages, including those of map entries and groups.
    @exclusivity(unchecked) package internal(set) var messages: [MessageDescriptor] = []
    @exclusivity(unchecked) package internal(set) var enums: [EnumDescriptor] = []
    /// The nested extensions, which extend other messages.
    @exclusivity(unchecked) package internal(set) var extensions: [FieldDescriptor] = []
    @exclusivity(unchecked) package internal(set) var extensionRanges: [ExtensionRange] = []
    @exclusivity(unchecked) package internal(set) var reservedRanges: [NumberRange] = []
    @exclusivity(unchecked) package internal(set) var reservedNames: [ReservedName] = []
    @exclusivity(unchecked) package internal(set) var options = Options()
    @exclusivity(unchecked) package internal(set) var features = FeatureSet(defaultsOf: .proto2)
    /// Whether it was generated for the entries of a map.
    @exclusivity(unchecked) package internal(set) var isMapEntry = false
    /// The visibility for other files (edition 2024); nil if the source does not set it.
    @exclusivity(unchecked) package internal(set) var visibility: SymbolVisibility?
    @exclusivity(unchecked) package internal(set) var comments = Comments()
    package let namePosition: SourcePosition

    init(name: String, file: FileDescriptor, parent: MessageDescriptor?, namePosition: SourcePosition) {
        self.name = name
        self.file = file
        self.parent = parent
        self.namePosition = namePosition
    }
}

extension FileDescriptor {
    /// All messages, each before the messages that it contains.
    var allMessages: [MessageDescriptor] {
        func all(_ messages: [MessageDescriptor]) -> [MessageDescriptor] { messages.flatMap { [$0] + all($0.messages) } }
        return all(messages)
    }
}

/// The visibility of a declaration (edition 2024).
package enum SymbolVisibility: UInt8, Sendable, Hashable {
    /// The declaration is visible in its own file.
    case local = 1
    /// The declaration is visible in all files that import its file.
    case export
}

/// A oneof (`OneofDescriptorProto`).
package final class OneofDescriptor {
    @exclusivity(unchecked) package internal(set) var name: String
    package unowned let message: MessageDescriptor
    @exclusivity(unchecked) package internal(set) var options = Options()
    /// Whether it was generated for a field that is marked `optional` in proto3.
    package let isSynthetic: Bool
    /// The resolved features, which are only used to check the name.
    var features = FeatureSet(defaultsOf: .proto2)
    @exclusivity(unchecked) package internal(set) var comments = Comments()
    package let namePosition: SourcePosition

    init(name: String, message: MessageDescriptor, namePosition: SourcePosition, isSynthetic: Bool = false) {
        self.name = name
        self.message = message
        self.namePosition = namePosition
        self.isSynthetic = isSynthetic
    }
}

/// A reserved range or the numbers of an extension range; it includes both bounds.
package struct NumberRange: Sendable, Hashable {
    package let first: Int32
    package internal(set) var last: Int32
    /// Whether the last number is written as `max`, whose value depends on the message.
    var endsAtMax = false
    package let position: SourcePosition
}

/// A reserved name.
package struct ReservedName: Sendable, Hashable {
    package let name: String
    package let position: SourcePosition
}

/// An extension range (`DescriptorProto.ExtensionRange`).
package final class ExtensionRange {
    @exclusivity(unchecked) package internal(set) var numbers: NumberRange
    /// The options, which all ranges of a statement share.
    @exclusivity(unchecked) package internal(set) var options = Options()

    init(_ numbers: NumberRange) { self.numbers = numbers }
}
