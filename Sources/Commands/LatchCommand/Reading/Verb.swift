// SPDX-License-Identifier: Apache-2.0

/// Something that a command can do, or a group of such things.
package struct Verb: Sendable {
    /// What a verb runs when it is called.
    package typealias Body = @Sendable (Invocation, Shell) async throws -> ExitCode

    /// A call as one would type it, and what it is good for.
    package struct Example: Sendable {
        package let command: String
        package let purpose: String

        package init(command: String, purpose: String) {
            self.command = command
            self.purpose = purpose
        }
    }

    /// A word after the verb that is no flag.
    package struct Operand: Sendable {
        package let name: String
        package let summary: String
        /// Whether it may be left out; only the last ones may.
        package var isOptional = false
        /// Whether any number of words may stand in its place; only the last one may.
        package var repeats = false

        package init(name: String, summary: String, isOptional: Bool = false, repeats: Bool = false) {
            self.name = name
            self.summary = summary
            self.isOptional = isOptional
            self.repeats = repeats
        }
    }

    package let name: String
    package let summary: String
    /// Paragraphs for those who read the help of this verb alone.
    package var discussion: String?
    /// Without the one for help, which every verb has.
    package var options: [Option] = []
    /// Flags that a later version has, each with what to do until then.
    ///
    /// Help does not show them, and to give one is a mistake in the call that is told as what it is.
    package var later: [String: String] = [:]
    /// Whether letters may be joined, and values to their letter, as curl has it: `-if`, `-d@file`.
    package var joinsLetters = false
    /// Words that must be there, in this order.
    package var operands: [Operand] = []
    /// At least one; tests hold the parser to all of them.
    package var examples: [Example] = []
    /// What it groups; a verb has these or operands, never both.
    package var verbs: [Verb] = []
    /// Nil for a group that cannot be called by itself.
    package var body: Body?

    package init(
        name: String, summary: String, discussion: String? = nil, options: [Option] = [], later: [String: String] = [:],
        joinsLetters: Bool = false, operands: [Operand] = [], examples: [Example] = [], verbs: [Verb] = [],
        body: Body? = nil
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.options = options
        self.later = later
        self.joinsLetters = joinsLetters
        self.operands = operands
        self.examples = examples
        self.verbs = verbs
        self.body = body
    }

    /// The flags that it understands, the one for help included.
    package var allOptions: [Option] { options + [.help] }
}
