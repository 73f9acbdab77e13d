// SPDX-License-Identifier: Apache-2.0

/// A message (`DescriptorProto`).
package final class MessageDescriptor: TypeDescriptor {
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
    /// Whether the message was generated for the entries of a map.
    @exclusivity(unchecked) package internal(set) var isMapEntry = false
    /// The values that a generator derives from the linked message.
    package let memo = Memo()
}

extension FileDescriptor {
    /// All messages; each comes before the messages that it contains.
    var allMessages: [MessageDescriptor] {
        func all(_ messages: [MessageDescriptor]) -> [MessageDescriptor] {
            messages.flatMap { [$0] + all($0.messages) }
        }
        return all(messages)
    }
}

/// A oneof (`OneofDescriptorProto`).
package final class OneofDescriptor: Declaration {
    package unowned let message: MessageDescriptor
    /// Whether the oneof was generated for a field that is marked `optional` in proto3.
    package let isSynthetic: Bool

    init(name: String, message: MessageDescriptor, namePosition: SourcePosition?, isSynthetic: Bool = false) {
        self.message = message
        self.isSynthetic = isSynthetic
        super.init(name: name, file: message.file, namePosition: namePosition)
    }
}

/// An extension range (`DescriptorProto.ExtensionRange`).
package final class ExtensionRange {
    @exclusivity(unchecked) package internal(set) var numbers: NumberRange
    /// The options, which all ranges of a statement share.
    @exclusivity(unchecked) package internal(set) var options = Options()

    init(_ numbers: NumberRange) { self.numbers = numbers }
}
