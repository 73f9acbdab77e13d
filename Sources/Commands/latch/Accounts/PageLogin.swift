// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchSignIn

import struct LatchIdentityStorage.Username

/// Sign-ins by OAuth: on the issuer's page, in a browser here or on another device, or without a user.
extension Login {
    /// Signs in with one of the options.
    ///
    /// After an error, the account's earlier session is unchanged.
    func run(_ way: Option) async throws -> ExitCode {
        let content = try await readableContent()
        let known = try namedAccount(in: content)
        let issuer = try issuer(known, content)
        // An account keeps the spelling of the issuer from its first sign-in.
        let exact = known?.issuer ?? issuer.exact.absoluteString
        let (client, clientID) = try await client(of: exact, known, way, content)
        let response: TokenResponse
        do {
            response = try await tokens(of: client, way)
        } catch OAuthError.missingEndpoint where way != LoginSubcommand.clientCredentials {
            throw CommandError.failed(
                "\(exact) has no page for a sign-in \(way == LoginSubcommand.device ? "by a code" : "in a browser").",
                hint: "Try another way: 'latch login --help' lists them.")
        }
        let isClient = way == LoginSubcommand.clientCredentials
        let user = isClient ? nil : try await claims(of: response, at: client)
        let userID = user?.subject ?? (isClient ? nil : response.userID)
        if let known, let expected = known.userID, userID != expected {
            // The browser may have signed in another user.
            try await client.tokenEndpoint().discard(response.tokens)
            throw CommandError.failed(
                "Another user has signed in, not \(known.name).",
                hint: "Sign out at \(exact) in the browser first, or leave '--account' out.")
        }
        let names = Self.nameClaims.lazy.compactMap { user?.string($0) }
        // The substitute for a user name tells the user less than the address.
        let substitute = userID.map(Username.substitute)
        let username = names.first { !$0.isEmpty && $0 == $0.printable && $0 != substitute } ?? userID
        if let wanted = invocation[LoginSubcommand.account], known == nil, let username, wanted != username {
            environment.warn("'\(username)' has signed in, not '\(wanted)'.", hint: "'latch accounts rename' names it.")
        }
        let anonymous = known.flatMap { $0.userID == nil && $0.username == nil ? $0 : nil }
        return try await finish(
            response, as: username ?? invocation[LoginSubcommand.account] ?? clientID, issuer: exact,
            username: username, userID: userID, clientID: clientID, isClient: isClient,
            replacing: isClient ? nil : anonymous, content)
    }

    /// The claims that an account is named by, the best first.
    private static let nameClaims = ["preferred_username", "email", "name"]

    /// Returns the claims about the user; nil without an ID token.
    ///
    /// With a code, those of a scope may be only at the userinfo endpoint (OpenID Connect Core §5.4). Without them the
    /// account has the user's ID as its name, and the sign-in still counts.
    private func claims(of response: TokenResponse, at client: AuthorizationClient) async throws -> Claims? {
        guard let claims = response.idTokenClaims, Self.nameClaims.allSatisfy({ claims[$0] == nil }) else {
            return response.idTokenClaims
        }
        do {
            return try await client.userInfo(of: response.tokens)
        } catch OAuthError.missingEndpoint {
            return claims
        } catch  where !(error is CancellationError) && error as? HTTPError != .cancelled {
            environment.warn(
                "The issuer does not say who has signed in: \(error)",
                hint: "'latch accounts rename' names the account.")
            return claims
        }
    }

