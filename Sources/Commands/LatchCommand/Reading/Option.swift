// SPDX-License-Identifier: Apache-2.0

/// A flag that a verb understands.
package struct Option: Sendable, Hashable {
    /// The long name, without dashes.
    package let name: String
    /// One letter that stands for the long name.
    package let letter: Character?
    /// What its value is, in capitals; nil where the flag alone says everything.
    package let value: String?
    /// What it does, in one line.
    package let summary: String
    /// Whether it may be given several times; each value counts.
    package var repeats = false

    /// A flag that is there or not.
    package static func flag(_ name: String, letter: Character? = nil, _ summary: String) -> Option {
        Option(name: name, letter: letter, value: nil, summary: summary)
    }

    /// A flag with a value: `--name VALUE` or `--name=VALUE`.
    package static func value(_ name: String, _ value: String, letter: Character? = nil, _ summary: String) -> Option {
        Option(name: name, letter: letter, value: value, summary: summary)
    }

    /// A flag with a value that may be given several times.
    package static func values(_ name: String, _ value: String, letter: Character? = nil, _ summary: String) -> Option {
        Option(name: name, letter: letter, value: value, summary: summary, repeats: true)
    }

    /// Every verb's way to explain itself.
    package static let help = Option.flag("help", letter: "h", "explains this with an example")

    /// The program's way to tell its version; known at the root alone.
    package static let version = Option.flag("version", "tells the version")

    /// The flag as it is written: `--listen HOST:PORT`.
    package var spelling: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
}
