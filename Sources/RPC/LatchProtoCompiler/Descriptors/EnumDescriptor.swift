// SPDX-License-Identifier: Apache-2.0

/// An enum (`EnumDescriptorProto`).
package final class EnumDescriptor {
    /// The name within the scope that declares it.
    @exclusivity(unchecked) package internal(set) var name: String
    /// The full name: package, enclosing messages and name, without a leading dot.
    @exclusivity(unchecked) package internal(set) var fullName = ""
    package unowned let file: FileDescriptor
    /// The enclosing message; nil at the top level.
    @exclusivity(unchecked) package private(set) unowned var parent: MessageDescriptor?
    /// The values, in source order.
    @exclusivity(unchecked) package internal(set) var values: [EnumValueDescriptor] = []
    @exclusivity(unchecked) package internal(set) var reservedRanges: [NumberRange] = []
    @exclusivity(unchecked) package internal(set) var reservedNames: [ReservedName] = []
    @exclusivity(unchecked) package internal(set) var options = Options()
    @exclusivity(unchecked) package internal(set) var features = FeatureSet(defaultsOf: .proto2)
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

/// A value of an enum (`EnumValueDescriptorProto`).
package final class EnumValueDescriptor {
    @exclusivity(unchecked) package internal(set) var name = ""
    /// The full name; the scope of a value is that of its enum, as in C++.
    @exclusivity(unchecked) package internal(set) var fullName = ""
    @exclusivity(unchecked) package internal(set) var number: Int32 = 0
    @exclusivity(unchecked) package internal(set) var options = Options()
    @exclusivity(unchecked) package internal(set) var comments = Comments()
    /// The resolved features, which are only used to check the name.
    var features = FeatureSet(defaultsOf: .proto2)
    package unowned let `enum`: EnumDescriptor
    @exclusivity(unchecked) package var namePosition: SourcePosition?
    var numberPosition: SourcePosition?

    init(of enum: EnumDescriptor) { self.enum = `enum` }
}
