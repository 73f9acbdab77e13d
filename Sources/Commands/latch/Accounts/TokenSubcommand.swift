// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import PortableFoundation

/// `latch token`: prints an access token for another program.
enum TokenSubcommand {
    private static let refresh = Option.flag("refresh", "refreshes the token first, even if it is still valid")

    static let subcommand = Subcommand(
        name: "token", summary: "prints a valid access token",
        discussion: """
            An expiring token is refreshed first; concurrent processes share one refresh. Keep the
            output secret: it authorizes its bearer as this user until the token expires.
            """,
        options: [
            ClientAccounts.account, refresh, IssuerTransport.authorities,
            .json("one JSON object: the token, its type, scope and expiry"),
        ],
        examples: [
            "curl -H \"Authorization: Bearer $(latch token)\" https://id.example.com/files":
                "for a program without support for latch",
            "latch token --refresh --json": "a new one, with its expiry",
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment)
            let entry = try await accounts.chosen()
            let tokens = try await accounts.with(entry) { session in
                guard invocation.has(refresh) else { return try await session.credential() }
                return try await session.refreshed(replacing: try await session.currentCredential())
            }
            if environment.output.isTerminal {
                environment.warn(
                    "This token authorizes its bearer as \(entry.name).", hint: "Pipe it to the program that needs it.")
            }
            environment.write(
                tokens.access,
                orJSON: [
                    "access_token": .string(tokens.access), "token_type": "Bearer",
                    "scope": tokens.scope.map { .string($0) } ?? .null, "expires_at": AccountReport.date(tokens.expiry),
                    "account": .string(entry.name), "issuer": .string(entry.issuer),
                ], for: invocation)
            return .success
        })
}
