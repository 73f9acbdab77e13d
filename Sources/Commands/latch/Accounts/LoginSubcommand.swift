// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchOAuth

/// `latch login`: signs a user in on this device.
enum LoginSubcommand {
    static let issuer = Option.value(
        "issuer", "URL", "the auth server (LATCH_ISSUER, or the account's own)")
    static let account = Option.value(
        "account", "NAME", short: "a", "the email address or user name, or an account of the list")
    static let passwordStdin = Option.flag(
        "password-stdin", "reads the password from standard input, and a code of the second factor on a second line")
    static let withPassword = Option.flag("with-password", "signs in with the password, at this terminal")
    static let code = Option.flag("code", "signs in with a code by email, at this terminal")
    static let browser = Option.flag("browser", "signs in on the issuer's page, in the browser of this machine")
    static let device = Option.flag("device", "signs in on the issuer's page, on another device, by a code")
    static let clientCredentials = Option.flag("client-credentials", "signs in as this program, without a user")
    static let clientID = Option.value(
        "client-id", "ID", "this program's registration at the issuer (LATCH_CLIENT_ID, or the account's own)")
    static let scope = Option.value("scope", "SCOPES", short: "s", "the scopes to request, separated by spaces")
    static let redirectURI = Option.value(
        "redirect-uri", "URI", "the redirect URI as it is registered, with '--browser', where it is another one")
    static let claims = Option.value(
        "claims", "CLAIMS", "the claims that an API requires by a challenge, with '--browser': JSON, or base 64 of it")
    static let audience = Option.value(
        "audience", "URI", "the API that the tokens are for, where the issuer knows several")

    static let subcommand = Subcommand(
        name: "login", summary: "signs in, and makes the account the current one",
        discussion: """
            On a terminal it asks for one of two ways, if no option names one: a browser or the password,
            or a browser or a code by email where the server has no passwords.

            With --browser it opens the issuer's page in the browser of this machine; with --device the
            page opens on any other device, where a code is entered. 'latch serve' knows this command;
            another issuer needs a client ID, unless it registers programs automatically, with the
            redirect URI http://127.0.0.1/callback. --redirect-uri names another one of this machine,
            such as http://localhost or http://127.0.0.1:8400/callback.

            With --with-password it prompts for the password without echo, and for a code where the
            account has a second factor; a script pipes the password in, and the code on a second line.
            Neither comes from the command line or is stored. Tokens are, in the secret store that
            'latch doctor' names; all processes of this user share them.

            With --code it asks for the email address, and then for the code that the server mails there,
            if 'latch serve' has the setting sign_in_codes.

            --client-credentials signs this machine in, not a person. A client's secret is in the
            variable LATCH_CLIENT_SECRET, and is not stored; LATCH_CLIENT_ID and LATCH_ISSUER say whose
            it is, so that no other issuer receives it.
            """,
        options: [
            issuer, account, passwordStdin, withPassword, code, browser, device, clientCredentials, clientID, scope,
            audience,
            redirectURI,
            claims, IssuerTransport.authorities,
            .json("one JSON object: the account, its issuer and its scopes"),
        ],
        examples: [
            "latch login --browser --issuer https://id.example.com":
                "sign in on the issuer's page",
            "latch login --device --issuer https://id.example.com":
                "sign in on another device, such as a phone",
            "latch login --with-password --issuer https://id.example.com --account ada@example.com":
                "enter the password on the terminal",
            "latch login --account ada@example.com --password-stdin --scope \"files:read\" < password":
                "from a script, with less than everything",
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment)
            let login = Login(invocation: invocation, environment: environment, accounts: accounts)
            let ways = [browser, device, clientCredentials, withPassword, code].filter(invocation.has)
            guard ways.count <= 1 else {
                throw CommandError.usage(
                    "'latch login' signs in in one way.",
                    hint:
                        "Name one of '--browser', '--device', '--client-credentials', '--with-password' and '--code'."
                )
            }
            guard ways.first == browser || ![redirectURI, claims].contains(where: invocation.has) else {
                throw CommandError.usage(
                    "'--redirect-uri' and '--claims' are for a page in the browser of this machine.",
                    hint: "Add '--browser', or leave them out.")
            }
            guard let way = ways.first, way != withPassword, way != code else {
                guard !invocation.has(audience) else {
                    throw CommandError.usage(
                        "A sign-in by password or code names no API.",
                        hint: "Add '--browser', '--device' or '--client-credentials', or leave '--audience' out.")
                }
                guard ways.first != code || ![scope, passwordStdin].contains(where: invocation.has) else {
                    throw CommandError.usage(
                        "'--code' takes neither '--scope' nor '--password-stdin'.",
                        hint: "Leave them out, or sign in with the password.")
                }
                return try await login.explaining { try await login.run() }
            }
            return try await login.explaining { try await login.run(way) }
        })
}

