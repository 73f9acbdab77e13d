// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// The token that a verb is about.
enum TokenText {
    /// It may stand on the command line, since many have them in an old log; the warning says what that costs.
    static let operand = Verb.Operand(
        name: "TOKEN", summary: "the token; left out, or as -, it is read from standard input", isOptional: true)

    /// Reads the token from the command line, from a pipe, or from a terminal that does not show it.
    static func read(_ invocation: Invocation, _ shell: Shell) async throws -> String {
        if let word = invocation.operand(0), word != "-" {
            shell.warn(
                "A token on the command line is seen by other users and kept in the shell's history.",
                hint: "Pipe it in: latch token | latch jwt decode")
            return word
        }
        guard shell.input.isTerminal else { return try await SecretText.piped("token", shell) }
        return try await SecretText.typed("token", prompt: "token: ", shell)
    }
}
