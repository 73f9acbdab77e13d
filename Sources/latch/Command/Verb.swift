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
    }

    let name: String
    let summary: String
    var discussion: String?
    var options: [Option] = []
    var operands: [Operand] = []
    var examples: [Example] = []
    var verbs: [Verb] = []
    var body: Body?

    /// The flags that it understands, the one for help included.
    var allOptions: [Option] { options + [.help] }
}
