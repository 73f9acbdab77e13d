// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE
import LatchServer

/// A service that decides on requests to applications behind a proxy, and signs their browsers in.
///
/// The server's own cookie is not sent to the application's host. So a browser gets a cookie there, by the code flow of
/// the application's client (RFC 6749 §4.1, RFC 7636), in which the server is also the client. The cookie stands for a
/// device of the account, which ends with the session of the browser at the server.
package struct ForwardAuthService: Sendable {
    private let store: IdentityStore
    private let clock: WallClock
    private let random: RandomSource
    private let pepper: SymmetricKey
    private let accessTokens: AccessTokenIssuer
    private let tokens: TokenService
    private let authorizations: AuthorizationService
    private let users = ProtectedUserCache()

    package init(
        store: IdentityStore, clock: WallClock, random: RandomSource, pepper: SymmetricKey,
        accessTokens: AccessTokenIssuer, tokens: TokenService, authorizations: AuthorizationService
    ) {
        self.store = store
        self.clock = clock
        self.random = random
        self.pepper = pepper
        self.accessTokens = accessTokens
        self.tokens = tokens
        self.authorizations = authorizations
    }

    /// The greatest length of a state: longer ones are refused as a parameter.
    private static let longestState = 2000

    private var cipher: PageFormCipher { authorizations.cipher }

    /// The cookies of an application's host.
    private func cookies(of origin: String) -> PageCookies { PageCookies(issuer: origin, pepper: pepper, clock: clock) }

    // MARK: Deciding

    /// Returns the user whom the cookie of the application's host stands for; nil if there is none, or it has ended.
    package func user(
        of request: HTTPRequest, to forwarded: ForwardedRequest, at client: OAuthClient
    ) async throws(IdentityError) -> ProtectedUser? {
        guard let id = cookies(of: forwarded.origin).application(in: request) else { return nil }
        // Read before the rows, since a write that commits meanwhile may change them.
        let state = LatchIdentityAccounts.SessionState(version: store.version, uptime: clock.uptime)
        if let user = users.user(of: id, at: state), clock.now < user.expiresAt { return user }
        // Only a device of this client: another application has seen its own cookie.
        guard let session = try await tokens.session(ofDevice: id, by: client),
            client.accepts(factorAt: session.device.factorAt)
        else { return nil }
        let user = ProtectedUser(session, at: client)
        users.keep(user, of: id, at: state)
        return user
    }

    /// Returns the user of a request's access token.
    ///
    /// - Throws: `IdentityError.invalidToken` without a token that is for this application; `.invalidProof`.
    package func bearer(
        of request: HTTPRequest, to forwarded: ForwardedRequest, at client: OAuthClient
    ) async throws(IdentityError) -> ProtectedUser {
        var original = request
        original.method = forwarded.method
        let session = try await tokens.session(
            ofForwarded: original, to: forwarded.url, audience: forwarded.origin, by: client)
        return ProtectedUser(session, at: client)
    }

    // MARK: Signing in

    /// Returns the URL that begins a sign-in, and the Set-Cookie field that binds it to the browser.
    package func begin(
        _ request: HTTPRequest, to forwarded: ForwardedRequest, at client: OAuthClient
    ) throws(IdentityError) -> (url: String, cookie: String) {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let cookies = cookies(of: forwarded.origin)
        let browser = cookies.browser(in: request) ?? random.identifier()
        let id = random.identifier()
        var state = ""
        // A state that is too long for a parameter leads to the beginning of the application.
        for target in [forwarded.target, "/"] where state.isEmpty || state.utf8.count > Self.longestState {
            state = try cipher.seal(
                PageForm(
                    id: id, purpose: .application(origin: forwarded.origin, target: target),
                    step: .request, browser: browser,
                    expiresAt: clock.now.addingTimeInterval(PageForm.lifetime)))
        }
        let scopes = ["openid", "profile", "email"] + client.forwardAuth.scopes.elements.map(\.rawValue)
        let url = AppRedirect.url(
            "\(issuer.withoutFinalSlash)/oauth/authorize",
            [
                ("response_type", "code"), ("client_id", client.id),
                ("redirect_uri", forwarded.origin + OAuthClient.forwardAuthCallback),
                ("scope", scopes.joined(separator: " ")), ("state", state),
                ("code_challenge", Base64URL.encode(verifier(id).digest)), ("code_challenge_method", "S256"),
            ])
        return (url, try cookies.set(browser: browser))
    }

    /// Finishes a sign-in at the application's callback, and returns the URL to continue at and the Set-Cookie field.
    ///
    /// - Throws: `IdentityError.loginEnded` in a browser that has not begun it, `.authorizationDenied` if the user has
    ///   refused, and the errors of ``AuthorizationService/redeem(_:verifier:redirect:by:on:isRemembered:from:)``.
    package func finish(
        _ request: HTTPRequest, to forwarded: ForwardedRequest, at client: OAuthClient
    ) async throws(IdentityError) -> (url: String, cookie: String) {
        let cookies = cookies(of: forwarded.origin)
        let fields = forwarded.parameters
        guard let form = cipher.open(fields["state"] ?? "", at: clock.now),
            case .application(let origin, let target) = form.purpose, origin == forwarded.origin,
            // RFC 6749 §10.12: the URL of another browser signs in no user here.
            let browser = cookies.browser(in: request), browser.utf8.elementsEqual(form.browser.utf8)
        else { throw .loginEnded }
        guard let code = fields["code"] else {
            throw fields["error"] == IdentityError.unmetAuthentication.form.oauth
                ? .unmetAuthentication : .authorizationDenied
        }
        let issued = try await authorizations.redeem(
            code, verifier: verifier(form.id), redirect: origin + OAuthClient.forwardAuthCallback, by: client,
            isRemembered: false, from: request.requestOrigin)
        return (origin + target, try cookies.set(application: issued.tokens.device.id))
    }

    /// Returns the code verifier of a sign-in, which only the server can compute (RFC 7636 §4.1).
    private func verifier(_ id: String) -> String {
        let key = pepper.derived(for: "latch forward auth")
        return Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(id.utf8), using: key)))
    }

    // MARK: Signing out

    /// Signs out a browser at an application, and returns what the server's page then ends, and the Set-Cookie field.
    ///
    /// That page needs the browser's cookie of the server, which lasts for an hour. After it, all that the user has signed
    /// in through the browser ends here.
    package func end(
        _ request: HTTPRequest, to forwarded: ForwardedRequest, at client: OAuthClient
    ) async throws(IdentityError) -> (hint: PageForm.SignOutHint?, cookie: String) {
        let cookies = cookies(of: forwarded.origin)
        guard let id = cookies.application(in: request),
            let session = try await tokens.session(ofDevice: id, by: client)
        else { return (nil, cookies.endedApplication) }
        let (browser, account) = (session.device.browserDevice, session.account.id)
        _ = try await store.revoke(device: id, ownedBy: account, because: .logout, at: clock.now)
        let now = clock.now
        // The server's own page ends a session of the browser that lasts. One that has expired is ended here.
        if let browser,
            try await !store.devices(of: account, at: now).contains(where: {
                $0.clientID == Device.pagesClientID && $0.browserSession == browser
            })
        {
            try await store.endSession(ofBrowser: browser, of: account, at: now)
        }
        let sessionID = ClientSessionID(pepper: pepper).text(browser: browser, device: id, for: client.id)
        return (PageForm.SignOutHint(clientID: client.id, sessionID: sessionID), cookies.endedApplication)
    }
}
