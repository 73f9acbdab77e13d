// SPDX-License-Identifier: Apache-2.0

/// A message of a .proto file: a value whose one stored property is its storage.
///
/// Generated types conform; `init(storage:)` keeps the storage as it is.
public protocol Message: SchemaType, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The message's fields.
    static var schema: MessageSchema { get }
    /// The message's values.
    var storage: MessageStorage { get set }
    /// A message of its values.
    init(storage: MessageStorage)
}

extension Message {
    /// The message's schema.
    public static var shape: TypeShape { .message(schema) }

    /// The full name, such as `userservice.v1.User`.
    public static var name: String { schema.name }

    /// A message without values.
    public init() { self.init(storage: MessageStorage(Self.schema)) }

    /// Whether each required field is set, here and in the messages inside.
    public var isInitialized: Bool { storage.isInitialized }

    /// Fields that came in and are not in the schema.
    public var unknownFields: UnknownFields {
        get { storage.unknownFields }
        set { storage.unknownFields = newValue }
    }

    /// Compares the values field by field, then unknown fields and extensions.
    public static func == (left: Self, right: Self) -> Bool { left.storage == right.storage }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { storage.hash(into: &hasher) }

    /// The fields that are set; those marked as secret are redacted.
    public var description: String { storage.description }

    /// The same as `description`, since a secret must not be shown there either.
    public var debugDescription: String { storage.description }
}
