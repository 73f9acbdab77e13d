// SPDX-License-Identifier: Apache-2.0

/// Asks a user at a terminal before a call destroys something.
///
/// A call without a terminal continues without an answer. A script at a terminal gives `--yes`.
package struct ConfirmationPrompt: Sendable {
    /// The flag that answers the question.
    package static let yes = Option.flag("yes", short: "y", "does it without a question")

    private let isAsked: Bool
    private let environment: Environment

    package init(_ invocation: Invocation, _ environment: Environment) {
        self.environment = environment
        isAsked = environment.input.isTerminal && !invocation.has(Self.yes)
    }

    /// Says what will happen, and asks for yes or no.
    ///
    /// Call it before the first change.
    ///
    /// - Throws: `CommandError.failed` unless the answer is yes.
    package func agree(to consequence: String) async throws {
        guard isAsked else { return }
        let answer = try await answer(to: "Continue? [y/N] ", after: consequence)
        guard let answer, ["y", "yes"].contains(answer.lowercased()) else { throw Self.refusal("yes", answer) }
    }

    /// Says what will happen and cannot be undone, and asks the user to type a name.
    ///
    /// - Parameters:
    ///   - name: The address or the identifier of what is destroyed.
    ///   - purpose: The verb and its object after the name: "delete it".
    /// - Throws: `CommandError.failed` for any other answer.
    package func typing(_ name: String, to purpose: String, after consequence: String) async throws {
        guard isAsked else { return }
        let answer = try await answer(to: "Type \(name) to \(purpose): ", after: consequence)
        guard answer?.utf8.elementsEqual(name.utf8) == true else { throw Self.refusal("'\(name)'", answer) }
    }

    /// Returns the answer without spaces around it; nil at the end of the input.
    private func answer(to prompt: String, after consequence: String) async throws -> String? {
        let error = environment.error
        guard error.isTerminal else {
            throw CommandError.failed(
                "The question cannot be shown, so nothing was changed.", hint: "Answer in advance: --yes")
        }
        let words = consequence.printable.split(separator: " ").map(String.init)
        error.line(HelpText.wrapped(words, indent: 0, width: min(environment.width(of: error) ?? 80, 100)))
        let prompt = environment.style(of: error).heading(String(prompt.printable.dropLast())) + " "
        // Text typed before the question must not answer it.
        environment.input.discardTyped()
        let line = try await environment.input.line(true, environment.signals) { error.write(prompt) }
        guard let line else {
            // The end of the input has no line break.
            error.write("\n")
            return nil
        }
        let isSpace = { (character: Character) in character == " " || character == "\t" || character == "\r" }
        let start = line.drop(while: isSpace)
        return String(start.reversed().drop(while: isSpace).reversed())
    }

    private static func refusal(_ expected: String, _ answer: String?) -> CommandError {
        .failed(
            answer == nil
                ? "There was no answer, so nothing was changed."
                : "The answer was not \(expected), so nothing was changed.",
            hint: "Repeat the command, or answer in advance: --yes")
    }
}
