// SPDX-License-Identifier: Apache-2.0

/// A message (`DescriptorProto`).
public final class MessageDescriptor {
    /// Its name, without what it stands in.
    @exclusivity(unchecked) public internal(set) var name: String
    /// The name of the package, of what it stands in, and its own; without a dot in front.
    @exclusivity(unchecked) public internal(set) var fullName = ""
    /// The file.
    public unowned let file: FileDescriptor
    /// The message that it stands in; nil where it stands in none.
    @exclusivity(unchecked) public private(set) unowned var parent: MessageDescriptor?
    /// Fields, in the order of the text.
    @exclusivity(unchecked) public internal(set) var fields: [FieldDescriptor] = []
    /// Groups of fields of which one at most is there; those that stand for one optional field come last.
    @exclusivity(unchecked) public internal(set) var oneofs: [OneofDescriptor] = []
    /// Messages that stand in it, those of its maps and groups among them.
    @exclusivity(unchecked) public internal(set) var messages: [MessageDescriptor] = []
    /// Enums that stand in it.
    @exclusivity(unchecked) public internal(set) var enums: [EnumDescriptor] = []
    /// Extensions of other messages that stand in it.
    @exclusivity(unchecked) public internal(set) var extensions: [FieldDescriptor] = []
    /// Numbers that others may use.
    @exclusivity(unchecked) public internal(set) var extensionRanges: [ExtensionRange] = []
    /// Numbers that nobody may use.
    @exclusivity(unchecked) public internal(set) var reservedRanges: [NumberRange] = []
    /// Names that nobody may use.
    @exclusivity(unchecked) public internal(set) var reservedNames: [ReservedName] = []
    /// Its options.
    @exclusivity(unchecked) public internal(set) var options = Options()
    /// How it behaves, its options and those around it considered.
    @exclusivity(unchecked) public internal(set) var features = Features(defaultsOf: .proto2)
    /// Whether it was made for the entries of a map.
    @exclusivity(unchecked) public internal(set) var isMapEntry = false
    /// Whether it is seen by other files (edition 2024); nil where the file does not say.
    @exclusivity(unchecked) public internal(set) var visibility: Visibility?
    /// The comments around it.
    @exclusivity(unchecked) public internal(set) var comments = Comments()
    /// Where its name stands.
    package let place: Place

    init(name: String, file: FileDescriptor, parent: MessageDescriptor?, place: Place) {
        self.name = name
        self.file = file
        self.parent = parent
        self.place = place
    }
}

/// Who may see a declaration (edition 2024).
public enum Visibility: UInt8, Sendable, Hashable {
    /// The file alone.
    case local = 1
    /// Everybody who imports the file.
    case export
}

/// A group of fields of which one at most is there (`OneofDescriptorProto`).
public final class OneofDescriptor {
    /// Its name.
    @exclusivity(unchecked) public internal(set) var name: String
    /// The message.
    public unowned let message: MessageDescriptor
    /// Its options.
    @exclusivity(unchecked) public internal(set) var options = Options()
    /// Whether it was made for one field that is marked `optional`.
    public let isSynthetic: Bool
    /// How it behaves, which matters for the rules of its name alone.
    var features = Features(defaultsOf: .proto2)
    /// The comments around it.
    @exclusivity(unchecked) public internal(set) var comments = Comments()
    package let place: Place

    init(name: String, message: MessageDescriptor, place: Place, isSynthetic: Bool = false) {
        self.name = name
        self.message = message
        self.place = place
        self.isSynthetic = isSynthetic
    }
}

/// Numbers from one to another, both of which belong to it.
public struct NumberRange: Sendable, Hashable {
    /// The first number.
    public let first: Int32
    /// The last number.
    public internal(set) var last: Int32
    /// Whether the last one is written as `max`, whose meaning depends on the message.
    var isOpen = false
    package let place: Place
}

/// A name that nobody may use.
public struct ReservedName: Sendable, Hashable {
    /// The name.
    public let name: String
    package let place: Place
}

/// Numbers for extensions (`DescriptorProto.ExtensionRange`).
public final class ExtensionRange {
    /// The numbers.
    @exclusivity(unchecked) public internal(set) var numbers: NumberRange
    /// Its options, which all ranges of one statement share.
    @exclusivity(unchecked) public internal(set) var options = Options()

    init(_ numbers: NumberRange) { self.numbers = numbers }
}
