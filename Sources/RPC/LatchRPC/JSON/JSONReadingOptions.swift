// SPDX-License-Identifier: Apache-2.0

/// How JSON is read as a message.
public struct JSONReadingOptions: Sendable {
    /// Whether members that the message does not have are skipped, and enum values with unknown names left out.
    ///
    /// Without it both are errors (protobuf.dev, ProtoJSON).
    public var ignoresUnknownFields: Bool
    /// The messages that may stand in an Any.
    public var types: TypeRegistry
    /// The extensions that are read as such.
    public var extensions: ExtensionSet
    /// How deep messages, objects and arrays may be nested; at most 512, so that no text can exhaust the stack.
    public var depth: Int

    /// Options; each is the strictest unless it is named.
    public init(
        ignoresUnknownFields: Bool = false, types: TypeRegistry = [], extensions: ExtensionSet = [], depth: Int = 100
    ) {
        self.ignoresUnknownFields = ignoresUnknownFields
        self.types = types
        self.extensions = extensions
        self.depth = depth
    }
}
