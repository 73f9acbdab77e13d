// SPDX-License-Identifier: Apache-2.0

/// One call of a subcommand: its parsed options and arguments.
package struct Invocation: Sendable {
    /// The names of the given flags.
    private var flags: Set<String> = []
    /// The values by their option's long name, in the given order.
    private var values: [String: [String]] = [:]
    package private(set) var arguments: [String] = []

    init() {}

    /// Whether the user gave an option.
    package func has(_ option: Option) -> Bool { flags.contains(option.name) || values[option.name] != nil }

    /// Whether the user gave the flag `--json`.
    package var wantsJSON: Bool { flags.contains("json") }

    /// The value of an option; nil if not given.
    package subscript(option: Option) -> String? { values[option.name]?.last }

    /// Returns the values of an option that can be repeated, in order.
    package func all(_ option: Option) -> [String] { values[option.name] ?? [] }

    /// Returns the argument at an index; nil if omitted.
    package func argument(_ index: Int) -> String? { index < arguments.count ? arguments[index] : nil }

    /// Whether there are neither options nor arguments.
    var isEmpty: Bool { flags.isEmpty && values.isEmpty && arguments.isEmpty }

    /// Returns the value of an option in whole seconds; nil if not given.
    ///
    /// - Throws: `CommandError.usage` for a value that is not a number from 0 to 3,155,760,000. That is a hundred
    ///   years, which can be added to any date.
    package func seconds(_ option: Option) throws(CommandError) -> Duration? {
        guard let text = self[option] else { return nil }
        guard let seconds = Int64(text), (0...3_155_760_000).contains(seconds) else {
            throw .usage(
                "'--\(option.name)' needs a number of seconds.", hint: "Write '\(option.spelling)', such as 60.")
        }
        return .seconds(seconds)
    }

    /// Adds an option; the parser has checked that it may occur again.
    mutating func add(_ option: Option, value: String?) {
        if let value { values[option.name, default: []].append(value) } else { flags.insert(option.name) }
    }

    mutating func add(argument: String) { arguments.append(argument) }
}
