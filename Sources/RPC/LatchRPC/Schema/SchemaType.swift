// SPDX-License-Identifier: Apache-2.0

/// A type that a schema can name: a message or an enum.
public protocol SchemaType: Sendable {
    /// What the type is made of.
    static var shape: TypeShape { get }
}

/// What a type of a schema is.
public enum TypeShape: Sendable {
    /// A message and its fields.
    case message(MessageSchema)
    /// An enum and its values.
    case enumeration(EnumSchema)
}
