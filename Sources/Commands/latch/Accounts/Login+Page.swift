// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchSignIn
import PortableFoundation

/// Sign-ins by OAuth: on the issuer's page, in a browser here or on another device, and without a user.
extension Login {
    /// Signs in by one of the options.
    ///
    /// After an error the earlier session of the account is unchanged.
    func run(_ way: Option) async throws -> ExitCode {
        let content = try await readableContent()
        let known = try namedAccount(in: content)
        let issuer = try issuer(known, content)
        // An account keeps the issuer as it was given at first.
        let exact = known?.issuer ?? issuer.exact.absoluteString
        let (client, clientID) = try await client(of: exact, known, way)
        let response: TokenResponse
        do {
            response = try await tokens(of: client, way)
        } catch OAuthError.missingEndpoint where way != LoginSubcommand.clientCredentials {
            throw CommandError.failed(
                "\(exact) has no page for a sign-in \(way == LoginSubcommand.device ? "by a code" : "in a browser").",
                hint: "Try another way: 'latch login --help' lists them.")
        }
        let user = try response.tokens.idToken.map { try JWT(unverified: $0).claims }
        let names = ["preferred_username", "email", "name"].lazy.compactMap { user?.string($0) }
        let name = names.first { !$0.isEmpty && $0 == $0.printable } ?? user?.subject ?? response.userID ?? clientID
        return try await finish(
            response, as: invocation[LoginSubcommand.account] ?? name, issuer: exact, username: name,
            userID: user?.subject ?? response.userID, clientID: clientID, content)
    }

    /// Returns a client of the issuer, registered there if the call names no registration and the issuer takes them.
    private func client(
        of issuer: String, _ known: AccountEntry?, _ way: Option
    ) async throws -> (AuthorizationClient, clientID: String) {
        let url = try IssuerURL(issuer).exact
        func client(_ registration: ClientRegistration) throws -> AuthorizationClient {
            var configuration = OAuthConfiguration(issuer: url, registration: registration)
            if let scopes = try scopes() { configuration.scopes = scopes }
            return AuthorizationClient(configuration, transport: accounts.transport, timeout: .seconds(60))
        }
        let named = invocation[LoginSubcommand.clientID] ?? environment.variables["LATCH_CLIENT_ID"] ?? known?.clientID
        if let named {
            return (try client(ClientRegistration(clientID: named, secret: accounts.clientSecret)), named)
        }
        let missing = CommandError.usage(
            "'latch login --\(way.name)' needs a client ID.",
            hint: "Register this program at the issuer, and write '--client-id ID'.")
        guard way == LoginSubcommand.browser else { throw missing }
        let endpoint = try await client(.none).tokenEndpoint()
        guard endpoint.server.registrationEndpoint != nil,
            let redirectURI = URL(string: "http://127.0.0.1\(LoopbackBrowser.defaultPath)")
        else { throw missing }
        let registration = try await endpoint.register(ClientMetadata(redirectURIs: [redirectURI], name: "latch"))
        guard let clientID = registration.clientID else { throw missing }
        return (try client(registration), clientID)
    }

    private func tokens(of client: AuthorizationClient, _ way: Option) async throws -> TokenResponse {
        switch way {
        case LoginSubcommand.clientCredentials:
            guard accounts.clientSecret != nil else {
                throw CommandError.failed(
                    "The client's secret is missing.", hint: "Set the variable LATCH_CLIENT_SECRET to it.")
            }
            return try await client.tokens(for: ClientCredentialsGrant(scopes: try scopes() ?? []))
        case LoginSubcommand.device:
            let authorization = try await client.beginOnAnotherDevice()
            show(authorization)
            return try await client.finish(authorization)
        default:
            return try await client.authorize(
                AuthorizationRequest(loginHint: invocation[LoginSubcommand.account]),
                using: LoopbackBrowser { url in try await open(url) })
        }
    }

    /// Opens the browser, and says where the page is for whom it does not appear.
    private func open(_ url: URL) async throws {
        let host = url.host() ?? ""
        environment.error.line("Sign in at \(host), in your browser. If no page opens, open this one:".printable)
        environment.error.line("  \(url.absoluteString)".printable)
        do {
            try await SystemBrowser.open(url)
        } catch let error as OAuthError where error == .browserUnavailable {
            // Whoever reads this can open the page by hand; a script cannot.
            guard environment.error.isTerminal else { throw error }
            environment.warn(error.message, hint: "Open the page by hand, or end this and use 'latch login --device'.")
        }
    }

    /// Shows the page and the code, and a picture of both for a camera.
    private func show(_ authorization: DeviceAuthorization) {
        let output = environment.error
        output.line("Open this page on any device:  \(authorization.verificationURI.absoluteString)".printable)
        output.line("and enter this code there:     \(authorization.userCode)".printable)
        if output.isTerminal, let picture = QRCode.text(of: authorization.completeURI ?? authorization.verificationURI)
        {
            output.write("\n" + picture + "\n")
        }
        output.line("Waiting; the code expires \(RelativeTime.text(authorization.expiry.timeIntervalSinceNow)).")
    }
}
