// SPDX-License-Identifier: Apache-2.0

/// Extensions that are understood when a message is read; those of other numbers are unknown fields.
public struct ExtensionSet: Sendable, ExpressibleByArrayLiteral {
    private var schemas: [String: [UInt32: MessageSchema]] = [:]

    /// The extensions of a list, such as all of a file.
    public init(_ extensions: [any ExtensionField] = []) {
        for field in extensions { insert(field) }
    }

    /// The extensions of a list.
    public init(arrayLiteral elements: any ExtensionField...) { self.init(elements) }

    /// Whether there are none.
    public var isEmpty: Bool { schemas.isEmpty }

    /// Adds an extension.
    public mutating func insert(_ field: any ExtensionField) {
        schemas[field.extendedName, default: [:]][field.number] = field.schema
    }

    /// Adds the extensions of another set; of two with one number the one that was there stays.
    public mutating func formUnion(_ other: ExtensionSet) {
        for (name, added) in other.schemas { schemas[name, default: [:]].merge(added) { mine, _ in mine } }
    }

    /// The schema of an extension by its number: a message with that one field.
    func schema(_ number: UInt32, of message: String) -> MessageSchema? { schemas[message]?[number] }

    /// The schemas of the extensions of a message.
    func schemas(of message: String) -> [MessageSchema] { schemas[message].map { Array($0.values) } ?? [] }
}