    /// Returns a client of the issuer; registers it there if the call names no registration and the issuer accepts one.
    private func client(
        of issuer: String, _ known: AccountEntry?, _ way: Option, _ content: AccountList.Content
    ) async throws -> (AuthorizationClient, clientID: String) {
        let url = try IssuerURL(issuer)
        func client(_ registration: ClientRegistration) throws -> AuthorizationClient {
            var configuration =
                registration.clientID.flatMap {
                    OAuthConfiguration.known(issuer: url.exact, clientID: $0, secret: registration.secret)
                } ?? OAuthConfiguration(issuer: url.exact, registration: registration)
            if let scopes = try scopes() { configuration.scopes = scopes }
            if let redirectURI = try redirectURI() { configuration.redirectURI = redirectURI }
            if let audience = invocation[LoginSubcommand.audience] {
                configuration.resources = [try TokenSubcommand.target(audience).resource]
            }
            return AuthorizationClient(configuration, transport: accounts.transport, timeout: .seconds(60))
        }
        let named = invocation[LoginSubcommand.clientID] ?? environment.value(of: "LATCH_CLIENT_ID") ?? known?.clientID
        if let named {
            let secret = accounts.clientSecret?.text(
                of: named, at: url, isNamed: way == LoginSubcommand.clientCredentials)
            return (try client(ClientRegistration(clientID: named, secret: secret)), named)
        }
        let missing = CommandError.usage(
            "'latch login --\(way.name)' needs a client ID.",
            hint: "Register this program at the issuer, and write '--client-id ID'.")
        guard way != LoginSubcommand.clientCredentials else { throw missing }
        let endpoint = try await client(.none).tokenEndpoint()
        if let own = Self.ownRegistration(at: endpoint.server, url, way) {
            return (try client(ClientRegistration(clientID: own)), own)
        }
        guard way == LoginSubcommand.browser, endpoint.server.registrationEndpoint != nil else { throw missing }
        let registration = try await register(at: endpoint, url, content)
        return (try client(registration), registration.clientID ?? "")
    }

    /// Returns the redirect URI of the call; nil for the library's, whose port the system chooses.
    private func redirectURI() throws(CommandError) -> URL? {
        guard let text = invocation[LoginSubcommand.redirectURI] else { return nil }
        guard let url = URL(encodingOnce: text), LoopbackBrowser.canListen(on: url) else {
            throw .usage(
                "'\(text)' is not a redirect URI of this machine.",
                hint: "Write http:// and 127.0.0.1, [::1] or localhost, with port and path as they are registered.")
        }
        return url
    }

    /// Returns the claims of the call; nil if there are none.
    private func claims() throws(CommandError) -> JSONObject? {
        guard let text = invocation[LoginSubcommand.claims] else { return nil }
        guard let claims = StepUpRequirement.claims(ofChallenge: text) else {
            throw .usage(
                "The claims are neither a JSON object nor base 64 of one.",
                hint: "Write what the API's challenge has as 'claims'.")
        }
        return claims
    }

    /// Returns the client ID that an issuer has for this command, as `latch serve` does; nil if it names none.
    ///
    /// All such issuers use the same ID. An attacker's issuer could name the page of another issuer, to receive that
    /// issuer's code. So the pages must belong to the issuer itself, and the response must name its issuer (RFC 9207).
    private static func ownRegistration(at server: AuthorizationServer, _ issuer: IssuerURL, _ way: Option) -> String? {
        let page =
            way == LoginSubcommand.device ? server.deviceAuthorizationEndpoint : server.authorizationEndpoint
        guard let clientID = server.metadata["latch_client_id"]?.stringValue, !clientID.isEmpty,
            server.metadata["authorization_response_iss_parameter_supported"] == true,
            page.flatMap(HTTPOrigin.init) == issuer.origin, HTTPOrigin(server.tokenEndpoint) == issuer.origin
        else { return nil }
        return clientID
    }

