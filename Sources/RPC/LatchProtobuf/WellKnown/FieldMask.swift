// SPDX-License-Identifier: Apache-2.0

/// A set of field paths: `google.protobuf.FieldMask`.
public struct FieldMask: Message {
    /// The schema of the message.
    public static let schema = MessageSchema(
        "google.protobuf.FieldMask", "1 paths string repeated")

    /// The storage of the field values.
    public var storage: MessageStorage

    /// Takes a storage with this message's schema, as the decoder creates it.
    public init(storage: MessageStorage) { self.storage = storage }

    /// Creates an empty message.
    public init() { storage = MessageStorage(Self.schema) }

    /// Creates a mask of paths.
    public init(paths: [String]) {
        self.init()
        self.paths = paths
    }

    /// The paths in the spelling of the .proto file, with dots between nested fields.
    public var paths: [String] {
        get { storage[strings: 0] }
        set { storage[strings: 0] = newValue }
    }
}

extension FieldMask: ExpressibleByArrayLiteral {
    /// Creates a mask of paths.
    public init(arrayLiteral elements: String...) { self.init(paths: elements) }
}

extension FieldMask {
    /// Whether the mask contains a path or one of its parents.
    public func contains(_ path: String) -> Bool {
        paths.contains { path == $0 || path.utf8.starts(with: ($0 + ".").utf8) }
    }
}

/// The two spellings of field mask paths: `user.display_name` in messages, `user.displayName` in JSON.
///
/// Only paths that round-trip are accepted (protobuf.dev, FieldMask in JSON).
enum FieldPathText {
    /// Returns the path in lowerCamelCase.
    ///
    /// Returns nil if it has capitals, a comma, or a `_` without a lowercase letter after it.
    static func camel(_ path: String) -> String? {
        let camel = SchemaParser.lowerCamel(path)
        return snake(camel) == path && !path.utf8.contains(UInt8(ascii: ",")) ? camel : nil
    }

    /// Returns the path in snake_case; nil if it contains a `_`.
    static func snake(_ path: some StringProtocol) -> String? {
        guard !path.utf8.contains(UInt8(ascii: "_")) else { return nil }
        return path.unicodeScalars.map { ("A"..."Z").contains($0) ? "_\($0.properties.lowercaseMapping)" : "\($0)" }
            .joined()
    }
}
