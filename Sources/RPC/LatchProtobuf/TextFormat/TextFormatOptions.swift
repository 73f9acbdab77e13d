// SPDX-License-Identifier: Apache-2.0

/// The options for decoding messages from the text format.
public struct TextFormatDecodingOptions: Sendable {
    /// Whether unknown fields are ignored; otherwise they are errors.
    public var ignoresUnknownFields: Bool
    /// The message types that an Any may contain.
    public var types: TypeRegistry
    /// The extensions to decode.
    public var extensions: ExtensionSet
    /// The largest nesting depth of messages, at most 512, which bounds the use of the stack.
    public var depth: Int

    /// Creates options; the defaults are the strictest.
    public init(
        ignoresUnknownFields: Bool = false, types: TypeRegistry = [], extensions: ExtensionSet = [], depth: Int = 100
    ) {
        self.ignoresUnknownFields = ignoresUnknownFields
        self.types = types
        self.extensions = extensions
        self.depth = depth
    }
}

/// The options for encoding messages in the text format.
public struct TextFormatEncodingOptions: Sendable {
    /// Whether unknown fields are written by number; their types are guessed, and they cannot be read back.
    public var includesUnknownFields: Bool
    /// The message types to expand in an Any; others are written as URL and bytes.
    public var types: TypeRegistry
    /// The extensions to decode inside an Any.
    public var extensions: ExtensionSet

    /// Creates options.
    public init(
        includesUnknownFields: Bool = false, types: TypeRegistry = [], extensions: ExtensionSet = []
    ) {
        self.includesUnknownFields = includesUnknownFields
        self.types = types
        self.extensions = extensions
    }
}