    /// Registers this program at an issuer.
    ///
    /// An untrusted issuer could name the page of another issuer, and return this program's client ID there. It would
    /// then receive the other issuer's code with the verifier (RFC 9700 §4.4).
    private func register(
        at endpoint: TokenEndpoint, _ issuer: IssuerURL, _ content: AccountList.Content
    ) async throws -> ClientRegistration {
        let doubtful = CommandError.failed(
            "\(issuer.text) shows another server's page although it registers programs automatically.",
            hint: "If you trust it, register the program by hand, and write '--client-id ID'.")
        guard endpoint.server.authorizationEndpoint.flatMap(HTTPOrigin.init) == issuer.origin,
            let redirectURI = try redirectURI() ?? URL(string: "http://127.0.0.1\(LoopbackBrowser.defaultPath)")
        else { throw doubtful }
        let metadata = ClientMetadata(redirectURIs: [redirectURI], name: "latch")
        let registration = try await endpoint.register(metadata).registration
        guard registration.authentication == .none, let clientID = registration.clientID else {
            throw CommandError.failed(
                "\(issuer.text) registers this program with a secret, which it cannot keep.",
                hint: "Register the program by hand as a public client, and write '--client-id ID'.")
        }
        let isTaken = try content.entries.contains { entry in
            try entry.clientID == clientID && IssuerURL(entry.issuer).text != issuer.text
        }
        guard !isTaken else { throw doubtful }
        return registration
    }

    private func tokens(of client: AuthorizationClient, _ way: Option) async throws -> TokenResponse {
        switch way {
        case LoginSubcommand.clientCredentials:
            guard client.configuration.registration.secret != nil else {
                throw CommandError.failed(
                    "The client's secret is missing.",
                    hint: "Set LATCH_CLIENT_SECRET to it, and LATCH_CLIENT_ID and LATCH_ISSUER to whose it is.")
            }
            return try await client.tokens(for: ClientCredentialsGrant(scopes: try scopes() ?? []))
        case LoginSubcommand.device:
            let authorization = try await client.beginOnAnotherDevice()
            try await checkPage(of: authorization, client)
            show(authorization)
            return try await client.finish(authorization)
        default:
            var request = AuthorizationRequest(loginHint: invocation[LoginSubcommand.account])
            request.claims = try claims()
            return try await client.authorize(
                request, using: LoopbackBrowser { url in try await open(url, for: client.configuration.issuer) })
        }
    }

    /// Refuses another server's page if all servers know this command by the same ID.
    ///
    /// An issuer could have started an authorization at another server, and show its code. The user would then approve
    /// that authorization.
    private func checkPage(of authorization: DeviceAuthorization, _ client: AuthorizationClient) async throws {
        let shared = try await client.server().metadata["latch_client_id"]?.stringValue
        guard shared != nil, shared == client.configuration.registration.clientID else { return }
        let pages = [authorization.verificationURI] + [authorization.completeURI].compactMap(\.self)
        let issuer = client.configuration.issuer
        guard !pages.allSatisfy({ HTTPOrigin($0) == HTTPOrigin(issuer) }) else { return }
        throw CommandError.failed(
            "\(issuer.absoluteString.printable) sends you to the page of another server.",
            hint: "Sign in at that server directly, or pass your registered '--client-id'.")
    }

    /// Opens the browser, and prints the URL in case no page appears.
    private func open(_ url: URL, for issuer: URL) async throws {
        environment.error.line(
            "Sign in at \(issuer.absoluteString), in your browser. If no page opens, open this one:".printable)
        environment.error.line("  \(url.absoluteString)".printable)
        page.isShown = true
        do {
            try await SystemBrowser.open(url)
        } catch let error as OAuthError where error == .browserUnavailable {
            // A user who reads this can open the page by hand; a script cannot.
            guard environment.error.isTerminal else { throw error }
            environment.warn(error.message, hint: "Open the page by hand, or end this and use 'latch login --device'.")
        }
    }

    /// Shows the page and the code, and a QR code for a camera.
    private func show(_ authorization: DeviceAuthorization) {
        let output = environment.error
        output.line("Open this page on any device:  \(authorization.verificationURI.absoluteString)".printable)
        output.line("and enter this code there:     \(authorization.userCode)".printable)
        let page = authorization.completeURI ?? authorization.verificationURI
        if output.isTerminal, let code = QRCode(page.absoluteString) {
            output.write("\n" + QRCodeText.lines(of: code) + "\n")
        }
        let rest = authorization.expiry.timeIntervalSinceNow.rounded(.up)
        output.line("Waiting; the code expires \(RelativeTime.text(rest)).")
    }
}
