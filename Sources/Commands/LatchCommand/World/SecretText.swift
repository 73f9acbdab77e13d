// SPDX-License-Identifier: Apache-2.0

/// A secret that comes in by standard input or from a terminal, and never by the command line.
package enum SecretText {
    /// Far longer than any password or token that somebody has.
    private static let limit = 65_536

    /// The one line that is piped in, without its line break.
    ///
    /// - Parameter what: What it is, for the errors: "password".
    /// - Throws: `CommandError.failed` where there is nothing, more than one line, or something that is no text.
    package static func piped(_ what: String, _ shell: Shell) async throws -> String {
        let bytes = try await shell.input.all(limit)
        guard bytes.count <= limit else { throw CommandError.failed("The \(what) on standard input is too long.") }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError.failed("The \(what) on standard input is not UTF-8.")
        }
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        guard !text.isEmpty else {
            throw CommandError.failed("There is no \(what) on standard input.", hint: "Pipe it in, on one line.")
        }
        guard !text.contains(where: \.isNewline) else {
            throw CommandError.failed("Standard input holds more than one line.", hint: "Pipe in the \(what) alone.")
        }
        return text
    }

    /// What a person types at the terminal, where nobody sees it.
    ///
    /// - Throws: `CommandError.failed` where they type nothing.
    package static func typed(_ what: String, prompt: String, _ shell: Shell) async throws -> String {
        shell.error.write(prompt)
        let line = try await shell.input.line(false, shell.signals)
        // The line break that the person typed was not shown either.
        shell.error.write("\n")
        guard let line, !line.isEmpty else { throw CommandError.failed("There is no \(what).") }
        return line
    }
}
