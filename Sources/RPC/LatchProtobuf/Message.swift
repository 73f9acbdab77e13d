// SPDX-License-Identifier: Apache-2.0

/// A protobuf message: a value whose only stored property is its storage.
///
/// Generated types conform to it; `init(storage:)` must keep the storage as it is.
public protocol Message: SchemaType, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
    static var schema: MessageSchema { get }
    /// The storage of the field values.
    var storage: MessageStorage { get set }
    init(storage: MessageStorage)
}

extension Message {
    /// The full name of the message, such as `userservice.v1.User`.
    public static var name: String { schema.name }

    /// Creates an empty message.
    public init() { self.init(storage: MessageStorage(Self.schema)) }

    /// Whether all required fields are set, including those of nested messages.
    public var isInitialized: Bool { storage.firstMissing() == nil }

    /// The decoded fields that are not in the schema.
    public var unknownFields: UnknownFields {
        get { storage.unknownFields }
        set { storage.unknownFields = newValue }
    }

    /// Compares the fields, then unknown fields and extensions.
    public static func == (left: Self, right: Self) -> Bool { left.storage == right.storage }

    /// Hashes the values that `==` compares.
    public func hash(into hasher: inout Hasher) { storage.hash(into: &hasher) }

    /// The fields that are set, with secrets redacted.
    public var description: String { storage.description }

    /// The same as `description`, because debug output must not show secrets either.
    public var debugDescription: String { storage.description }
}

/// A type that a schema can refer to: a message or an enum.
public protocol SchemaType: Sendable {}
