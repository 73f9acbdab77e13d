// SPDX-License-Identifier: Apache-2.0

/// How a message is written in the text format.
public struct TextWritingOptions: Sendable {
    /// Whether unknown fields are written too, by their numbers; what they mean is guessed, and cannot be read back.
    public var includesUnknownFields: Bool
    /// The messages that an Any is written as; one that is not among them is written as a URL and bytes.
    public var types: TypeRegistry
    /// The extensions that are read from inside of an Any.
    public var extensions: ExtensionSet

    /// Options; each is off unless it is named.
    public init(
        includesUnknownFields: Bool = false, types: TypeRegistry = [], extensions: ExtensionSet = []
    ) {
        self.includesUnknownFields = includesUnknownFields
        self.types = types
        self.extensions = extensions
    }
}
