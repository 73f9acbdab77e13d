// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCommand
import LatchCore

/// `latch token`: the access token, for other programs.
enum TokenVerb {
    private static let refresh = Option.flag("refresh", "renews it first, even where it is still accepted")
    private static let json = Option.flag("json", "one JSON object: the token, its type, scope and expiry")

    static let verb = Verb(
        name: "token", summary: "prints an access token that is accepted now",
        discussion: """
            It is renewed first where that is due; any number of processes that ask at once share one
            renewal. Whoever sees the output can act as this person until the token expires.
            """,
        options: [ClientAccounts.account, refresh, json],
        examples: [
            .init(
                command: "curl -H \"Authorization: Bearer $(latch token)\" https://id.example.com/files",
                purpose: "for a program that does not know latch"),
            .init(command: "latch token --refresh --json", purpose: "a new one, with its expiry"),
        ],
        body: { invocation, shell in
            let accounts = try ClientAccounts(shell)
            let entry = try await accounts.chosen(invocation)
            let tokens = try await accounts.with(entry) { session in
                guard invocation.has(refresh) else { return try await session.credential() }
                return try await session.renewed(replacing: try await session.currentCredential())
            }
            if shell.output.isTerminal {
                shell.warn(
                    "This lets whoever sees it act as \(entry.name).", hint: "Pipe it to where it is needed.")
            }
            if invocation.has(json) {
                shell.json([
                    "access_token": .string(tokens.access), "token_type": "Bearer",
                    "scope": tokens.scope.map { .string($0) } ?? .null, "expires_at": AccountReport.date(tokens.expiry),
                    "account": .string(entry.name), "issuer": .string(entry.issuer),
                ])
            } else {
                shell.output.line(tokens.access)
            }
            return .success
        })
}
