// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchTexts

/// A terminal on which a user reads screens: lines and prompts on standard error, in the user's language.
struct ScreenConsole: Sendable {
    let environment: Environment
    let texts: Texts
    /// The origin of the server, shown in the titles of the screens.
    let server: String

    init(_ environment: Environment, server: String) {
        self.environment = environment
        self.server = server
        texts = Texts(languages: Self.languages(environment.variables))
    }

    /// Returns the language from the first variable that is set (POSIX, Base Definitions §8.2): `de` for `de_DE.UTF-8`.
    static func languages(_ variables: [String: String]) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
        return locale.map { [String($0.prefix { $0 != "." && $0 != "@" })] } ?? []
    }

    func line(_ text: String) { environment.error.line(text.printable) }

    func line(_ phrase: Phrase) { line(texts(phrase)) }

    /// Prompts for one line.
    ///
    /// - Throws: `CommandError.failed` at the end of the input, such as Ctrl-D.
    func read(_ prompt: String, isShown: Bool = true) async throws -> String {
        let error = environment.error
        let prompt = prompt.printable + ": "
        let line = try await environment.input.line(isShown, environment.signals) { error.write(prompt) }
        // The user's line break had no echo, and the end of the input has no line break.
        if !isShown || line == nil { error.write("\n") }
        guard let line else { throw cancelled }
        return line
    }

    /// The error for a user who has left a screen.
    var cancelled: CommandError { .failed(texts(Phrase("failure.cancelled"))) }
}
