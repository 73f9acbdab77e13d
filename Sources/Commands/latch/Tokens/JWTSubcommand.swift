// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchJOSE

/// `latch jwt`: decodes, verifies and signs JSON Web Tokens.
enum JWTSubcommand {
    static let json = Option.json("one JSON object: header, claims, verified")

    static let subcommand = Subcommand(
        name: "jwt", summary: "decodes, verifies and signs JSON Web Tokens",
        examples: [
            "latch token | latch jwt decode": "the claims of the current access token",
            "latch token | latch jwt verify --keys keys.json --audience api": "verify a token",
        ],
        subcommands: [decode, JWTVerifySubcommand.subcommand, JWTSignSubcommand.subcommand])

    private static let decode = Subcommand(
        name: "decode", summary: "shows a token's header and claims without verifying it",
        discussion: "The signature is not verified: do not base a decision on the output.",
        options: [json], arguments: [TokenText.argument],
        examples: [
            "latch jwt decode < token.txt": "show a token's claims",
            "latch token | latch jwt decode --json": "the same for a script",
        ],
        body: { invocation, environment in
            let token = try JWT(unverified: try await TokenText.read(invocation, environment))
            let report = TokenReport(token: token, isVerified: false)
            environment.write(report.text, orJSON: report.json, for: invocation)
            return .success
        })
}

/// The argument that names a token.
enum TokenText {
    /// The argument may be on the command line, with a warning: a token from an old log is harmless there.
    static let argument = Subcommand.Argument(
        name: "TOKEN", summary: "the token; left out, or as -, it is read from standard input", isOptional: true)

    /// Reads the token from the command line, from a pipe, or from a terminal without echo.
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
