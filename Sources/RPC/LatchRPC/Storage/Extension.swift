// SPDX-License-Identifier: Apache-2.0

/// A field that a message gets from another file (`extend`), whatever its type.
public protocol ExtensionField: Sendable {
    /// The full name of the message that is extended.
    var extendedName: String { get }
    /// The field's number.
    var number: UInt32 { get }
    /// The schema of a message with this one field.
    var schema: MessageSchema { get }
}

/// A field of type `Value` that `Extended` gets from another file.
///
/// Its text is a line as in a message's schema, with the full name: `100 userservice.v1.nick string optional`. An extension
/// of a type that is not optional reads as its default where it is absent.
public struct Extension<Extended: Message, Value: Sendable>: ExtensionField {
    /// The schema of a message with this one field.
    public let schema: MessageSchema
    let read: @Sendable (MessageStorage) -> Value
    let write: @Sendable (inout MessageStorage, Value) -> Void

    /// The full name of the message that is extended.
    public var extendedName: String { Extended.name }

    /// The field's number.
    public var number: UInt32 { schema.fields.first?.number ?? 0 }

    /// The full name of the extension.
    public var name: String { schema.fields.first?.name ?? "" }

    init(
        _ text: String, _ types: [any SchemaType.Type], read: @escaping @Sendable (MessageStorage) -> Value,
        write: @escaping @Sendable (inout MessageStorage, Value) -> Void
    ) {
        schema = MessageSchema(Extended.name, text, types: types)
        self.read = read
        self.write = write
    }
}
