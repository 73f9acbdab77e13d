// SPDX-License-Identifier: Apache-2.0

/// A set of extensions to decode; other extension numbers become unknown fields.
public struct ExtensionSet: Sendable, ExpressibleByArrayLiteral {
    private var schemas: [String: [UInt32: MessageSchema]] = [:]

    /// Creates a set, for instance with all extensions of a file.
    public init(_ extensions: [any ExtensionField] = []) {
        for field in extensions { insert(field) }
    }

    /// Creates a set from an array literal.
    public init(arrayLiteral elements: any ExtensionField...) { self.init(elements) }

    /// Whether the set is empty.
    public var isEmpty: Bool { schemas.isEmpty }

    /// Adds an extension.
    public mutating func insert(_ field: any ExtensionField) {
        schemas[field.extendedName, default: [:]][field.number] = field.schema
    }

    /// Adds the extensions of another set; for equal numbers, the existing extension stays.
    public mutating func formUnion(_ other: ExtensionSet) {
        for (name, added) in other.schemas { schemas[name, default: [:]].merge(added) { mine, _ in mine } }
    }

    /// Returns the schema of an extension by its number: a message with one field.
    func schema(_ number: UInt32, of message: String) -> MessageSchema? { schemas[message]?[number] }

    /// Returns the schemas of a message's extensions.
    func schemas(of message: String) -> [MessageSchema] { schemas[message].map { Array($0.values) } ?? [] }

    /// Returns the schema of an extension by its full name: a message with one field.
    func schema(named name: some StringProtocol, of message: String) -> MessageSchema? {
        schemas(of: message).first { $0.fields.first.map { $0.name == name } == true }
    }
}
