// SPDX-License-Identifier: Apache-2.0

/// The command: its verbs, and what is common to all of them.
enum Program {
    /// The version, as the changelog counts it.
    static let version = "0.1.0"

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
            ServeVerb.verb, DemoVerb.verb,
        ])

    /// Reads the command line, does what it asks for, and tells how it went.
    ///
    /// Every error ends here: nothing that a verb throws reaches the runtime, which would trap and print a stack.
    static func run(_ arguments: [String], in shell: Shell) async -> ExitCode {
        do {
            switch try ArgumentParser.parse(arguments, with: root) {
            case .help(let path):
                shell.output.write(HelpText(path).text)
                return .success
            case .version:
                shell.output.line("latch \(version)")
                return .success
            case .run(let verb, let invocation):
                return try await verb.body?(invocation, shell) ?? .usage
            }
        } catch {
            let told = CommandError(telling: error)
            shell.tell(told)
            return told.exitCode
        }
    }
}
