// SPDX-License-Identifier: Apache-2.0

/// A subcommand of a command, or a group of subcommands.
package struct Subcommand: Sendable {
    /// The code that runs when the subcommand is called.
    package typealias Body = @Sendable (Invocation, Environment) async throws -> ExitCode

    /// A positional argument.
    package struct Argument: Sendable {
        package let name: String
        package let summary: String
        /// Whether the user may omit it; only the last arguments may be optional.
        package var isOptional = false
        /// Whether it accepts any number of words; only the last argument may.
        package var repeats = false
        /// Whether it is a base64url identifier that the program showed, which may begin with a dash.
        package var isIdentifier = false

        package init(
            name: String, summary: String, isOptional: Bool = false, repeats: Bool = false, isIdentifier: Bool = false
        ) {
            self.name = name
            self.summary = summary
            self.isOptional = isOptional
            self.repeats = repeats
            self.isIdentifier = isIdentifier
        }
    }

    /// Subcommands under a heading of the help.
    package struct Group: Sendable {
        package let title: String
        package let subcommands: [Subcommand]

        package init(_ title: String, _ subcommands: [Subcommand]) {
            self.title = title
            self.subcommands = subcommands
        }
    }

    package let name: String
    package let summary: String
    /// Paragraphs that only the help of this subcommand shows.
    package var discussion: String?
    /// The options, except `--help`, which every subcommand has.
    package var options: [Option] = []
    /// Options of a later version, each with a current alternative.
    ///
    /// Help does not list them; using one is a usage error that names the alternative.
    package var plannedOptions: [String: String] = [:]
    /// Whether short names can be combined and directly followed by a value, as in curl: `-if`, `-d@file`.
    package var combinesShortNames = false
    /// The positional arguments, in order.
    package var arguments: [Argument] = []
    /// At least one example call with its purpose; tests parse all of them.
    package var examples: KeyValuePairs<String, String> = [:]
    /// The subcommands under their headings; a subcommand with some has no arguments.
    ///
    /// Help, manual page and completions follow this order.
    package var groups: [Group] = []
    /// The code to run; nil for a group that cannot be called by itself.
    package var body: Body?

    package init(
        name: String, summary: String, discussion: String? = nil, options: [Option] = [],
        plannedOptions: [String: String] = [:], combinesShortNames: Bool = false, arguments: [Argument] = [],
        examples: KeyValuePairs<String, String> = [:], subcommands: [Subcommand] = [], groups: [Group] = [],
        body: Body? = nil
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.options = options
        self.plannedOptions = plannedOptions
        self.combinesShortNames = combinesShortNames
        self.arguments = arguments
        self.examples = examples
        self.groups = groups
        self.body = body
        if !subcommands.isEmpty { self.subcommands = subcommands }
    }

    /// All subcommands; setting them leaves one group without a particular heading.
    package var subcommands: [Subcommand] {
        get { groups.flatMap(\.subcommands) }
        set { groups = newValue.isEmpty ? [] : [Group("subcommands", newValue)] }
    }

    /// All options, including `--help`.
    package var allOptions: [Option] { options + [.help] }
}

/// An option of a subcommand, with or without a value.
package struct Option: Sendable, Hashable {
    /// The long name, without dashes.
    package let name: String
    /// The one-letter name.
    package let short: Character?
    /// The placeholder of the value, in capitals; nil for a flag.
    package let value: String?
    /// The effect, in one line.
    package let summary: String
    /// Whether the option can be repeated; each value counts.
    package var repeats = false

    /// Creates a flag, which takes no value.
    package static func flag(_ name: String, short: Character? = nil, _ summary: String) -> Option {
        Option(name: name, short: short, value: nil, summary: summary)
    }

    /// Creates an option with a value: `--name VALUE` or `--name=VALUE`.
    package static func value(_ name: String, _ value: String, short: Character? = nil, _ summary: String) -> Option {
        Option(name: name, short: short, value: value, summary: summary)
    }

    /// Creates an option with a value that can be repeated.
    package static func values(_ name: String, _ value: String, short: Character? = nil, _ summary: String) -> Option {
        Option(name: name, short: short, value: value, summary: summary, repeats: true)
    }

    /// Creates the flag `--json`.
    package static func json(_ summary: String) -> Option { .flag("json", summary) }

    /// The flag `--help`, which every subcommand has.
    package static let help = Option.flag("help", short: "h", "shows this help")

    /// The flag `--version`, which only the root command has.
    package static let version = Option.flag("version", "prints the version")

    /// The option as the user writes it: `--listen HOST:PORT`.
    package var spelling: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
}
