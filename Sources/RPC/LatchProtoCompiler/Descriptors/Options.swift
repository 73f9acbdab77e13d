// SPDX-License-Identifier: Apache-2.0

/// The options of a declaration, uninterpreted and interpreted.
package struct Options {
    /// The options in source order.
    package internal(set) var uninterpreted: [UninterpretedOption] = []
    /// The interpreted options; empty before linking.
    package internal(set) var message = OptionMessage()

    init() {}
}

/// An option in the source (`UninterpretedOption`).
package struct UninterpretedOption: Sendable {
    /// A part of an option's name.
    package struct NamePart: Sendable, Hashable {
        /// The name; an extension's name may be qualified and begin with a dot.
        package let name: String
        /// Whether the name is in parentheses.
        package let isExtension: Bool
    }

    /// A value in the source.
    package enum Value: Sendable {
        case identifier(String)
        case positive(UInt64)
        case negative(Int64)
        case double(Double)
        case string([UInt8])
        /// The indices of the tokens between the braces, in the text format.
        case aggregate(Range<Int>)
    }

    package let name: [NamePart]
    package let value: Value
    package let namePosition: SourcePosition
    package let valuePosition: SourcePosition

    /// The name as written in the source.
    package var nameText: String { name.map { $0.isExtension ? "(\($0.name))" : $0.name }.joined(separator: ".") }

    /// Whether this is the option with a single name that is not an extension.
    func isNamed(_ name: String) -> Bool {
        self.name.count == 1 && !self.name[0].isExtension && self.name[0].name == name
    }

    /// Whether this sets the option with a single name to an identifier.
    func sets(_ name: String, to identifier: String) -> Bool {
        guard isNamed(name), case .identifier(let text) = value else { return false }
        return text == identifier
    }
}
