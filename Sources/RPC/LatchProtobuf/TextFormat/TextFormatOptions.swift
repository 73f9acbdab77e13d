// SPDX-License-Identifier: Apache-2.0

/// The options for decoding messages from the text format.
public typealias TextFormatDecodingOptions = JSONDecodingOptions

/// The options for encoding messages in the text format.
public struct TextFormatEncodingOptions: Sendable {
    /// Whether unknown fields are written by number; their types are guessed, and they cannot be read back.
    public var includesUnknownFields: Bool
    /// The message types that are expanded in an Any; other types are written as URL and bytes.
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
