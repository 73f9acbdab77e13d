// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchCommand
import LatchCore
import LatchGeneratorCommands
import LatchHTTP

/// The program `latch`.
///
/// The main thread waits for signals; everything else runs on other threads. For that reason `main` is not
/// asynchronous: see `Command.runMain`.
@main
enum Latch {
    static func main() { Program.command.runMain() }
}

/// The command `latch` with all subcommands.
enum Program {
    static let version = packageVersion

    static let root: Subcommand = Subcommand(
        name: "latch", summary: "authentication for users, apps and APIs",
        examples: [
            "latch demo": "see it work: a real server and store, each step checked",
            "latch serve --store sqlite:latch.sqlite": "run the auth server",
            "latch login --issuer http://127.0.0.1:8080 --account ada@example.com":
                "sign in at it, then: latch request GET /user/profile",
        ],
        groups: [
            .init(
                "accounts",
                [
                    SignUpSubcommand.subcommand, LoginSubcommand.subcommand, LogoutSubcommand.subcommand,
                    PasswordSubcommand.subcommand, WhoamiSubcommand.subcommand, AccountsSubcommand.subcommand,
                    RequestSubcommand.subcommand, DoctorSubcommand.subcommand,
                ]),
            .init("tokens", [TokenSubcommand.subcommand, JWTSubcommand.subcommand, KeysSubcommand.subcommand]),
            .init(
                "server",
                [
                    ServeSubcommand.subcommand, AdminSubcommand.subcommand, DemoSubcommand.subcommand,
                    CheckBackendSubcommand.subcommand,
                ]),
            .init("generator", generatorSubcommands(of: "latch")),
            .init("shell", [CompletionSubcommand.subcommand, ManualSubcommand.subcommand]),
        ])

    static let command: Command = Command(root, version: version, describing: description)

    /// Returns the errors whose libraries speak to developers, or repeat the server, in words for a user.
    @Sendable private static func description(of error: any Error) -> CommandError? {
        if let error = error as? HTTPError, error.code == HTTPError.insecureURL.code {
            return .failed(error.message, hint: "Write the address with https.")
        }
        // A server with codes also has complete sentences. Those of the library say the same again.
        if let error = error as? AccountError, error.serverCode != nil, let message = error.serverMessage {
            // The server's message may end with the hint.
            let hint = error.hint.map { " " + $0 } ?? ""
            return .failed(message.hasSuffix(hint) ? String(message.dropLast(hint.count)) : message, hint: error.hint)
        }
        return nil
    }
}
