// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchOAuth

/// One sign-in at a terminal or from a script.
struct LoginRun {
    private let invocation: Invocation
    private let shell: Shell
    private let accounts: ClientAccounts

    init(_ invocation: Invocation, _ shell: Shell) throws(CommandError) {
        self.invocation = invocation
        self.shell = shell
        accounts = try ClientAccounts(shell)
    }

    /// Finds out who and where, asks the issuer, stores what it gives, and gives back what that replaces.
    ///
    /// - Throws: What keeps the person from being signed in; whoever was signed in before still is.
    func run() async throws -> ExitCode {
        let content = try await readable()
        let known = try known(in: content)
        let issuer = try issuer(known, content)
        let username = try await username(known)
        let scopes = try scopes()
        let endpoint = try ClientAccounts.endpoint(of: issuer.text)
        let password = try await password(of: username, at: issuer)
        let response: TokenResponse
        do {
            response = try await endpoint.tokens(
                for: PasswordGrant(username: username, password: password, scopes: scopes ?? []))
        } catch OAuthError.invalidGrant {
            throw CommandError.failed(
                "\(issuer.text) does not accept this name and password.", hint: "Check both, then try again.")
        }
        let (entry, replaced) = try await store(response, username, issuer, content)
        if let replaced { await give(back: replaced, at: endpoint) }
        report(entry, response, asked: scopes)
        return .success
    }

    /// The list; a damaged one counts as empty here, since a sign-in sets it aside and begins a new one.
    private func readable() async throws -> AccountList.Content {
        do {
            return try await accounts.list.content()
        } catch let error as AuthError where error.code == AuthError.storeCorrupt.code {
            shell.warn(error.message, hint: "It is kept beside a new one, which begins with this sign-in.")
            return AccountList.Content()
        }
    }

    /// The account that is signed in again, where the call names one of the list.
    private func known(in content: AccountList.Content) throws -> AccountEntry? {
        guard let name = invocation[LoginVerb.account] else { return nil }
        let issuer = try invocation[LoginVerb.issuer].map { text throws(CommandError) in try IssuerURL(text).text }
        let candidates = content.entries.filter { issuer == nil || $0.issuer == issuer }
        return candidates.first { $0.name == name } ?? candidates.first { $0.username == name }
    }

    /// The flag, the environment, the account's own issuer, or the only one that there is.
    private func issuer(_ known: AccountEntry?, _ content: AccountList.Content) throws(CommandError) -> IssuerURL {
        let only = Set(content.entries.map(\.issuer))
        let found =
            invocation[LoginVerb.issuer] ?? known?.issuer ?? shell.environment["LATCH_ISSUER"]
            ?? (only.count == 1 ? only.first : nil)
        guard let found else {
            throw .usage("'latch login' needs an issuer.", hint: "Write '--issuer URL'.")
        }
        return try IssuerURL(found)
    }

    /// What the person signs in with.
    private func username(_ known: AccountEntry?) async throws -> String {
        if let name = known?.username ?? invocation[LoginVerb.account] {
            guard !name.isEmpty else { throw Self.nameless }
            return name
        }
        guard shell.input.isTerminal, !invocation.has(LoginVerb.passwordStdin) else { throw Self.nameless }
        shell.error.write("E-mail address or user name: ")
        let line = try await shell.input.line(true, shell.signals)
        guard let line, !line.isEmpty else { throw Self.nameless }
        return line
    }

    private static let nameless = CommandError.usage(
        "'latch login' needs to know who signs in.", hint: "Write '--account NAME'.")

    /// What is asked for; nil where the issuer is to choose.
    private func scopes() throws(CommandError) -> Scopes? {
        guard let text = invocation[LoginVerb.scope] else { return nil }
        let words = text.split(separator: " ").map(String.init)
        let scopes = words.compactMap(Scope.init)
        guard !scopes.isEmpty, scopes.count == words.count else {
            throw .usage("'\(text)' is no list of scopes.", hint: "Write '--scope \"files:read files:write\"'.")
        }
        return Scopes(scopes)
    }

    private func password(of username: String, at issuer: IssuerURL) async throws -> String {
        if invocation.has(LoginVerb.passwordStdin) {
            if shell.input.isTerminal {
                shell.warn("The password is shown while you type it.", hint: "Leave '--password-stdin' out.")
            }
            return try await SecretText.piped("password", shell)
        }
        guard shell.input.isTerminal else {
            throw CommandError.usage(
                "There is no terminal to ask for the password.", hint: "Pipe it in, with '--password-stdin'.")
        }
        let prompt = "Password of \(username) at \(issuer.origin): ".printable
        return try await SecretText.typed("password", prompt: prompt, shell)
    }
}

extension LoginRun {
    /// Stores the tokens, and finds those that they replace.
    private func store(
        _ response: TokenResponse, _ username: String, _ issuer: IssuerURL, _ before: AccountList.Content
    ) async throws -> (entry: AccountEntry, replaced: Tokens?) {
        var earlier: [String: Tokens] = [:]
        for entry in before.entries where entry.issuer == issuer.text {
            let session = try await accounts.list.session(for: entry.id)
            // What cannot be read cannot be revoked either, and must not keep anybody from signing in.
            do { try await session.restore() } catch { continue }
            earlier[entry.id] = session.currentState.credential
        }
        let entry = try await accounts.list.signIn(
            response.tokens, as: username, issuer: issuer.text, username: username, userID: response.userID)
        return (entry, earlier[entry.id])
    }

    /// Lets the issuer forget what nobody here will use again.
    ///
    /// It is a courtesy: a token that cannot be given back now ends by its expiry.
    private func give(back tokens: Tokens, at endpoint: TokenEndpoint) async {
        do {
            try await endpoint.revoke(tokens)
        } catch {
            shell.warn(
                "The earlier session of this account could not be ended at the issuer.",
                hint: "It ends by itself; 'latch logout --all-devices' ends all of them.")
        }
    }

    /// Says who is signed in, and what they may do less, or more, than was asked for.
    private func report(_ entry: AccountEntry, _ response: TokenResponse, asked: Scopes?) {
        let change = response.scopeChange
        if invocation.has(LoginVerb.json) {
            var object = AccountReport.facts(of: entry)
            object["missing_scopes"] = .array(change.missing.elements.map { .string($0.rawValue) })
            object["expires_at"] = AccountReport.date(response.tokens.expiry)
            return shell.json(.object(object))
        }
        shell.output.line("Signed in as \(entry.name) at \(entry.issuer).".printable)
        if let scopes = entry.scopes, !scopes.isEmpty { shell.output.line("Scopes: \(scopes.text)".printable) }
        if !change.missing.isEmpty {
            shell.warn(
                "Asked for and not granted: \(change.missing.text).",
                hint: "The account or this program may not have them; everything else works.")
        }
        if !change.unrequested.isEmpty {
            shell.warn("Granted though nobody asked for it: \(change.unrequested.text).", hint: "Ask the issuer why.")
        }
    }
}
