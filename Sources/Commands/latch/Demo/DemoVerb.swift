// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// `latch demo`: plays the main job and checks every step of it.
enum DemoVerb {
    /// What a script reads; the steps keep their codes between versions.
    static let json = Option.flag("json", "one JSON object for each step, and one with the sum")

    /// It has no options for how much: a demonstration that can be made easier proves less.
    static let verb = Verb(
        name: "demo", summary: "plays the main job against a real server and checks every step",
        discussion: """
            It starts 'latch serve' on a free port of this machine with a store in a temporary folder, and
            lives the life of an account against it: sign-up, mails, two devices, a thousand calls across an
            expiry, a server that is killed in the middle of renewals, a stolen token, a reset, scopes and
            their refusals, apps of two seeds, terminals that share an account, a sign-out. A step that does
            not hold ends it with exit 1. Nothing is left behind.
            """,
        options: [json],
        examples: [
            .init(command: "latch demo", purpose: "see it work"),
            .init(command: "latch demo --json", purpose: "the same for a script"),
        ],
        body: { invocation, shell in
            try await DemoRun(DemoReport(shell, isJSON: invocation.has(json)), shell).run()
        })
}
