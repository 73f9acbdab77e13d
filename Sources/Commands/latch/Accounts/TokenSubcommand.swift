// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import PortableFoundation

/// `latch token`: prints an access token for another program.
enum TokenSubcommand {
    private static let refresh = Option.flag("refresh", "refreshes the token first, even if it is still valid")
    private static let audience = Option.value(
        "audience", "URI", "the API that the token is for, where the issuer knows several")

    static let subcommand = Subcommand(
        name: "token", summary: "prints a valid access token",
        discussion: """
            An expiring token is refreshed first; concurrent processes share one refresh. Keep the
            output secret: it authorizes its bearer as this user until the token expires.
            """,
        options: [
            ClientAccounts.account, refresh, audience, IssuerTransport.authorities,
            .json("one JSON object: the token, its type, scope and expiry"),
        ],
        examples: [
            "curl -H \"Authorization: Bearer $(latch token)\" https://id.example.com/files":
                "for a program without support for latch",
            "latch token --refresh --json": "a new one, with its expiry",
            "latch token --audience https://api.example.com": "one for this API alone",
        ],
        body: { invocation, environment in
            guard invocation[audience] == nil || !invocation.has(refresh) else {
                throw CommandError.usage(
                    "'--refresh' concerns the token of the sign-in.", hint: "Leave '--audience' or '--refresh' out.")
            }
            let target = try invocation[audience].map(target)
            let accounts = try ClientAccounts(invocation, environment)
            let entry = try await accounts.chosen()
            let tokens = try await accounts.with(entry) { session in
                if let target { return try await session.credential(for: target) }
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
                    "access_token": .string(tokens.access), "token_type": .string(tokens.tokenType.rawValue),
                    "scope": tokens.scope.map { .string($0) } ?? .null, "expires_at": AccountReport.date(tokens.expiry),
                    "account": .string(entry.name), "issuer": .string(entry.issuer),
                ], for: invocation)
            return .success
        })

    /// RFC 8707 §2: an absolute URI without a fragment.
    private static func target(_ text: String) throws(CommandError) -> TokenTarget {
        guard let url = URL(string: text), url.scheme != nil, url.fragment() == nil else {
            throw .usage(
                "'\(text)' is not the URI of an API.", hint: "Write it as the issuer knows it: https://api.example.com."
            )
        }
        return TokenTarget(resource: text)
    }
}
