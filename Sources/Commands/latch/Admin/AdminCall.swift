// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchRPC

/// The common options, target and output of the subcommands of `latch admin`.
enum AdminCall {
    /// The result of a subcommand, as text and as JSON.
    typealias Output = (text: any OutputText, json: JSONValue)

    /// The option that selects a server by its issuer; without it a store is opened.
    private static let url = Option.value("url", "URL", "the server, with an administrator's session on this device")
    static let reason = Option.value("reason", "TEXT", "why, for the audit log")
    static let who = Subcommand.Argument(name: "WHO", summary: "an address, a username or an id")

    /// The server has refused a call of this account.
    struct NotAllowed: Error {}

    /// The two ways to administer: in an open store, and through a server.
    struct Ways<Administration>: Sendable {
        let local: @Sendable (Identity) -> Administration
        let remote: @Sendable (IssuerURL, Session<Tokens>, ClientAccounts) throws -> Administration
    }

    /// Creates a subcommand for accounts.
    ///
    /// - Parameter body: Parses the call before the store or server is opened, and returns the function that uses it.
    static func subcommand(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument] = [who], examples: KeyValuePairs<String, String>,
        body: @escaping @Sendable (Invocation) throws -> (any AccountAdministration) async throws -> Output
    ) -> Subcommand {
        subcommand(
            name, summary, discussion: discussion, options: options, arguments: arguments, examples: examples,
            ways: accounts, body: body)
    }

    /// Creates a subcommand for accounts that asks a user before it destroys something.
    static func confirmedSubcommand(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument] = [who], examples: KeyValuePairs<String, String>,
        body:
            @escaping @Sendable (Invocation, ConfirmationPrompt) throws -> (any AccountAdministration) async throws
            -> Output
    ) -> Subcommand {
        confirmedSubcommand(
            name, summary, discussion: discussion, options: options, arguments: arguments, examples: examples,
            ways: accounts, body: body)
    }

    private static let accounts = Ways<any AccountAdministration>(local: LocalAccountAdministration.init) {
        issuer, session, accounts in
        try RemoteAccountAdministration(issuer, session, accounts)
    }

    /// Creates a subcommand.
    ///
    /// - Parameter body: Parses the call before the store or server is opened, and returns the function that uses it.
    static func subcommand<Administration>(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument], examples: KeyValuePairs<String, String>, ways: Ways<Administration>,
        body: @escaping @Sendable (Invocation) throws -> (Administration) async throws -> Output
    ) -> Subcommand {
        make(
            name, summary, discussion: discussion, options: options, arguments: arguments, examples: examples,
            ways: ways, body: { invocation, _ in try body(invocation) })
    }

    /// Creates a subcommand that asks a user before it destroys something.
    static func confirmedSubcommand<Administration>(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument], examples: KeyValuePairs<String, String>, ways: Ways<Administration>,
        body: @escaping @Sendable (Invocation, ConfirmationPrompt) throws -> (Administration) async throws -> Output
    ) -> Subcommand {
        make(
            name, summary, discussion: discussion, options: options + [ConfirmationPrompt.yes], arguments: arguments,
            examples: examples, ways: ways, body: body)
    }

    private static func make<Administration>(
        _ name: String, _ summary: String, discussion: String?, options: [Option],
        arguments: [Subcommand.Argument], examples: KeyValuePairs<String, String>, ways: Ways<Administration>,
        body: @escaping @Sendable (Invocation, ConfirmationPrompt) throws -> (Administration) async throws -> Output
    ) -> Subcommand {
        Subcommand(
            name: name, summary: summary, discussion: discussion,
            options: options + [
                ServeSubcommand.store, ServeSubcommand.config, url, ClientAccounts.account, IssuerTransport.authorities,
                .json("one JSON object, for a script"),
            ],
            arguments: arguments, examples: examples,
            body: { invocation, environment in
                let run = try body(invocation, ConfirmationPrompt(invocation, environment))
                let output = try await with(invocation, environment, ways, run)
                environment.write(output, for: invocation)
                return .success
            })
    }

    /// Runs `body` with the store or server that the call selects.
    private static func with<Administration>(
        _ invocation: Invocation, _ environment: Environment, _ ways: Ways<Administration>,
        _ body: (Administration) async throws -> Output
    ) async throws -> Output {
        guard invocation.has(url) || invocation.has(ClientAccounts.account) else {
            let settings = try SettingsLoader(invocation, variables: environment.variables).load()
            return try await LocalAccountAdministration.opening(settings, environment) { identity in
                try await body(ways.local(identity))
            }
        }
        guard !invocation.has(ServeSubcommand.store), !invocation.has(ServeSubcommand.config) else {
            throw CommandError.usage("A server and a store exclude each other.", hint: "Name one of them.")
        }
        let accounts = try ClientAccounts(invocation, environment)
        let entry = try await administrator(invocation, accounts)
        return try await accounts.with(entry) { session in
            do {
                return try await body(try ways.remote(IssuerURL(entry.issuer), session, accounts))
            } catch let error
                where error is NotAllowed || (error as? RPCError)?.status == .permissionDenied
            {
                throw CommandError.failed(
                    "'\(entry.name)' is not allowed to do that at \(entry.issuer).",
                    hint: "It requires a higher role than that account has.")
            } catch AuthError.stepUpRequired {
                throw CommandError.failed(
                    "This requires a sign-in of the last minutes.",
                    hint: "Sign in again: latch login --account \(entry.name)")
            }
        }
    }

    /// Returns the selected account, or the only account at the server that the call names.
    private static func administrator(
        _ invocation: Invocation, _ accounts: ClientAccounts
    ) async throws -> AccountEntry {
        let entry = try await accounts.chosen()
        guard let issuer = try invocation[url].map({ text throws(CommandError) in try IssuerURL(text).text }),
            entry.issuer != issuer
        else { return entry }
        let others = try await accounts.list.content().entries.filter { $0.issuer == issuer }
        guard !others.isEmpty else {
            throw CommandError.failed(
                "No account is signed in at \(issuer).",
                hint: "Sign in as an administrator: latch login --with-password --issuer \(issuer)")
        }
        guard !invocation.has(ClientAccounts.account), others.count == 1 else {
            throw CommandError.failed(
                "Several accounts are signed in at \(issuer).", hint: "Choose one with --account.")
        }
        return others[0]
    }
}
