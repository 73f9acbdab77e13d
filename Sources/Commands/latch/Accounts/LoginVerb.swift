// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// `latch login`: signs a person in on this device.
enum LoginVerb {
    static let issuer = Option.value(
        "issuer", "URL", "who signs in people (LATCH_ISSUER, or the account's own)")
    static let account = Option.value(
        "account", "NAME", letter: "a", "the e-mail address or user name, or an account of the list")
    static let passwordStdin = Option.flag("password-stdin", "reads the password from standard input")
    static let scope = Option.value("scope", "SCOPES", letter: "s", "what to ask for, separated by spaces")
    static let json = Option.flag("json", "one JSON object: who is signed in where, with which scopes")

    static let verb = Verb(
        name: "login", summary: "signs in, and makes the account the current one",
        discussion: """
            On a terminal it asks for the password and does not show it; a script pipes it in. It never
            comes from the command line, and is not kept: tokens are, in the secret store that 'latch
            doctor' names. All processes of this person share them.
            """,
        options: [issuer, account, passwordStdin, scope, json],
        later: [
            "device": "Until then sign in with a password: 'latch login --password-stdin'.",
            "browser": "Until then sign in with a password: 'latch login --password-stdin'.",
        ],
        examples: [
            .init(
                command: "latch login --issuer https://id.example.com --account ada@example.com",
                purpose: "ask for the password on the terminal"),
            .init(
                command: "latch login --account ada@example.com --password-stdin --scope \"files:read\" < password",
                purpose: "from a script, with less than everything"),
        ],
        body: { invocation, shell in try await LoginRun(invocation, shell).run() })
}
