// SPDX-License-Identifier: Apache-2.0

/// The options of a declaration: as they are written, and as they are meant.
public struct Options {
    /// What is written, in order (`UninterpretedOption`).
    public internal(set) var statements: [OptionStatement] = []
    /// What it means: the fields of the options message; empty before linking.
    public internal(set) var message = OptionMessage()

    /// None.
    init() {}
}

/// One option as it is written: a name of several parts, and a value.
public struct OptionStatement: Sendable {
    /// A part of a name.
    public struct NamePart: Sendable, Hashable {
        /// The name, which for an extension may be qualified and begin with a dot.
        public let name: String
        /// Whether it stands in parentheses.
        public let isExtension: Bool
    }

    /// A value as it is written.
    public enum Value: Sendable {
        case identifier(String)
        case positive(UInt64)
        case negative(Int64)
        case double(Double)
        case string([UInt8])
        /// The tokens between the braces, for the reader of the text format.
        case aggregate(Range<Int>)
    }

    /// The name.
    public let name: [NamePart]
    /// The value.
    public let value: Value
    /// Where the name begins.
    package let namePlace: Place
    /// Where the value begins.
    package let valuePlace: Place

    /// The name as it is written.
    public var nameText: String { name.map { $0.isExtension ? "(\($0.name))" : $0.name }.joined(separator: ".") }

    /// Whether it is the plain option of that name.
    func isNamed(_ name: String) -> Bool {
        self.name.count == 1 && !self.name[0].isExtension && self.name[0].name == name
    }
}
