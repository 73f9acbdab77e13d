// SPDX-License-Identifier: Apache-2.0

/// An enum (`EnumDescriptorProto`).
public final class EnumDescriptor {
    /// Its name, without what it stands in.
    @exclusivity(unchecked) public internal(set) var name: String
    /// The name of the package, of what it stands in, and its own; without a dot in front.
    @exclusivity(unchecked) public internal(set) var fullName = ""
    /// The file.
    public unowned let file: FileDescriptor
    /// The message that it stands in; nil where it stands in none.
    @exclusivity(unchecked) public private(set) unowned var parent: MessageDescriptor?
    /// Its values, in the order of the text.
    @exclusivity(unchecked) public internal(set) var values: [EnumValueDescriptor] = []
    /// Numbers that nobody may use.
    @exclusivity(unchecked) public internal(set) var reservedRanges: [NumberRange] = []
    /// Names that nobody may use.
    @exclusivity(unchecked) public internal(set) var reservedNames: [ReservedName] = []
    /// Its options.
    @exclusivity(unchecked) public internal(set) var options = Options()
    /// How it behaves, its options and those around it considered.
    @exclusivity(unchecked) public internal(set) var features = Features(defaultsOf: .proto2)
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

/// A value of an enum (`EnumValueDescriptorProto`).
public final class EnumValueDescriptor {
    /// Its name.
    @exclusivity(unchecked) public internal(set) var name = ""
    /// The name of what the enum stands in and its own: values stand beside their enum, as in C++.
    @exclusivity(unchecked) public internal(set) var fullName = ""
    /// Its number.
    @exclusivity(unchecked) public internal(set) var number: Int32 = 0
    /// Its options.
    @exclusivity(unchecked) public internal(set) var options = Options()
    /// The comments around it.
    @exclusivity(unchecked) public internal(set) var comments = Comments()
    /// How it behaves, which matters for the rules of its name alone.
    var features = Features(defaultsOf: .proto2)
    /// The enum.
    public unowned let `enum`: EnumDescriptor
    @exclusivity(unchecked) package var place: Place?
    var numberPlace: Place?

    init(of enum: EnumDescriptor) { self.enum = `enum` }
}
