// SPDX-License-Identifier: Apache-2.0

/// One call of a verb: what stood on the command line, read by the verb's own flags.
struct Invocation: Sendable {
    /// Names of the flags that were given and take no value.
    private(set) var flags: Set<String> = []
    /// Values by the long name of their flag.
    private(set) var values: [String: String] = [:]
    private(set) var operands: [String] = []

    /// Whether a flag was given.
    func has(_ option: Option) -> Bool { flags.contains(option.name) || values[option.name] != nil }

    /// The value of a flag; nil where it was not given.
    subscript(option: Option) -> String? { values[option.name] }

    /// Keeps a flag; the parser has made sure that it stands once.
    mutating func add(_ option: Option, value: String?) {
        if let value { values[option.name] = value } else { flags.insert(option.name) }
    }

    mutating func add(operand: String) { operands.append(operand) }
}
