// SPDX-License-Identifier: Apache-2.0

/// A declaration in a .proto file; each kind of declaration is a subclass.
package class Declaration {
    package final unowned let file: FileDescriptor
    /// The name within the scope that declares it.
    @exclusivity(unchecked) package internal(set) final var name: String
    /// The full name: the scope's full name and the name, without a leading dot.
    @exclusivity(unchecked) package internal(set) final var fullName = ""
    /// The position of the name; nil for a declaration that the compiler has added.
    @exclusivity(unchecked) package internal(set) final var namePosition: SourcePosition?
    @exclusivity(unchecked) package internal(set) final var options = Options()
    /// The resolved features.
    @exclusivity(unchecked) package internal(set) final var features = FeatureSet(defaultsOf: .proto2)
    @exclusivity(unchecked) package internal(set) final var comments = Comments()

    init(name: String, file: FileDescriptor, namePosition: SourcePosition?) {
        self.name = name
        self.file = file
        self.namePosition = namePosition
    }
}

/// A message or an enum.
package class TypeDescriptor: Declaration {
    /// The enclosing message; nil at the top level.
    @exclusivity(unchecked) package private(set) final unowned var parent: MessageDescriptor?
    @exclusivity(unchecked) package internal(set) final var reservedRanges: [NumberRange] = []
    @exclusivity(unchecked) package internal(set) final var reservedNames: [ReservedName] = []
    /// The visibility for other files (edition 2024); nil if the source does not set it.
    @exclusivity(unchecked) package internal(set) final var visibility: SymbolVisibility?

    init(name: String, file: FileDescriptor, parent: MessageDescriptor?, namePosition: SourcePosition?) {
        self.parent = parent
        super.init(name: name, file: file, namePosition: namePosition)
    }
}

/// The visibility of a declaration (edition 2024).
package enum SymbolVisibility: UInt8, Sendable, Hashable {
    /// The declaration is visible in its own file.
    case local = 1
    /// The declaration is visible in all files that import its file.
    case export
}

/// A reserved range, or the numbers of an extension range, including both bounds.
package struct NumberRange: Sendable, Hashable {
    package let first: Int32
    package internal(set) var last: Int32
    /// Whether the last number is written as `max`, whose value depends on the message.
    var endsAtMax = false
    package let position: SourcePosition
}

package struct ReservedName: Sendable, Hashable {
    package let name: String
    package let position: SourcePosition
}