/// One sign-in, at a terminal or from a script.
struct Login {
    let invocation: Invocation
    let environment: Environment
    let accounts: ClientAccounts
    let page = ShownPage()

    /// Runs a sign-in, and says of an address without a server where there is one.
    func explaining(_ signIn: () async throws -> ExitCode) async throws -> ExitCode {
        do { return try await signIn() } catch { throw await missingServer(error) ?? error }
    }

    /// Exchanges the password for tokens, stores them and revokes the tokens that they replace.
    ///
    /// After an error, the account's earlier session is unchanged.
    func run() async throws -> ExitCode {
        let content = try await readableContent()
        let known = try namedAccount(in: content)
        let issuer = try issuer(known, content)
        if invocation.has(LoginSubcommand.code) {
            guard environment.input.isTerminal else {
                throw CommandError.usage(
                    "There is no terminal to prompt for the code.", hint: "Run 'latch login --code' at a terminal.")
            }
            return try await runOnTerminal(known, issuer, content, ways: signInWays(at: issuer))
        }
        if environment.input.isTerminal, !invocation.has(LoginSubcommand.passwordStdin) {
            return try await runOnTerminalByChoice(known, issuer, content)
        }
        guard let username = try username(known) else { throw Self.missingAccount }
        let scopes = try scopes()
        let endpoint = try accounts.endpoint(of: issuer.text)
        let (password, code) = try await pipedPassword()
        let grant = PasswordGrant(username: username, password: password, scopes: scopes ?? [], code: code)
        let response: TokenResponse
        do {
            response = try await endpoint.tokens(for: grant)
        } catch OAuthError.invalidGrant {
            throw CommandError.failed(
                "\(issuer.text) does not accept this name and password\(code == nil ? "" : ", or the code").",
                hint: "Check them, then try again.")
        } catch let error as OAuthError where error.issuerCode == "mfa_required" && code == nil {
            throw CommandError.failed(
                "The account has a second factor.", hint: "Pipe in the code on a second line.")
        }
        return try await finish(
            response, as: username, issuer: issuer.text, username: username, userID: response.userID, content)
    }

    /// Returns the account list; a corrupt list counts as empty, because a sign-in moves it aside and begins a new one.
    func readableContent() async throws -> AccountList.Content {
        do {
            return try await accounts.list.content()
        } catch let error as AuthError where error.code == AuthError.storeCorrupt.code {
            environment.warn(error.message, hint: "It is kept next to a new one, which begins with this sign-in.")
            return AccountList.Content()
        }
    }

    /// Returns the account in the list that the call names.
    func namedAccount(in content: AccountList.Content) throws -> AccountEntry? {
        try content.entry(
            named: invocation[LoginSubcommand.account], at: invocation[LoginSubcommand.issuer])
    }

    /// Returns the issuer of the call.
    func issuer(_ known: AccountEntry?, _ content: AccountList.Content) throws(CommandError) -> IssuerURL {
        try content.issuer(invocation[LoginSubcommand.issuer], of: known, environment, for: "login")
    }

    /// Returns the email address or user name of the call; nil if there is none.
    func username(_ known: AccountEntry?) throws(CommandError) -> String? {
        guard let name = known?.username ?? invocation[LoginSubcommand.account] else { return nil }
        guard !name.isEmpty else { throw Self.missingAccount }
        return name
    }

    private static let missingAccount = CommandError.usage(
        "'latch login' needs an account.", hint: "Write '--account NAME'.")

    /// Returns the requested scopes; nil lets the issuer choose.
    func scopes() throws(CommandError) -> Scopes? {
        guard let text = invocation[LoginSubcommand.scope] else { return nil }
        let words = text.split(separator: " ").map(String.init)
        let scopes = words.compactMap(Scope.init)
        guard !scopes.isEmpty, scopes.count == words.count else {
            throw .usage("'\(text)' is not a list of scopes.", hint: "Write '--scope \"files:read files:write\"'.")
        }
        return Scopes(scopes)
    }

