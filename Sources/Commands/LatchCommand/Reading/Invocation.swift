// SPDX-License-Identifier: Apache-2.0

/// One call of a verb: what stood on the command line, read by the verb's own flags.
package struct Invocation: Sendable {
    /// Names of the flags that were given and take no value.
    package private(set) var flags: Set<String> = []
    /// Values by the long name of their flag, in the order in which they were given.
    package private(set) var values: [String: [String]] = [:]
    package private(set) var operands: [String] = []

    /// Nothing yet.
    package init() {}

    /// Whether a flag was given.
    package func has(_ option: Option) -> Bool { flags.contains(option.name) || values[option.name] != nil }

    /// The value of a flag; nil where it was not given.
    package subscript(option: Option) -> String? { values[option.name]?.last }

    /// The values of a flag that may be given several times, in order.
    package func all(_ option: Option) -> [String] { values[option.name] ?? [] }

    /// The word at a place; nil where it was left out.
    package func operand(_ place: Int) -> String? { place < operands.count ? operands[place] : nil }

    /// Whether nothing has been given yet.
    package var isEmpty: Bool { flags.isEmpty && values.isEmpty && operands.isEmpty }

    /// Keeps a flag; the parser has made sure that it does not stand more often than it may.
    package mutating func add(_ option: Option, value: String?) {
        if let value { values[option.name, default: []].append(value) } else { flags.insert(option.name) }
    }

    package mutating func add(operand: String) { operands.append(operand) }
}
