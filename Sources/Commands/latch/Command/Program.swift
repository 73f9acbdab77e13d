// SPDX-License-Identifier: Apache-2.0

import GeneratorCommands
import LatchCommand

/// The command: its verbs, and what is common to all of them.
enum Program {
    /// The version, as the changelog counts it.
    static let version = packageVersion

    /// All verbs.
    ///
    /// What is not in this tree cannot be called, and help and suggestions are made from it alone.
    static let root = Verb(
        name: "latch", summary: "auth for people and the APIs that want to know who they are",
        examples: [
            .init(command: "latch demo", purpose: "see it work: a real server, a real file, every step checked"),
            .init(command: "latch serve --store sqlite:latch.sqlite", purpose: "run the auth server"),
            .init(
                command: "latch login --issuer http://127.0.0.1:8080 --account ada@example.com",
                purpose: "sign in at it, then: latch request GET /user/profile"),
        ],
        verbs: [
            LoginVerb.verb, LogoutVerb.verb, WhoamiVerb.verb, AccountsVerb.verb, TokenVerb.verb, RequestVerb.verb,
            DoctorVerb.verb, JWTVerb.verb, KeysVerb.verb,
            ServeVerb.verb, AdminVerb.verb, DemoVerb.verb,
        ] + generatorVerbs(of: "latch"))

    /// Both together.
    static let command = Command(root, version: version)

    /// Reads the command line, does what it asks for, and tells how it went.
    static func run(_ arguments: [String], in shell: Shell) async -> ExitCode {
        await command.run(arguments, in: shell)
    }
}
