// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// `latch demo`: plays the main use case and checks every step of it.
///
/// The demonstration is a program of its own, `latch-demo`, so that the command links neither the compatibility
/// modules nor all of Foundation for it.
enum DemoSubcommand {
    private static let json = Option.flag("json", "one JSON object for each step, and one with the sum")

    static let subcommand = Subcommand(
        name: "demo", summary: "plays the main job against a real server and checks every step",
        discussion: """
            It starts 'latch serve' on a free port of this machine with a store in a temporary folder, and
            plays the life of an account against it: sign-up, mails, two devices, a thousand calls across an
            expiry, a server that is killed in the middle of renewals, a stolen token, a reset, scopes and
            their refusals, apps of two other APIs, terminals that share an account, a sign-out. A step that
            does not hold ends it with exit 1. Nothing is left behind.
            """,
        options: [json],
        examples: [
            .init(command: "latch demo", purpose: "see it work"),
            .init(command: "latch demo --json", purpose: "the same for a script"),
        ],
        body: { invocation, environment in
            try Executable.replaceProcess(
                with: Executable.sibling(named: "latch-demo"), arguments: invocation.has(json) ? ["--json"] : [],
                variables: environment.variables)
        })
}
