// SPDX-License-Identifier: Apache-2.0

/// Names of fields that a request is about: `google.protobuf.FieldMask`.
public struct FieldMask: Message {
    /// The message's fields.
    public static let schema = MessageSchema(
        "google.protobuf.FieldMask", "1 paths string repeated", types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The mask of these paths.
    public init(paths: [String] = []) {
        storage = MessageStorage(Self.schema)
        if !paths.isEmpty { self.paths = paths }
    }

    /// The paths, in the .proto file's spelling, with dots between fields of fields.
    public var paths: [String] {
        get { storage[strings: 0] }
        set { storage[strings: 0] = newValue }
    }
}

extension FieldMask: ExpressibleByArrayLiteral {
    /// The mask of these paths.
    public init(arrayLiteral elements: String...) { self.init(paths: elements) }
}

extension FieldMask {
    /// Whether the mask names the field of a path, or one that holds it.
    public func contains(_ path: String) -> Bool { paths.contains { path == $0 || path.hasPrefix($0 + ".") } }
}
