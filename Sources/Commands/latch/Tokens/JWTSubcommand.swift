// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchJOSE
import PortableFoundation

/// `latch jwt`: decodes, verifies and signs JSON Web Tokens.
enum JWTSubcommand {
    static let json = Option.flag("json", "one JSON object: header, claims, verified")

    static let subcommand = Subcommand(
        name: "jwt", summary: "reads, checks and signs JSON Web Tokens",
        examples: [
            .init(command: "latch token | latch jwt decode", purpose: "the claims of the current access token"),
            .init(
                command: "latch token | latch jwt verify --keys keys.json --audience api",
                purpose: "verify a token"),
        ],
        subcommands: [decode, JWTVerifySubcommand.subcommand, JWTSignSubcommand.subcommand])

    private static let decode = Subcommand(
        name: "decode", summary: "shows a token's header and claims without verifying it",
        discussion: """
            The signature is not verified: do not base a decision on the output.
            """,
        options: [json], arguments: [TokenText.argument],
        examples: [
            .init(command: "latch jwt decode < token.txt", purpose: "show a token's claims"),
            .init(command: "latch token | latch jwt decode --json", purpose: "the same for a script"),
        ],
        body: { invocation, environment in
            let token = try JWT(unverified: try await TokenText.read(invocation, environment))
            show(TokenReport(token: token, isVerified: false, now: Date()), invocation, environment)
            return .success
        })

    /// Prints the report as text or JSON.
    static func show(_ report: TokenReport, _ invocation: Invocation, _ environment: Environment) {
        if invocation.has(json) { environment.json(report.json) } else { environment.output.write(report.text) }
    }
}

/// The argument that names a token.
enum TokenText {
    /// Permits the command line, with a warning, since a token from an old log is harmless there.
    static let argument = Subcommand.Argument(
        name: "TOKEN", summary: "the token; left out, or as -, it is read from standard input", isOptional: true)

    /// Reads the token from the command line, from a pipe, or from a terminal that does not show it.
    static func read(_ invocation: Invocation, _ environment: Environment) async throws -> String {
        if let word = invocation.argument(0), word != "-" {
            environment.warn(
                "A token on the command line is visible to other users and kept in the shell's history.",
                hint: "Pipe it in: latch token | latch jwt decode")
            return word
        }
        guard environment.input.isTerminal else { return try await SecretInput.piped("token", environment) }
        return try await SecretInput.typed("token", prompt: "token: ", environment)
    }
}
