// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// `latch demo`: runs the main use cases and checks each step.
///
/// The demonstration is a separate program, `latch-demo`, so that this command does not link the compatibility modules
/// and all of Foundation.
enum DemoSubcommand {
    static let subcommand = Subcommand(
        name: "demo", summary: "runs the main use cases against a real server and checks each step",
        discussion: """
            It starts 'latch serve' on a free port of this machine with a store in a temporary folder, and
            runs the lifecycle of an account against it: sign-up, emails, two devices, a thousand calls
            across an expiry, a server that is killed during refreshes, a stolen token, a password reset, scopes
            and their limits, clients of three other APIs, terminals that share an account, a sign-out. A step
            that fails ends it with exit 1. Nothing is left behind.
            """,
        options: [.json("one JSON object for each step, and one with the summary")],
        examples: [
            "latch demo": "see it work",
            "latch demo --json": "the same for a script",
        ],
        body: { invocation, environment in
            try Executable.replaceProcess(
                with: Executable.sibling(named: "latch-demo"), arguments: invocation.wantsJSON ? ["--json"] : [],
                variables: environment.variables)
        })
}
