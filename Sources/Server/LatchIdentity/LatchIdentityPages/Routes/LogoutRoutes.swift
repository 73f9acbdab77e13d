// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn

/// The page that signs out a browser for a client (OpenID Connect RP-Initiated Logout §2).
///
/// It ends the session of the browser, and what clients signed in there without the scope `offline_access`. Clients
/// with that scope end their own sessions.
package struct LogoutRoutes: Sendable {
    package let accessTokens: AccessTokenIssuer
    package let limits: RateLimits
    package let clients: OAuthClients
    package let pageSessions: PageSessionService
    package let signInPages: SignInPages
    package let notices: ClientNoticeQueue

    package init(
        accessTokens: AccessTokenIssuer, limits: RateLimits, clients: OAuthClients, pageSessions: PageSessionService,
        signInPages: SignInPages, notices: ClientNoticeQueue
    ) {
        self.accessTokens = accessTokens
        self.limits = limits
        self.clients = clients
        self.pageSessions = pageSessions
        self.signInPages = signInPages
        self.notices = notices
    }

    /// A valid request.
    private struct Request {
        /// The session of the ID token that the client has sent.
        var hint: PageForm.SignOutHint?
        /// A registered URL of the client.
        var redirect: String?
        var state: String?
        /// Whether the client registered itself, so that no visitor is led to its URL without a decision.
        var isOfStranger = false
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: signInPages.context)) {
            $0.get("/oauth/logout", begin)
        }
        router.group(interceptors: limits.pages(limiting: .link, in: signInPages.context)) {
            $0.post("/oauth/logout", finish)
        }
    }

    /// Signs out immediately if the client has an ID token of this session of the browser.
    ///
    /// Otherwise it asks, since any page can open this one. An ID token of another session, perhaps a stolen one from a
    /// log, could otherwise end all sessions of its user here.
    @Sendable private func begin(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == .get else { return HTTPResponse(status: .ok, fields: [.cacheControl: "no-store"]) }
        do throws(IdentityError) {
            let wanted = try await self.wanted(request.queryItems)
            guard let session = try await pageSessions.active(in: request) else {
                return left(to: wanted.isOfStranger ? nil : wanted.redirect, state: wanted.state, request)
            }
            guard let hint = wanted.hint,
                hint.sessionID == pageSessions.sessionID(of: session, for: hint.clientID)
            else {
                let (browser, cookie) = try signInPages.browser(of: request)
                return try signInPages.signOut(
                    wanted.redirect, state: wanted.state, in: session, browser: browser, request
                ).setting(cookie)
            }
            return try await end(session, to: wanted.redirect, state: wanted.state, request)
        } catch {
            return request.page(of: error, in: signInPages.context)
        }
    }

    /// Handles the user's decision.
    ///
    /// A client's request continues by GET, since its form sends no cookies.
    @Sendable private func finish(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        do {
            guard try fields.single("token") != nil else {
                let wanted = try await read(fields)
                return try signInPages.redirect(
                    to: "/oauth/logout",
                    .signOut(redirect: wanted.redirect, state: wanted.state, hint: wanted.hint))
            }
            let (form, isOwn) = try signInPages.form(in: fields, of: request)
            guard isOwn, case .signOut(let redirect, let state, _) = form.purpose,
                case .decision(let device, _) = form.step
            else { throw IdentityError.loginEnded }
            guard let session = try await pageSessions.active(in: request) else {
                return left(to: redirect, state: state, request)
            }
            guard session.device.publicID == device else { throw IdentityError.loginEnded }
            return try await end(session, to: redirect, state: state, request)
        } catch let error as IdentityError {
            return request.page(of: error, in: signInPages.context)
        }
    }

    /// Signs out a browser, tells its clients, and returns to the client that has asked for it.
    func end(
        _ session: ActivePageSession, to redirect: String? = nil, state: String? = nil, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let frames = try await frames(of: session)
        let cookie = try await pageSessions.end(session)
        notices.wake()
        return left(to: redirect, state: state, loading: frames, request).setting(cookie)
    }

    /// Returns the response for a browser that has been signed out.
    private func left(
        to redirect: String?, state: String?, loading frames: [String] = [], _ request: HTTPRequest
    ) -> HTTPResponse {
        let next = redirect.map { redirect in state.map { AppRedirect.url(redirect, [("state", $0)]) } ?? redirect }
        guard frames.isEmpty else { return signInPages.signedOut(loading: frames, next: next, request) }
        return next.map(HTTPResponse.seeOther) ?? signInPages.signedOut(request)
    }

    /// Returns the pages of the clients that the user has signed in to in the browser (Front-Channel Logout §3).
    private func frames(of session: ActivePageSession) async throws(IdentityError) -> [String] {
        guard clients.mayHaveFrames, let issuer = accessTokens.issuer else { return [] }
        var urls: [String] = []
        for id in try await pageSessions.clients(in: session).sorted() {
            guard let uri = try await clients.client(id)?.frontchannelLogoutURI else { continue }
            urls.append(AppRedirect.url(uri, [("iss", issuer), ("sid", pageSessions.sessionID(of: session, for: id))]))
        }
        return urls
    }

    /// Returns the request in a query, which may have been sent by POST before.
    private func wanted(_ query: FormFields) async throws(IdentityError) -> Request {
        guard let posted = try signInPages.postedRequest(in: query) else { return try await read(query) }
        guard case .signOut(let redirect, let state, let hint) = posted else { throw .loginEnded }
        return Request(hint: hint, redirect: redirect, state: state)
    }

    /// Reads a request.
    ///
    /// - Throws: `IdentityError.invalidSignOut`. The browser is never sent to an unregistered URL (attack B10).
    private func read(_ fields: FormFields) async throws(IdentityError) -> Request {
        guard Set(fields.map(\.name)).count == fields.count else {
            throw .invalidSignOut("a parameter occurs more than once")
        }
        func value(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }
        var (clientID, request) = (value("client_id"), Request())
        if let text = value("id_token_hint"), text.utf8.count <= 8192 {
            if let hint = accessTokens.hint(text) {
                guard clientID ?? hint.clientID == hint.clientID else {
                    throw .invalidSignOut("its id_token_hint is not an ID token of the app")
                }
                clientID = hint.clientID
                request.hint = hint.sessionID.map { PageForm.SignOutHint(clientID: hint.clientID, sessionID: $0) }
            } else if clientID == nil {
                // RP-Initiated Logout §4: nothing in such a hint may be used. So the user is asked, and stays here.
                return request
            }
        }
        guard let redirect = value("post_logout_redirect_uri") else { return request }
        guard let clientID, let client = try await clients.client(clientID),
            client.postLogoutRedirectURIs.contains(where: { $0.utf8.elementsEqual(redirect.utf8) })
        else { throw .invalidSignOut("its post_logout_redirect_uri is not registered for the app") }
        request.redirect = redirect
        request.isOfStranger = client.registersItself
        request.state = value("state").flatMap { $0.utf8.count > 2048 ? nil : $0 }
        return request
    }
}
