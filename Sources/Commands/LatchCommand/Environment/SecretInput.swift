// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Secrets that are read from standard input or a terminal, and never from the command line.
package enum SecretInput {
    /// The maximum length in bytes, far above that of any password or token.
    private static let limit = 65_536

    /// Reads a single piped line, without its line break.
    ///
    /// - Parameter what: The name of the secret in errors: "password".
    /// - Throws: `CommandError.failed` for empty input, more than one line, or bytes that are not UTF-8.
    package static func piped(_ what: String, _ environment: Environment) async throws -> String {
        let text = try await text(what, environment)
        guard !text.isEmpty else {
            throw CommandError.failed("There is no \(what) on standard input.", hint: "Pipe it in, on one line.")
        }
        guard !text.contains(where: \.isNewline) else {
            throw CommandError.failed("Standard input holds more than one line.", hint: "Pipe in only the \(what).")
        }
        return text
    }

    /// Reads one or two piped lines, without their line breaks.
    ///
    /// - Parameters:
    ///   - what: The name of the first secret in errors: "password".
    ///   - other: The name of the second secret: "code".
    /// - Throws: `CommandError.failed` for an empty line, more than two lines, or bytes that are not UTF-8.
    package static func piped(
        _ what: String, optionally other: String, _ environment: Environment
    ) async throws -> (first: String, second: String?) {
        let text = try await text(what, environment)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        guard let first = lines.first, !first.isEmpty else {
            throw CommandError.failed("There is no \(what) on standard input.", hint: "Pipe it in, on one line.")
        }
        guard lines.count <= 2 else {
            throw CommandError.failed(
                "Standard input holds more than two lines.", hint: "Pipe in the \(what), and the \(other) below it.")
        }
        guard lines.last?.isEmpty == false else {
            throw CommandError.failed("There is no \(other) on the second line of standard input.")
        }
        return (first, lines.count == 2 ? lines[1] : nil)
    }

    /// Reads exactly two piped lines, without their line breaks.
    ///
    /// - Parameter names: The names of the secrets in errors: "current password" and "new password".
    /// - Throws: `CommandError.failed` for any other number of lines, an empty line, or bytes that are not UTF-8.
    package static func piped(
        _ names: (first: String, second: String), _ environment: Environment
    ) async throws -> (first: String, second: String) {
        let text = try await text("\(names.first) and the \(names.second)", environment)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        guard lines.count == 2, !lines.contains("") else {
            throw CommandError.failed(
                "Standard input does not hold two lines.",
                hint: "Pipe in the \(names.first) and the \(names.second), on one line each.")
        }
        return (lines[0], lines[1])
    }

    /// Reads all piped input without the last line break and the byte order mark that PowerShell writes.
    private static func text(_ what: String, _ environment: Environment) async throws -> String {
        let bytes = try await environment.input.all(limit)
        guard bytes.count <= limit else { throw CommandError.failed("The \(what) on standard input is too long.") }
        guard var text = String(validating: bytes.withoutByteOrderMark, as: UTF8.self) else {
            throw CommandError.failed("The \(what) on standard input is not UTF-8.")
        }
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        return text
    }

    /// Prompts for a secret on the terminal without echo.
    ///
    /// - Throws: `CommandError.failed` if the user enters nothing.
    package static func typed(_ what: String, prompt: String, _ environment: Environment) async throws -> String {
        let line = try await environment.input.line(false, environment.signals) { environment.error.write(prompt) }
        // The user's line break had no echo either.
        environment.error.write("\n")
        guard let line, !line.isEmpty else { throw CommandError.failed("There is no \(what).") }
        return line
    }
}
