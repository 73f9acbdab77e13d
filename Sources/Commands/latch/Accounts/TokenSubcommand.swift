// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE

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
            "latch token --audience https://api.example.com": "one for this API",
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
                if let target {
                    let tokens = try await session.credential(for: target)
                    try check(tokens, of: session, for: target, environment)
                    return tokens
                }
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

    /// Checks that a token is for an API, because a server without resource indicators ignores the requested one.
    ///
    /// Several issuers add themselves to the audience, for instance for their user information.
    ///
    /// - Throws: `CommandError.failed` if the token is not for the API.
    private static func check(
        _ tokens: Tokens, of session: Session<Tokens>, for target: TokenTarget, _ environment: Environment
    ) throws {
        let refusal = CommandError.failed(
            "The issuer has issued a token that is not for \(target.resource).",
            hint: "It may not know this API, or no single ones: 'latch token' prints the token for all of them.")
        if tokens.access == session.currentState.credential?.access { throw refusal }
        let claims: Claims
        do { claims = try JWT(unverified: tokens.access).claims } catch {
            environment.warn(
                "Whether the token is for \(target.resource) only cannot be seen in it.",
                hint: "An issuer that knows no single APIs issues one for all of them.")
            return
        }
        guard claims.audience.contains(where: { $0.utf8.elementsEqual(target.resource.utf8) }) else { throw refusal }
        let others = claims.audience.filter { !$0.utf8.elementsEqual(target.resource.utf8) }
        guard !others.isEmpty else { return }
        environment.warn(
            "The token is for others too: \(others.joined(separator: ", ").printable).",
            hint: "\(target.resource) could use it there. Request less with '--scope' if you do not trust it.")
    }

    /// RFC 8707 §2: an absolute URI without a fragment.
    static func target(_ text: String) throws(CommandError) -> TokenTarget {
        guard let url = URL(encodingOnce: text), url.scheme != nil, url.fragment() == nil else {
            throw .usage(
                "'\(text)' is not the URI of an API.", hint: "Write it as the issuer knows it: https://api.example.com."
            )
        }
        return TokenTarget(resource: text)
    }
}
