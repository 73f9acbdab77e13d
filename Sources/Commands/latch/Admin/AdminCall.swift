// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity

/// The common options, target and output of the subcommands of `latch admin`.
enum AdminCall {
    /// The result of a subcommand, as text and as JSON.
    typealias Output = (text: any OutputText, json: JSONValue)

    /// The option that selects a server by its issuer; without it a store is opened.
    private static let url = Option.value(
        "url", "URL", "a running server; uses LATCH_API_KEY, or an administrator's session")
    static let reason = Option.value("reason", "TEXT", "why, for the audit log")
    static let who = Subcommand.Argument(name: "WHO", summary: "an address, a username or an id")

    /// The server has refused a call of this account.
    struct NotAllowed: Error {}

    /// What a subcommand calls, in an open store or through a server.
    struct Routes<Administration>: Sendable {
        let make: @Sendable (AdministeredServer) -> Administration
        /// Whether an API key opens the routes.
        var takesKey = true
        /// Whether `--account` selects the session; a subcommand with another option of this name leaves it out.
        var takesAccount = true
    }

    /// Creates a subcommand for accounts.
    ///
    /// - Parameter body: Parses the call before the store or server is opened, and returns the function that uses it.
    static func subcommand(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument] = [who], examples: KeyValuePairs<String, String>,
        body: @escaping @Sendable (Invocation) throws -> (AccountAdministration) async throws -> Output
    ) -> Subcommand {
        subcommand(
            name, summary, discussion: discussion, options: options, arguments: arguments, examples: examples,
            routes: accounts, body: body)
    }

    /// Creates a subcommand for accounts that asks a user before it destroys something.
    static func confirmedSubcommand(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument] = [who], examples: KeyValuePairs<String, String>,
        body:
            @escaping @Sendable (Invocation, ConfirmationPrompt) throws -> (AccountAdministration) async throws
            -> Output
    ) -> Subcommand {
        confirmedSubcommand(
            name, summary, discussion: discussion, options: options, arguments: arguments, examples: examples,
            routes: accounts, body: body)
    }

    static let accounts = Routes { AccountAdministration(server: $0) }
    /// What has no accounts: the audit log, keys, emails and providers.
    static let server = Routes { $0 }

    /// Creates a subcommand.
    ///
    /// - Parameter body: Parses the call before the store or server is opened, and returns the function that uses it.
    static func subcommand<Administration>(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument], examples: KeyValuePairs<String, String>, routes: Routes<Administration>,
        body: @escaping @Sendable (Invocation) throws -> (Administration) async throws -> Output
    ) -> Subcommand {
        subcommand(
            name, summary, discussion: discussion, options: options, arguments: arguments, examples: examples,
            routes: routes, readingInput: { invocation, _ in try body(invocation) })
    }

    /// Creates a subcommand that asks a user before it destroys something.
    static func confirmedSubcommand<Administration>(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument], examples: KeyValuePairs<String, String>, routes: Routes<Administration>,
        body: @escaping @Sendable (Invocation, ConfirmationPrompt) throws -> (Administration) async throws -> Output
    ) -> Subcommand {
        subcommand(
            name, summary, discussion: discussion, options: options + [ConfirmationPrompt.yes], arguments: arguments,
            examples: examples, routes: routes
        ) { invocation, environment in try body(invocation, ConfirmationPrompt(invocation, environment)) }
    }

    /// Creates a subcommand that reads from the terminal or from standard input.
    static func subcommand<Administration>(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument], examples: KeyValuePairs<String, String>, routes: Routes<Administration>,
        readingInput body:
            @escaping @Sendable (Invocation, Environment) throws -> (Administration) async throws -> Output
    ) -> Subcommand {
        Subcommand(
            name: name, summary: summary, discussion: discussion,
            options: options + [ServeSubcommand.store, ServeSubcommand.config, url]
                + (routes.takesAccount ? [ClientAccounts.account] : [])
                + [IssuerTransport.authorities, .json("one JSON object, for a script")],
            arguments: arguments, examples: examples,
            body: { invocation, environment in
                let run = try body(invocation, environment)
                let output = try await with(invocation, environment, routes, run)
                environment.write(output, for: invocation)
                return .success
            })
    }

    /// Runs `body` with the store or server that the call selects.
    private static func with<Administration>(
        _ invocation: Invocation, _ environment: Environment, _ routes: Routes<Administration>,
        _ body: (Administration) async throws -> Output
    ) async throws -> Output {
        let hasAccount = routes.takesAccount && invocation.has(ClientAccounts.account)
        guard invocation.has(url) || hasAccount else {
            let settings = try SettingsLoader(invocation, variables: environment.variables).load(forPages: false)
            return try await AdministeredStore.opening(settings, environment) { identity in
                try await body(routes.make(try AdministeredServer(operating: identity)))
            }
        }
        guard !invocation.has(ServeSubcommand.store), !invocation.has(ServeSubcommand.config) else {
            throw CommandError.usage("A server and a store exclude each other.", hint: "Name one of them.")
        }
        if routes.takesKey, !hasAccount, let url = invocation[url],
            let key = environment.value(of: "LATCH_API_KEY")
        {
            return try await withKey(key, at: try IssuerURL(url), invocation, environment) {
                try await body(routes.make($0))
            }
        }
        let accounts = try ClientAccounts(invocation, environment, readsOption: routes.takesAccount)
        let entry = try await administrator(invocation, accounts, isChosen: hasAccount)
        return try await accounts.with(entry) { session in
            do {
                let client = accounts.client(of: try IssuerURL(entry.issuer), session)
                return try await body(routes.make(AdministeredServer(client: client)))
            } catch is NotAllowed {
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

    /// Calls a server with the API key of LATCH_API_KEY, which only the named server receives.
    private static func withKey(
        _ key: String, at issuer: IssuerURL, _ invocation: Invocation, _ environment: Environment,
        _ body: (AdministeredServer) async throws -> Output
    ) async throws -> Output {
        let client = Client(
            baseURL: issuer.url, transport: try IssuerTransport.transport(of: invocation, environment.variables),
            interceptors: [APIKeyInterceptor(key: key, origin: issuer.origin)])
        do {
            return try await body(AdministeredServer(client: client))
        } catch is NotAllowed {
            throw CommandError.failed(
                "The API key is not allowed to do that at \(issuer.text).",
                hint: "It requires a higher role, or a session: latch login")
        }
    }

    /// Returns the selected account, or the only account at the server that the call names.
    private static func administrator(
        _ invocation: Invocation, _ accounts: ClientAccounts, isChosen: Bool
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
        guard !isChosen, others.count == 1 else {
            throw CommandError.failed(
                "Several accounts are signed in at \(issuer).", hint: "Choose one with --account or LATCH_ACCOUNT.")
        }
        return others[0]
    }
}

/// An interceptor that adds an API key to the requests to its server.
private struct APIKeyInterceptor: Interceptor {
    let key: String
    let origin: HTTPOrigin

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard HTTPOrigin(scheme: request.scheme, authority: request.authority) == origin else {
            return try await next.respond(to: request)
        }
        var request = request
        request.fields[.authorization] = "Bearer \(key)"
        return try await next.respond(to: request)
    }
}
