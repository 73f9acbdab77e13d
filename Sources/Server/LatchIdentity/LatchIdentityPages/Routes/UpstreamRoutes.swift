// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
import LatchOAuth
package import LatchServer
import LatchSignIn
import LatchTexts

/// The routes of sign-ins through other providers, for apps such as AuthPackage clients and for this server's pages.
///
/// A browser opens the first ones, so their errors are pages. An app calls the others.
package struct UpstreamRoutes: Sendable {
    package let context: PageContext
    package let random: RandomSource
    package let accessTokens: AccessTokenIssuer
    package let limits: RateLimits
    package let upstreams: UpstreamClients
    package let refreshCookie: RefreshCookie
    package let upstreamSignIns: UpstreamSignInService
    package let tokens: TokenService
    package let clock: WallClock
    package let providerSignIns: ProviderSignIns
    package let signInPages: SignInPages
    package let continuation: PageContinuation
    package let overview: AccountOverview

    package init(
        context: PageContext, random: RandomSource, accessTokens: AccessTokenIssuer, limits: RateLimits,
        upstreams: UpstreamClients, refreshCookie: RefreshCookie, upstreamSignIns: UpstreamSignInService,
        tokens: TokenService, clock: WallClock, providerSignIns: ProviderSignIns, signInPages: SignInPages,
        continuation: PageContinuation, overview: AccountOverview
    ) {
        self.context = context
        self.random = random
        self.accessTokens = accessTokens
        self.limits = limits
        self.upstreams = upstreams
        self.refreshCookie = refreshCookie
        self.upstreamSignIns = upstreamSignIns
        self.tokens = tokens
        self.clock = clock
        self.providerSignIns = providerSignIns
        self.signInPages = signInPages
        self.continuation = continuation
        self.overview = overview
    }

    private var attempts: AttemptCookies { providerSignIns.attempts }

    /// Returns the pages in the language of a request.
    private func pages(_ request: HTTPRequest) -> UpstreamPages {
        UpstreamPages(context: context.accepting(request), upstreams: upstreams)
    }

    /// Adds the routes of each configured provider.
    package func add(to router: inout Router) {
        router.group(prefix: "/api/auth", interceptors: limits.pages(limiting: .page, in: context)) { pages in
            for client in upstreams.all {
                pages.get("/\(client.provider.name)") { try await begin($0, at: client) }
            }
        }
        router.group(prefix: "/api/auth", interceptors: limits.pages(limiting: .link, in: context)) { browsers in
            for client in upstreams.all {
                let name = client.provider.name
                if client.provider.postsResponses {
                    browsers.post("/\(name)/callback") { try await finish($0, at: client) }
                } else {
                    browsers.get("/\(name)/callback") { try await finish($0, at: client) }
                }
            }
            browsers.post("/continue", proceed)
            browsers.get("/continue", startSession)
        }
        router.group(prefix: "/api/auth", interceptors: limits.limiting(.token)) { app in
            app.post("/exchange", .exchangeCode, exchange)
            for client in upstreams.all where !client.apps.isEmpty {
                app.post("/\(client.provider.name)/exchange", .exchangeCredential(of: client.provider.name)) {
                    try await exchangeCredential($0, at: client)
                }
            }
            app.post("/links", .createLink, link)
            app.delete("/links/{provider}", .deleteLink, unlink)
        }
    }

    // MARK: The browser

    /// Redirects to the provider's page, and keeps the attempt in a cookie.
    ///
    /// The query has these parameters:
    ///
    /// - `redirect` is a configured URL of the app. A browser without an app omits it, and receives the tokens at the
    ///   end if the configuration permits it.
    /// - `code_challenge` and `code_challenge_method=S256` come from the app.
    /// - `prompt` is passed on to the provider, and `state` is returned to the app.
    /// - `intent=link` and `intent=reauthenticate` yield a code for a link, or for a recent authentication of the app's
    ///   session. Such a code cannot be exchanged for tokens.
    ///
    /// A HEAD request needs no challenge. With `curl -I`, a developer can check whether the provider and the redirect
    /// are configured.
    private func begin(_ request: HTTPRequest, at client: UpstreamClient) async throws -> HTTPResponse {
        do throws(IdentityError) {
            guard let evicted = attempts.current.makingRoom(in: request) else { throw .tooManySignIns }
            let query = request.queryItems
            guard Set(query.map(\.name)).count == query.count else {
                throw .invalidSignIn("a parameter occurs more than once")
            }
            // Another site's page must not replace the session of this browser.
            if query["redirect"] == nil { try refreshCookie.requireSameSite(request) }
            let isProbe = request.method == .head && query["redirect"] != nil && query["code_challenge"] == nil
            let begun = try await upstreamSignIns.begin(
                UpstreamSignInService.Request(
                    redirect: query["redirect"],
                    codeChallenge: isProbe ? Self.challengeOfNobody : query["code_challenge"],
                    codeChallengeMethod: isProbe ? "S256" : query["code_challenge_method"], prompt: query["prompt"],
                    intent: query["intent"], state: query["state"]), at: client)
            let cookie = try attempts.set(begun.attempt, id: begun.state, isPosted: client.provider.postsResponses)
            return .redirect(to: begun.url, setting: evicted + [cookie])
        } catch {
            request.note(ofSignIn: error)
            return pages(request).page(error)
        }
    }

    /// A challenge that no known verifier matches: a digest of zeros.
    private static let challengeOfNobody = String(repeating: "A", count: 43)

    /// Handles the provider's response.
    ///
    /// Returns to the app, or shows a page.
    private func finish(_ request: HTTPRequest, at client: UpstreamClient) async throws -> HTTPResponse {
        // The router passes HEAD requests to this function too, and they must not use up the attempt.
        guard request.method == .get || request.method == .post, let response = response(in: request, at: client),
            let state = response.state, let attempt = attempt(state, in: request),
            attempt.provider == client.provider.name, case .response(let begun) = attempt.step
        else { return pages(request).page(.signInEnded) }
        let cleared = attempts.current.cleared(state, isPosted: client.provider.postsResponses)
        do throws(IdentityError) {
            try await upstreamSignIns.spend(state)
            let next = try await upstreamSignIns.finish(
                response, to: begun, of: attempt, at: client, from: request.requestOrigin)
            return try await respond(next, to: attempt, setting: cleared, request)
        } catch {
            return await end(error, of: attempt, setting: cleared, request)
        }
    }

    /// Ends an attempt: an app's on a page about it, and a page's on the page of the sign-in with the same request.
    private func end(
        _ error: IdentityError, of attempt: SignInAttempt, setting cleared: String, _ request: HTTPRequest
    ) async -> HTTPResponse {
        request.note(ofSignIn: error)
        let error = upstreamSignIns.counted(error)
        if attempt.page != nil, attempt.isLink {
            let page = context.accepting(request)
            return
                (error == .upstreamDenied
                ? .seeOther(page.url(AccountOverview.path)) : page.failure(error, links: AccountSessions.back))
                .setting(cleared)
        }
        do throws(IdentityError) {
            guard let form = try await providerSignIns.form(of: attempt) else {
                return pages(request).end(error, of: attempt, setting: cleared)
            }
            // A user who has canceled at the provider chooses another way.
            return try signInPages.signIn(
                for: form.purpose, in: request, problem: error == .upstreamDenied ? nil : error
            ).setting(cleared)
        } catch {
            request.note(ofSignIn: error)
            return pages(request).page(error).setting(cleared)
        }
    }

    /// Returns the attempt of a state or an id, if it belongs to this browser and its app may still receive the result.
    private func attempt(_ id: String, in request: HTTPRequest) -> SignInAttempt? {
        attempts.attempt(id, in: request).flatMap { upstreamSignIns.isAllowed($0) ? $0 : nil }
    }

    /// Returns to the app, continues the page, or shows the page of the next step.
    ///
    /// That step's attempt gets a separate cookie.
    private func respond(
        _ next: UpstreamSignInService.Next, to attempt: SignInAttempt, setting cleared: String, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        switch next {
        case .app(let url): return .redirect(to: url, setting: [cleared])
        case .tokens(let issued):
            return refreshCookie.response(to: issued).setting(cleared)
        case .page(let attempt):
            let id = random.identifier()
            let cookie = try attempts.set(attempt, id: id, isPosted: false)
            return pages(request).form(id, attempt).setting(cleared).setting(cookie)
        case .signedIn(let proof):
            let id = random.identifier()
            let step = SignInAttempt.Step.session(AdmittedRecord(proof))
            let end = clock.now.addingTimeInterval(SignInAttempt.lifetime)
            let cookie = try attempts.set(attempt.waiting(for: step, until: end), id: id, isPosted: false)
            guard let issuer = accessTokens.issuer else { throw .notReady }
            return HTTPResponse.seeOther("\(issuer.withoutFinalSlash)/api/auth/continue?state=\(id)")
                .setting(cleared).setting(cookie)
        }
    }

    /// Starts the session of a page that continues.
    ///
    /// The provider may have posted its response, with which browsers send only the attempt. This request has the cookies
    /// of the browser's earlier session, too.
    @Sendable private func startSession(_ request: HTTPRequest) async throws -> HTTPResponse {
        let id = request.queryItems["state"] ?? ""
        guard request.method == .get, let attempt = attempt(id, in: request), case .session(let record) = attempt.step
        else { return pages(request).page(.signInEnded) }
        let cleared = attempts.current.cleared(id)
        let (form, proof): (PageForm, AdmittedProof)
        do throws(IdentityError) {
            guard let kept = try await providerSignIns.form(of: attempt) else { throw .loginEnded }
            (form, proof) = (kept, try await upstreamSignIns.readmit(record, of: id))
        } catch {
            return await end(error, of: attempt, setting: cleared, request)
        }
        do throws(IdentityError) {
            return try await continuation.startBrowserSession(proof, form, request).setting(cleared)
        } catch {
            request.note(error)
            return await signInPages.failure(error, ofForm: nil, in: request).setting(cleared)
        }
    }

    /// Links an identity to the account of the session whose page has begun the attempt.
    private func link(
        _ record: UpstreamIdentityRecord, of attempt: SignInAttempt, id: String, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        try await overview.sessions.visiting(AccountOverview.path, request) { session throws(IdentityError) in
            guard case .account(let device, _)? = try await providerSignIns.form(of: attempt)?.step,
                device == session.device.publicID
            else { throw .loginEnded }
            do throws(IdentityError) {
                try await upstreamSignIns.link(
                    record, of: attempt, id: id, to: overview.sessions.authenticated(session),
                    from: request.requestOrigin)
            } catch {
                guard error == .linkedElsewhere || error == .alreadyLinked else { throw error }
                request.note(error)
                return try await overview.page(in: session, request, problem: error)
            }
            // The link has increased the version of the credentials.
            let (_, cookie) = try await overview.sessions.pageSessions.renewed(session)
            return HTTPResponse.seeOther(context.url(AccountOverview.path)).setting(cookie)
        }
    }

    /// Returns the provider's response; nil if it is malformed.
    private func response(in request: HTTPRequest, at client: UpstreamClient) -> AuthorizationResponse? {
        guard let issuer = accessTokens.issuer else { return nil }
        let callback = UpstreamSignInService.callback(issuer, client.provider)
        do {
            guard let url = URL(encodingOnce: callback) else { return nil }
            guard request.method == .post else {
                return try AuthorizationResponse(query: request.query ?? "", sentTo: url)
            }
            guard request.mediaType == FormEncoding.mediaType else { return nil }
            return try AuthorizationResponse(form: request.body.bytes, sentTo: url)
        } catch {
            return nil
        }
    }

    /// Handles the form of a page.
    ///
    /// A wrong code shows the page again.
    ///
    /// The cookie is not sent with a form of another site.
    @Sendable private func proceed(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try request.formFields()
        let id = try form.single("token") ?? ""
        let code = try form.single("code") ?? ""
        let isRefusal = try form.single("refuse") != nil
        guard let attempt = attempt(id, in: request), let client = upstreams[attempt.provider] else {
            return pages(request).page(.signInEnded)
        }
        do throws(IdentityError) {
            guard !isRefusal else { throw .upstreamDenied }
            if attempt.page != nil, attempt.isLink, case .confirmation(_, let record) = attempt.step {
                return try await link(record, of: attempt, id: id, request).setting(attempts.current.cleared(id))
            }
            return try await respond(
                try await next(after: attempt, id: id, code: code, at: client, from: request.requestOrigin),
                to: attempt, setting: attempts.current.cleared(id), request)
        } catch {
            let isRepeatable = error == .invalidCode || error == .tooManyAttempts
            guard !isRepeatable else { return pages(request).form(id, attempt, problem: error) }
            return await end(error, of: attempt, setting: attempts.current.cleared(id), request)
        }
    }

    /// Performs the step that an attempt waits for.
    private func next(
        after attempt: SignInAttempt, id: String, code: String, at client: UpstreamClient, from origin: RequestOrigin
    ) async throws(IdentityError) -> UpstreamSignInService.Next {
        switch attempt.step {
        case .response, .session: throw .signInEnded
        case .address(let mailID, let address, let user):
            return try await upstreamSignIns.finish(
                mailID: mailID, sentTo: address, user, code: code, of: attempt, at: client.provider, from: origin)
        case .secondFactor(let challenge, let user):
            return try await upstreamSignIns.finish(challenge: challenge, user, code: code, of: attempt, from: origin)
        case .confirmation(let challenge, let user):
            return try await upstreamSignIns.finish(confirmed: challenge, user, of: attempt, id: id, from: origin)
        }
    }

    // MARK: The app

    /// Exchanges `code` and `code_verifier` for the tokens of a login.
    @Sendable private func exchange(_ request: HTTPRequest) async throws -> HTTPResponse {
        try refreshCookie.requireSameSite(request)
        let body = try request.jsonObject()
        let issued = try await upstreamSignIns.exchange(
            try body.text("code"), verifier: try body.text("code_verifier"), from: request.requestOrigin)
        return refreshCookie.response(to: issued)
    }

    /// Exchanges the credential of the device's own Sign in with Apple for the tokens of a login.
    ///
    /// The content has `identityToken` and `nonce`, and optionally `authorizationCode`, `name` and `otp`.
    private func exchangeCredential(_ request: HTTPRequest, at client: UpstreamClient) async throws -> HTTPResponse {
        try refreshCookie.requireSameSite(request)
        let body = try request.jsonObject()
        let credential = AppleCredential(
            identityToken: try body.text("identityToken"), nonce: try body.text("nonce"),
            authorizationCode: try body.optionalText("authorizationCode"), name: try body.optionalText("name"))
        let otp = try body.optionalText("otp")
        let issued: IssuedTokens
        do throws(IdentityError) {
            issued = try await upstreamSignIns.signIn(
                with: credential, otp: otp, at: client, from: request.requestOrigin)
        } catch {
            request.note(upstreamFailureOf: error)
            // After these errors, the app sends the same credential again.
            let goesOn = error == .secondFactorRequired || error == .invalidCode || error == .tooManyAttempts
            throw goesOn ? error : upstreamSignIns.counted(error)
        }
        return refreshCookie.response(to: issued)
    }

    /// Links the identity of `code` and `code_verifier`.
    ///
    /// The login must be recent.
    @Sendable private func link(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await session(request)
        let body = try request.jsonObject()
        let (code, verifier) = (try body.text("code"), try body.text("code_verifier"))
        do throws(IdentityError) {
            let identity = try await upstreamSignIns.link(
                code, verifier: verifier, to: session, from: request.requestOrigin)
            return .json(UpstreamLink(identity: identity, linkedAt: clock.now).json, status: .created)
        } catch {
            throw error.withinSession
        }
    }

    /// Removes the link to a provider.
    ///
    /// The login must be recent.
    @Sendable private func unlink(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await session(request)
        try await upstreamSignIns.unlink(
            request.pathParameter("provider") ?? "", from: session, by: request.requestOrigin)
        return .message("The link is removed.")
    }

    private func session(_ request: HTTPRequest) async throws(IdentityError) -> AuthenticatedSession {
        try await tokens.authenticate(request)
    }

}

extension UpstreamLink {
    /// The link as JSON for the owner of the account.
    package var json: JSONObject {
        var object: JSONObject = ["provider": .string(identity.provider)]
        if let email = identity.email { object["email"] = .string(email.text) }
        object["linkedAt"] = .integer(linkedAt.storedMilliseconds / 1000)
        return object
    }
}