    private func pipedPassword() async throws -> (first: String, second: String?) {
        guard invocation.has(LoginSubcommand.passwordStdin) else {
            throw CommandError.usage(
                "There is no terminal to prompt for the password.", hint: "Pipe it in, with '--password-stdin'.")
        }
        environment.warnOfShownInput()
        return try await SecretInput.piped("password", optionally: "code", environment)
    }
}

extension Environment {
    /// Warns that the terminal shows what the user types instead of piping.
    func warnOfShownInput() {
        guard input.isTerminal else { return }
        warn("The password is shown while you type it.", hint: "Leave '--password-stdin' out.")
    }
}

extension Login {
    /// Stores the tokens, revokes the replaced ones, and reports the account.
    func finish(
        _ response: TokenResponse, as name: String, issuer: String, username: String?, userID: String?,
        clientID: String? = nil, isClient: Bool = false, replacing: AccountEntry? = nil, _ before: AccountList.Content
    ) async throws -> ExitCode {
        var (earlier, unreadable): ([String: Tokens], Set<String>) = ([:], [])
        // Other issuers may keep one grant per user and client: ending the earlier session there would also end the new
        // one.
        for entry in before.entries where entry.issuer == issuer && entry.clientID == nil && clientID == nil {
            let session = try await accounts.list.session(for: entry.id)
            // Unreadable tokens cannot be revoked, and must not prevent the sign-in.
            do { try await session.restore() } catch {
                unreadable.insert(entry.id)
                continue
            }
            earlier[entry.id] = session.currentState.credential
        }
        let entry = try await accounts.list.signIn(
            response.tokens, as: name, issuer: issuer, username: username, userID: userID, clientID: clientID,
            isClient: isClient, replacing: replacing?.id)
        // The earlier tokens may belong to another client.
        if let replaced = earlier[entry.id], let old = before[entry.id],
            !replaced.hasSameRefreshToken(as: response.tokens)
        {
            await revoke(replaced, of: old)
        }
        if unreadable.contains(entry.id) { warnOfEarlierSession() }
        report(entry, response)
        return .success
    }

    /// Revokes the tokens of the earlier session.
    ///
    /// A failure is only a warning: the tokens expire by themselves.
    private func revoke(_ tokens: Tokens, of entry: AccountEntry) async {
        do { try await accounts.revoke(tokens, of: entry) } catch { warnOfEarlierSession() }
    }

    private func warnOfEarlierSession() {
        environment.warn(
            "The earlier session of this account could not be ended at the issuer.",
            hint: "The session expires; 'latch logout --all-devices' ends all sessions now.")
    }

    /// Prints the account, and warns of scopes that are missing or were not requested.
    private func report(_ entry: AccountEntry, _ response: TokenResponse) {
        let change = response.scopeChange
        if invocation.wantsJSON {
            var object = AccountReport.facts(of: entry)
            object["missing_scopes"] = .array(change.missing.elements.map { .string($0.rawValue) })
            object["expires_at"] = AccountReport.date(response.tokens.expiry)
            object["refresh_token_expires_at"] = response.refreshLifetime.map { lifetime in
                AccountReport.date(Date().addingTimeInterval(TimeInterval(lifetime.components.seconds)))
            }
            return environment.json(.object(object))
        }
        environment.output.line("Signed in as \(entry.name) at \(entry.issuer).".printable)
        if let lifetime = response.refreshLifetime?.components.seconds {
            let time = RelativeTime.text(TimeInterval(lifetime))
            environment.output.line("The refresh token expires \(time), unless a refresh renews it.")
        }
        if let scopes = entry.scopes, !scopes.isEmpty { environment.output.line("Scopes: \(scopes.text)".printable) }
        if !change.missing.isEmpty {
            environment.warn(
                "Requested and not granted: \(change.missing.text).",
                hint: "The account or this program may not have them; everything else works.")
        }
        if !change.unrequested.isEmpty {
            environment.warn(
                "Granted without being requested: \(change.unrequested.text).", hint: "Ask the issuer why.")
        }
    }
}
