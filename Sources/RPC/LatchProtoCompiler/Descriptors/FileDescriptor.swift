// SPDX-License-Identifier: Apache-2.0

/// A .proto file (`FileDescriptorProto`).
///
/// A file retains its declarations and the files that it imports; a message or a field does not.
package final class FileDescriptor {
    /// The source; empty if the file was deserialized.
    package let source: SourceFile
    /// The name by which other files import it.
    package var name: String { source.name }
    /// The package; empty if there is none.
    @exclusivity(unchecked) package internal(set) var package = ""
    var packagePosition: SourcePosition?
    @exclusivity(unchecked) package internal(set) var syntax = Syntax.proto2
    /// The edition whose defaults apply.
    @exclusivity(unchecked) package internal(set) var edition = Edition.proto2
    var syntaxPosition: SourcePosition?
    /// Whether the edition is `UNSTABLE`.
    var isUnstable = false
    /// Whether the file has a `syntax` or `edition` statement.
    var declaresSyntax = false
    /// The imports, in source order.
    @exclusivity(unchecked) package internal(set) var imports: [Import] = []
    /// The imported files, retained because declarations refer to declarations in them without retaining them.
    @exclusivity(unchecked) package internal(set) var dependencies: [FileDescriptor] = []
    /// The top-level messages, in source order.
    @exclusivity(unchecked) package internal(set) var messages: [MessageDescriptor] = []
    /// The top-level enums, in source order.
    @exclusivity(unchecked) package internal(set) var enums: [EnumDescriptor] = []
    /// The top-level extensions, in source order.
    @exclusivity(unchecked) package internal(set) var extensions: [FieldDescriptor] = []
    /// The services, in source order.
    @exclusivity(unchecked) package internal(set) var services: [ServiceDescriptor] = []
    @exclusivity(unchecked) package internal(set) var options = Options()
    /// The resolved features of the file.
    @exclusivity(unchecked) package internal(set) var features = FeatureSet(defaultsOf: .proto2)
    /// The tokens, which aggregate option values refer to.
    var tokens: [Token] = []
    /// The comments of the first statement.
    @exclusivity(unchecked) package internal(set) var comments = Comments()
    /// The locations of all declarations; empty unless they were recorded.
    @exclusivity(unchecked) package internal(set) var locations: [SourceLocation] = []

    init(_ source: SourceFile) { self.source = source }
}

/// An import statement.
package struct Import: Sendable, Hashable {
    /// The kind of an import.
    package enum Kind: Sendable, Hashable {
        /// An import only for this file.
        case plain
        /// An import that is also visible to the importers of this file.
        case `public`
        /// An import that the file does not need at run time.
        case weak
        /// An import only of options (edition 2024).
        case option
    }

    /// The name of the imported file.
    package let path: String
    package let kind: Kind
    /// The position of the statement.
    let position: SourcePosition
}

/// The syntax of a file.
package enum Syntax: String, Sendable, Hashable {
    /// The syntax proto2, which is also the default.
    case proto2
    case proto3
    /// The syntax of files with an edition.
    case editions
}

/// An edition: a set of default features.
package enum Edition: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// The edition of defaults before proto2, which files cannot name.
    case legacy = 900
    case proto2 = 998
    case proto3 = 999
    case edition2023 = 1000
    case edition2024 = 1001
    case edition2026 = 1002

    /// Creates the edition that a file names; nil if it is unknown or files cannot name it.
    package init?(name: String) {
        let editions: [String: Edition] = ["2023": .edition2023, "2024": .edition2024, "2026": .edition2026]
        guard let edition = editions[name] else { return nil }
        self = edition
    }

    /// Whether the first edition is earlier than the second.
    package static func < (one: Edition, other: Edition) -> Bool { one.rawValue < other.rawValue }
}
