// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import PortableFoundation

/// `latch token`: prints an access token for another program.
enum TokenSubcommand {
    private static let refresh = Option.flag("refresh", "refreshes the token first, even if it is still valid")
    private static let json = Option.flag("json", "one JSON object: the token, its type, scope and expiry")

    static let subcommand = Subcommand(
        name: "token", summary: "prints an access token that is accepted now",
        discussion: """
            An expiring token is refreshed first; concurrent processes share one refresh. Anyone who sees
            the output can act as this user until the token expires.
            """,
        options: [ClientAccounts.account, refresh, json],
        examples: [
            .init(
                command: "curl -H \"Authorization: Bearer $(latch token)\" https://id.example.com/files",
                purpose: "for a program that does not know latch"),
            .init(command: "latch token --refresh --json", purpose: "a new one, with its expiry"),
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(environment)
            let entry = try await accounts.chosen(invocation)
            let tokens = try await accounts.with(entry) { session in
                guard invocation.has(refresh) else { return try await session.credential() }
                return try await session.refreshed(replacing: try await session.currentCredential())
            }
            if environment.output.isTerminal {
                environment.warn(
                    "Anyone who sees this token can act as \(entry.name).", hint: "Pipe it to where it is needed.")
            }
            if invocation.has(json) {
                environment.json([
                    "access_token": .string(tokens.access), "token_type": "Bearer",
                    "scope": tokens.scope.map { .string($0) } ?? .null, "expires_at": AccountReport.date(tokens.expiry),
                    "account": .string(entry.name), "issuer": .string(entry.issuer),
                ])
            } else {
                environment.output.line(tokens.access)
            }
            return .success
        })
}
