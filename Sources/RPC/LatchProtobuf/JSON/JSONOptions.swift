// SPDX-License-Identifier: Apache-2.0

/// The options for decoding messages from JSON or the text format.
public struct JSONDecodingOptions: Sendable {
    /// Whether unknown fields, and unknown enum names in JSON, are ignored; otherwise they are errors.
    public var ignoresUnknownFields: Bool
    /// The message types that an Any may contain.
    public var types: TypeRegistry
    /// The extensions to decode.
    public var extensions: ExtensionSet
    /// The maximum nesting depth of messages, and in JSON of arrays; at most 512, which limits the use of the stack.
    public var depth: Int
    /// The approximate maximum memory of a message in bytes; applies only to JSON.
    public var allocatedBytes: Int

    /// Creates options, by default the strictest ones.
    public init(
        ignoresUnknownFields: Bool = false, types: TypeRegistry = [], extensions: ExtensionSet = [], depth: Int = 100,
        allocatedBytes: Int = .max
    ) {
        self.ignoresUnknownFields = ignoresUnknownFields
        self.types = types
        self.extensions = extensions
        self.depth = depth
        self.allocatedBytes = allocatedBytes
    }
}

/// The options for encoding messages as JSON.
public struct JSONEncodingOptions: Sendable {
    /// Whether fields with implicit presence are written even with their default value.
    public var includesDefaults: Bool
    /// Whether members have the field names of the .proto file instead of lowerCamelCase names.
    public var preservesProtoNames: Bool
    /// Whether enum values are written as numbers instead of names.
    public var enumsAsNumbers: Bool
    /// The message types that an Any may contain.
    public var types: TypeRegistry
    /// The extensions to decode inside an Any.
    public var extensions: ExtensionSet

    /// Creates options.
    public init(
        includesDefaults: Bool = false, preservesProtoNames: Bool = false, enumsAsNumbers: Bool = false,
        types: TypeRegistry = [], extensions: ExtensionSet = []
    ) {
        self.includesDefaults = includesDefaults
        self.preservesProtoNames = preservesProtoNames
        self.enumsAsNumbers = enumsAsNumbers
        self.types = types
        self.extensions = extensions
    }
}
