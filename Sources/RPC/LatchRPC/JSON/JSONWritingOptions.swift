// SPDX-License-Identifier: Apache-2.0

/// How a message is written as JSON.
public struct JSONWritingOptions: Sendable {
    /// Whether fields without presence are written also where they are zero or empty.
    public var includesDefaults: Bool
    /// Whether members have the fields' names in the .proto file, instead of those in lowerCamelCase.
    public var preservesProtoNames: Bool
    /// Whether enums are written as numbers, instead of by name.
    public var enumsAsNumbers: Bool
    /// The messages that may stand in an Any.
    public var types: TypeRegistry
    /// The extensions that are read from inside of an Any.
    public var extensions: ExtensionSet

    /// Options; each is off unless it is named.
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
