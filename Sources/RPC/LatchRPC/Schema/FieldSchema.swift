// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// What is known of one field, apart from where it lies.
struct FieldSchema: Sendable {
    enum Cardinality: UInt8, Sendable { case singular, repeated, map }
    enum Presence: UInt8, Sendable {
        /// A value that differs from zero is there.
        case implicit
        /// The field knows whether it was set.
        case explicit
        /// The oneof knows which of its fields was set.
        case oneof
    }

    /// A default that is not zero.
    enum Default: Sendable {
        /// A number's bits as they lie in memory.
        case bits(UInt64)
        case text(String)
        case bytes(Data)
    }

    /// The field's place in the schema's text.
    var slot = 0
    var number: UInt32 = 0
    /// The name in the .proto file; the full name of an extension.
    var name = ""
    var jsonName = ""
    var kind = FieldKind.bool
    var cardinality = Cardinality.singular
    var presence = Presence.implicit
    var isRequired = false
    /// Several values lie in one run of bytes.
    var isPacked = false
    /// It must never be shown.
    var isSecret = false
    /// A string that may hold bytes which are not UTF-8.
    var isRaw = false
    /// The number of the oneof within its message.
    var oneof: Int?
    /// The kind of a map's keys; `kind` is then that of its values.
    var key: FieldKind?
    /// The message or enum: its place in the list of types, the type and its schema.
    var typeIndex: Int?
    var type: (any SchemaType.Type)?
    var child: MessageSchema?
    var enumeration: EnumSchema?
    var defaultText: String?
    var defaultValue: Default?
}
