// SPDX-License-Identifier: Apache-2.0

/// Something that `latch` can do, or a group of such things.
struct Verb: Sendable {
    /// What a verb runs when it is called.
    typealias Body = @Sendable (Invocation, Shell) async throws -> ExitCode

    /// A call as one would type it, and what it is good for.
    struct Example: Sendable {
        let command: String
        let purpose: String
    }

    /// A word after the verb that is no flag.
    struct Operand: Sendable {
        let name: String
        let summary: String
        /// Whether it may be left out; only the last ones may.
        var isOptional = false
    }

    let name: String
    let summary: String
    /// Paragraphs for those who read the help of this verb alone.
    var discussion: String?
    /// Without the one for help, which every verb has.
    var options: [Option] = []
    /// Flags that a later version has, each with what to do until then.
    ///
    /// Help does not show them, and to give one is a mistake in the call that is told as what it is.
    var later: [String: String] = [:]
    /// Whether letters may be joined, and values to their letter, as curl has it: `-if`, `-d@file`.
    var joinsLetters = false
    /// Words that must be there, in this order.
    var operands: [Operand] = []
    /// At least one; tests hold the parser to all of them.
    var examples: [Example] = []
    /// What it groups; a verb has these or operands, never both.
    var verbs: [Verb] = []
    /// Nil for a group that cannot be called by itself.
    var body: Body?

    /// The flags that it understands, the one for help included.
    var allOptions: [Option] { options + [.help] }
}
