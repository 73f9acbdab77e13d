// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// `latch doctor`: what the client verbs stand on, and whether it holds.
enum DoctorVerb {
    static let issuer = Option.value("issuer", "URL", "an issuer to ask (those of the accounts)")
    static let json = Option.flag("json", "one JSON object with all findings")

    static let verb = Verb(
        name: "doctor", summary: "says where secrets are kept and why, and what is wrong",
        discussion: """
            It changes nothing. Exit 1 where something does not hold: the secret store, the modes of its
            files, the accounts, the way to their issuers, this machine's clock, a place for temporary
            files, the Swift compiler that judges generated code.
            """,
        options: [issuer, json],
        examples: [
            .init(command: "latch doctor", purpose: "see what a sign-in would use"),
            .init(
                command: "latch doctor --issuer https://id.example.com --json",
                purpose: "ask an issuer too, for a script"),
        ],
        body: { invocation, shell in try await DoctorRun(invocation, shell).run() })
}
