// SPDX-License-Identifier: Apache-2.0

/// A .proto file that was read (`FileDescriptorProto`).
///
/// A file keeps all that is declared in it and the files that it imports; a message or a field alone keeps neither.
public final class FileDescriptor {
    /// The text.
    public let source: SourceText
    /// The name by which others import it.
    public var name: String { source.name }
    /// What all full names in it begin with; empty where there is none.
    @exclusivity(unchecked) public internal(set) var package = ""
    var packagePlace: Place?
    /// The language.
    @exclusivity(unchecked) public internal(set) var syntax = Syntax.proto2
    /// The edition whose defaults hold.
    @exclusivity(unchecked) public internal(set) var edition = Edition.proto2
    var syntaxPlace: Place?
    /// Whether its edition is one that only those who make it use.
    var isExperimental = false
    /// Whether the file says in which language it is.
    var namesSyntax = false
    /// What it imports, in order.
    @exclusivity(unchecked) public internal(set) var imports: [Import] = []
    /// The files behind them, which this one keeps, since its declarations refer to theirs.
    @exclusivity(unchecked) public internal(set) var dependencies: [FileDescriptor] = []
    /// Messages that stand in no other, in order.
    @exclusivity(unchecked) public internal(set) var messages: [MessageDescriptor] = []
    /// Enums that stand in no message, in order.
    @exclusivity(unchecked) public internal(set) var enums: [EnumDescriptor] = []
    /// Extensions that stand in no message, in order.
    @exclusivity(unchecked) public internal(set) var extensions: [FieldDescriptor] = []
    /// Services, in order.
    @exclusivity(unchecked) public internal(set) var services: [ServiceDescriptor] = []
    /// Options of the file.
    @exclusivity(unchecked) public internal(set) var options = Options()
    /// How declarations in it behave that say nothing else.
    @exclusivity(unchecked) public internal(set) var features = Features(defaultsOf: .proto2)
    /// Its tokens, for the options that are written in the text format.
    var tokens: [Token] = []
    /// Comments at its first statement.
    @exclusivity(unchecked) public internal(set) var comments = Comments()
    /// Where everything is; empty unless it was asked for.
    @exclusivity(unchecked) public internal(set) var locations: [SourceLocation] = []

    init(_ source: SourceText) { self.source = source }
}

/// An import of one file by another.
public struct Import: Sendable, Hashable {
    /// For what it is imported.
    public enum Kind: Sendable, Hashable {
        /// For the file itself.
        case plain
        /// Also for those who import the file.
        case `public`
        /// For the file itself, which can do without.
        case weak
        /// For the options alone (edition 2024).
        case option
    }

    /// The name of the other file.
    public let path: String
    /// For what.
    public let kind: Kind
    /// Where the statement begins.
    let place: Place
}
