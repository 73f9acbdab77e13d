// SPDX-License-Identifier: Apache-2.0

/// A field of a message, or an extension (`FieldDescriptorProto`).
public final class FieldDescriptor {
    /// Its name.
    @exclusivity(unchecked) public internal(set) var name = ""
    /// The name of what it stands in and its own; for an extension that is not the message that it extends.
    @exclusivity(unchecked) public internal(set) var fullName = ""
    /// Its number on the wire.
    @exclusivity(unchecked) public internal(set) var number: Int32 = 0
    /// How often it may occur; nil until it is known.
    @exclusivity(unchecked) public internal(set) var label: FieldLabel?
    /// What it holds; nil for a type that was not resolved.
    @exclusivity(unchecked) public internal(set) var type: FieldType?
    /// The name of its message or enum: as it is written, and once it is resolved with a dot in front and complete.
    @exclusivity(unchecked) public internal(set) var typeName: String?
    /// Its message; nil for other types.
    @exclusivity(unchecked) public internal(set) unowned var message: MessageDescriptor?
    /// Its enum; nil for other types.
    @exclusivity(unchecked) public internal(set) unowned var `enum`: EnumDescriptor?
    /// The message that an extension extends, written as `typeName` is; nil for a field.
    @exclusivity(unchecked) public internal(set) var extendeeName: String?
    /// That message.
    @exclusivity(unchecked) public internal(set) unowned var extendee: MessageDescriptor?
    /// What is there where nothing is, as text; nil where the file does not say.
    @exclusivity(unchecked) public internal(set) var defaultValue: String?
    /// Its name in JSON, where the file says it, and after linking in any case.
    @exclusivity(unchecked) public internal(set) var jsonName: String?
    /// Which of the message's oneofs it belongs to.
    @exclusivity(unchecked) public internal(set) var oneofIndex: Int?
    /// Whether it is marked `optional` in proto3.
    @exclusivity(unchecked) public internal(set) var isProto3Optional = false
    /// Its options.
    @exclusivity(unchecked) public internal(set) var options = Options()
    /// How it behaves, its options and those around it considered.
    @exclusivity(unchecked) public internal(set) var features = Features(defaultsOf: .proto2)
    /// The comments around it.
    @exclusivity(unchecked) public internal(set) var comments = Comments()
    /// The file.
    public unowned let file: FileDescriptor
    /// The message that it stands in; nil for an extension on the level of the file.
    @exclusivity(unchecked) public private(set) unowned var parent: MessageDescriptor?
    /// Whether the field is an extension.
    public var isExtension: Bool { extendeeName != nil }

    /// Where its parts stand; nil for what is not written.
    @exclusivity(unchecked) package var places = Places()

    /// Where the parts of a field stand.
    package struct Places {
        package var name: Place?
        package var number: Place?
        package var type: Place?
        var extendee: Place?
        var defaultValue: Place?
        var jsonName: Place?
        var jsonNameValue: Place?
    }

    init(file: FileDescriptor, parent: MessageDescriptor?) {
        self.file = file
        self.parent = parent
    }
}
