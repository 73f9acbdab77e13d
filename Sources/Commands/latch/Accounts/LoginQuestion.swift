// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchOAuth
import Synchronization

/// Whether a sign-in has shown the issuer's page to the user.
final class ShownPage: Sendable {
    private let state = Mutex(false)

    var isShown: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Sign-ins at a terminal whose call does not say how.
extension Login {
    /// Asks for the way, and signs in that way.
    ///
    /// A sign-in in a browser that cannot begin becomes one with the password, or with a code.
    func runOnTerminalByChoice(
        _ known: AccountEntry?, _ issuer: IssuerURL, _ content: AccountList.Content
    ) async throws -> ExitCode {
        let ways = await signInWays(at: issuer)
        let other = ways.hasPassword ? "password" : offersCode(ways) ? "code" : nil
        if asksForWay(known), try await prefersBrowser(at: issuer, to: other) {
            do {
                return try await run(LoginSubcommand.browser)
            } catch  where other != nil && needsPassword(error) {
                // A wrong address fails with a password too.
                if let missing = await missingServer(error) { throw missing }
                environment.warn(
                    "The sign-in in a browser cannot begin. \(CommandError(describing: error).message)",
                    hint:
                        "Sign in with \(ways.hasPassword ? "the password" : "a code") instead, or leave with Control-D."
                )
            }
        }
        return try await runOnTerminal(known, issuer, content, ways: ways)
    }

    /// Returns the server's ways to sign in, or those of a server that does not state any.
    func signInWays(at issuer: IssuerURL) async -> SignInWays {
        // The sign-in itself shows what is wrong with the server.
        do { return try await accounts.openClient(of: issuer).signInWays() } catch { return SignInWays() }
    }

    /// Whether a code by email can sign in with what the call asks for, since it names no scopes.
    func offersCode(_ ways: SignInWays) -> Bool { ways.hasCode && !invocation.has(LoginSubcommand.scope) }

    /// Whether the call leaves the way open; an account of the list that signed in with its password does not.
    private func asksForWay(_ known: AccountEntry?) -> Bool {
        guard environment.error.isTerminal, !invocation.has(LoginSubcommand.withPassword) else { return false }
        return known.map { $0.clientID != nil && $0.isClient != true } ?? true
    }

    /// Asks whether to use a browser; a server without another way at a terminal needs no question.
    private func prefersBrowser(at issuer: IssuerURL, to other: String?) async throws -> Bool {
        guard let other else { return true }
        let console = ScreenConsole(environment, server: issuer.origin.description)
        while true {
            let answer = try await console.read("Browser or \(other)? [browser]").lowercased()
            if ["", "b", "browser"].contains(answer) { return true }
            if [other, String(other.prefix(1))].contains(answer) { return false }
            console.line("Enter 'browser' or '\(other)'.")
        }
    }

    /// Whether a sign-in in a browser has failed before its page, for a reason that does not concern a password.
    private func needsPassword(_ error: any Error) -> Bool {
        guard !page.isShown, !(error is CancellationError) else { return false }
        guard let error = error as? HTTPError else { return true }
        return !error.isConnectivity && ![HTTPError.insecureURL.code, HTTPError.cancelled.code].contains(error.code)
    }

    /// Returns the error of an issuer whose path has no server, with the root of its host if that has one; nil for
    /// another error.
    func missingServer(_ error: any Error) async -> CommandError? {
        guard let error = error as? OAuthError,
            error.code == OAuthError.discoveryFailed.code || error.status == .notFound,
            let text = invocation[LoginSubcommand.issuer] ?? environment.value(of: "LATCH_ISSUER")
        else { return nil }
        do {
            let issuer = try IssuerURL(text)
            // Another provider may have a path, and refuse this request alone.
            guard try HTTPOrigin.split(issuer.text).path != "/", await !isServer(at: issuer) else { return nil }
            let root = issuer.origin.description
            let isThere = await isServer(at: try IssuerURL(root))
            return .failed(
                "There is no auth server at \(issuer.text).",
                hint: isThere
                    ? "There is one at the root: latch login --issuer \(root)" : "Check the address, also its path.")
        } catch {
            return nil
        }
    }

    /// Whether an issuer publishes its metadata.
    private func isServer(at issuer: IssuerURL) async -> Bool {
        let client = Client(baseURL: issuer.url, transport: accounts.transport, timeout: .seconds(10))
        do {
            let response = try await client.respond(to: client.request(.get, ".well-known/openid-configuration"))
            guard response.status.isSuccess else { return false }
            return try JSONValue(parsing: response.body.bytesWithoutMark)["issuer"]?.stringValue != nil
        } catch {
            return false
        }
    }
}
