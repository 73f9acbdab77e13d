// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The pages on which users sign in for an app or another device, and decide on its request.
///
/// The state of a page is encrypted in its form, and the user's session is in a cookie. So every node can handle every
/// page.
package struct SignInPages: Sendable {
    package let context: PageContext
    package let configuration: IdentityConfiguration
    package let clock: WallClock
    package let random: RandomSource
    package let pepper: SymmetricKey
    package let accessTokens: AccessTokenIssuer
    package let clients: OAuthClients
    package let refreshCookie: RefreshCookie
    package let authorizations: AuthorizationService
    package let permitted: PermittedSignIns

    package init(
        context: PageContext, configuration: IdentityConfiguration, clock: WallClock, random: RandomSource,
        pepper: SymmetricKey, accessTokens: AccessTokenIssuer, clients: OAuthClients, refreshCookie: RefreshCookie,
        authorizations: AuthorizationService, permitted: PermittedSignIns
    ) {
        self.context = context
        self.configuration = configuration
        self.clock = clock
        self.random = random
        self.pepper = pepper
        self.accessTokens = accessTokens
        self.clients = clients
        self.refreshCookie = refreshCookie
        self.authorizations = authorizations
        self.permitted = permitted
    }

    /// The cookies of one request, since the issuer may become known while the server runs.
    private var cookies: PageCookies { PageCookies(issuer: accessTokens.issuer, pepper: pepper, clock: clock) }
    private var cipher: PageFormCipher { PageFormCipher(pepper: pepper) }

    // MARK: Forms

    /// Returns the encrypted form of a page.
    package func seal(
        _ purpose: PageForm.Purpose, _ step: PageForm.Step, browser: String
    ) throws(IdentityError) -> String {
        try cipher.seal(
            PageForm(
                id: random.identifier(), purpose: purpose, step: step, browser: browser,
                expiresAt: clock.now.addingTimeInterval(PageForm.lifetime)))
    }

    /// Returns the form that a request sends, and whether it belongs to the browser.
    ///
    /// - Throws: `IdentityError.loginEnded` if there is none, `.foreignPage` if a page of another site sends it.
    package func form(in fields: FormFields, of request: HTTPRequest) throws -> (form: PageForm, isOwn: Bool) {
        try requireOwnPage(request)
        // A refusal grants nothing, so it is accepted at any age: the user wants to go back.
        let now = try fields.single("refuse") == nil ? clock.now : .distantPast
        guard let form = cipher.open(try fields.single("token") ?? "", at: now) else { throw IdentityError.loginEnded }
        let browser = cookies.browser(in: request)
        return (form, browser.map { $0.utf8.elementsEqual(form.browser.utf8) } ?? false)
    }

    /// Rejects a form of another site if the browser reports it.
    ///
    /// Otherwise the cookies decide.
    ///
    /// Since the pages have no referrer, browsers send `Origin: null` with their forms (Fetch §3.2).
    ///
    /// - Throws: `IdentityError.foreignPage`.
    func requireOwnPage(_ request: HTTPRequest) throws(IdentityError) {
        if let site = request.fields["Sec-Fetch-Site"] {
            guard site == "same-origin" || site == "none" else { throw .foreignPage }
        } else if let origin = request.fields["Origin"], origin != "null" {
            do throws(IdentityError) { try refreshCookie.requireSameSite(request) } catch {
                throw .foreignPage
            }
        }
    }

    /// Returns the identifier of the browser, and the Set-Cookie field that keeps it for the lifetime of the page's
    /// form.
    package func browser(of request: HTTPRequest) throws(IdentityError) -> (id: String, cookie: String) {
        let id = cookies.browser(in: request) ?? random.identifier()
        return (id, try cookies.set(browser: id))
    }

    // MARK: Requests by POST

    /// Returns the redirect of a client's POST to the same request by GET (OpenID Connect Core §3.1.2.1).
    ///
    /// A form of the client's site sends no cookies, and its parameters must not get into histories. So the URL
    /// contains them encrypted.
    package func redirect(
        to path: String, _ purpose: PageForm.Purpose
    ) throws(IdentityError) -> HTTPResponse {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let sealed = try seal(purpose, .request, browser: "")
        return .seeOther("\(issuer.withoutFinalSlash)\(path)?\(Self.sealedName)=\(sealed)")
    }

    /// Returns a client's request that came by POST; nil if the query has none.
    ///
    /// - Throws: `IdentityError.loginEnded` if it is too old, or was not created by the server.
    func postedRequest(in query: FormFields) throws(IdentityError) -> PageForm.Purpose? {
        guard let sealed = query[Self.sealedName] else { return nil }
        guard let form = cipher.open(sealed, at: clock.now), case .request = form.step else { throw .loginEnded }
        return form.purpose
    }

    static let sealedName = "posted"

    /// Returns the context of a request's pages, in the language that the client asks for, if it asks for one.
    func context(of request: HTTPRequest, for purpose: PageForm.Purpose) -> PageContext {
        let context = context.accepting(request)
        guard case .authorization(let authorization) = purpose else { return context }
        let preferring = context.preferring(authorization.languages, in: request)
        // A pushed request and a request object end before the page does.
        let query = request.queryItems
        guard query["request_uri"] != nil || query["request"] != nil else { return preferring }
        do throws(IdentityError) {
            return preferring.opened(
                at: "/oauth/authorize?\(Self.sealedName)=\(try seal(purpose, .request, browser: ""))")
        } catch {
            // A page without the choice of a language still signs its user in.
            return preferring.opened(at: nil)
        }
    }

    // MARK: Signing in

    /// Returns the ways to sign in that a page offers for a purpose.
    func ways(for purpose: PageForm.Purpose) -> Set<SignInWay> {
        permitted.usable.filter { purpose.signInWays?.contains($0) ?? true }
    }

    /// Returns whether a page offers to create an account, whose user is then signed in.
    private func offersSignUp(for purpose: PageForm.Purpose, among ways: Set<SignInWay>) -> Bool {
        SignUpRule(configuration).isOffered && Self.takesSignUps(purpose)
            && ways.contains(permitted.permits(.password) ? .password : .code)
    }

    /// Returns the page that asks for a user name and a password, or a passkey if the browser has one.
    ///
    /// It has only the ways that the server and the client take.
    package func signIn(
        for purpose: PageForm.Purpose, in request: HTTPRequest, name: String = "", problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try self.browser(of: request)
        let ways = ways(for: purpose)
        let (hasPasswords, hasPasskeys) = (ways.contains(.password), ways.contains(.passkey))
        let context = self.context(of: request, for: purpose)
        let page = HTMLPage(
            Phrase("page.signIn.title"), text: Self.reason(purpose), problem: problem?.pageProblem,
            invalidFields: problem == .invalidCredentials ? ["name", "password"] : [],
            action: ("/login", hasPasswords ? Phrase("page.signIn.submit") : nil),
            carrying: try seal(purpose, .password, browser: browser),
            fields: hasPasswords ? HTMLField.signIn(name: name, offersPasskeys: hasPasskeys, in: context) : [],
            scriptedButton: hasPasskeys ? .passkey(in: context) : nil,
            others: providerButtons(for: purpose)
                + (ways.contains(.code) ? [.init(MailedCodePages.addressButton, Phrase("page.signIn.code"))] : [])
                + (offersSignUp(for: purpose, among: ways)
                    ? [.init("signup", Phrase("page.signIn.signUp"), isQuiet: true)] : [])
                + (problem == .addressUnverified ? [MailRequestPages.Kind.verification.button] : [])
                + (hasPasswords ? [MailRequestPages.Kind.password.button] : []),
            refusal: Self.canCancel(purpose) ? Phrase("page.button.cancel") : nil,
            links: Self.canCancel(purpose) ? [] : [("/", Phrase("page.button.cancel"))], in: context)
        return response(page, for: purpose, problem: problem, leadsAway: offersProviders).setting(cookie)
    }

    /// The name of the buttons whose value is the name of a provider.
    static let providerField = "provider"

    /// The buttons that sign in through the configured providers.
    func providerButtons(for purpose: PageForm.Purpose) -> [HTMLPage.Button<Phrase>] {
        guard ways(for: purpose).contains(.provider) else { return [] }
        return configuration.upstreams.map {
            .init(Self.providerField, Phrase("signIn.provider", .text($0.displayName)), value: $0.name)
        }
    }

    var offersProviders: Bool { !configuration.upstreams.isEmpty }

    /// Returns the page for a user whose account has none of the ways to sign in that the client takes.
    func missingWay(
        for purpose: PageForm.Purpose, in request: HTTPRequest
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try self.browser(of: request)
        let error = IdentityError.signInWayMissing
        let page = HTMLPage(
            error.pageTitle, text: error.pageAdvice, action: ("/login", nil),
            carrying: try seal(purpose, .password, browser: browser),
            others: [.init("signin", Phrase("page.consent.other"))],
            refusal: Self.canCancel(purpose) ? Phrase("page.button.backToApp") : nil,
            links: [(AccountOverview.path, Phrase("page.account.title"))], in: context(of: request, for: purpose))
        return response(page, for: purpose, problem: error).setting(cookie)
    }

    /// Returns the page that asks for a code of the second factor.
    package func factor(
        _ challenge: String, after way: SignInWay?, for purpose: PageForm.Purpose, browser: String,
        in request: HTTPRequest, problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let context = self.context(of: request, for: purpose)
        let page = HTMLPage(
            Phrase("page.factor.title"), text: Phrase("page.factor.text"), problem: problem?.pageProblem,
            invalidFields: problem == .invalidCode ? ["code"] : [], action: ("/login", Phrase("page.signIn.submit")),
            carrying: try seal(purpose, .factor(challenge: challenge, way: way), browser: browser),
            fields: [.factorCode(in: context)],
            others: configuration.factorRecoveryDelay == nil || way != .password
                ? [] : [.init(FactorRecoveryPages.button, Phrase("page.factorLost.button"), isQuiet: true)],
            refusal: Self.canCancel(purpose) ? Phrase("page.button.cancel") : nil, in: context)
        return response(page, for: purpose, problem: problem).setting(try cookies.set(browser: browser))
    }

    private static func reason(_ purpose: PageForm.Purpose) -> Phrase {
        switch purpose {
        case .authorization(let request): Phrase("page.signIn.app", .text(name(of: request)))
        case .device: Phrase("page.signIn.device")
        case .signOut, .application, .visit: Phrase("page.signIn.plain")
        }
    }

    /// Whether a new user can fulfil a purpose.
    private static func takesSignUps(_ purpose: PageForm.Purpose) -> Bool {
        switch purpose {
        case .authorization(let request): request.expectedAccount == nil
        case .visit(_, let again): again == nil
        case .device: true
        case .signOut, .application: false
        }
    }

    package static func canCancel(_ purpose: PageForm.Purpose) -> Bool {
        if case .authorization = purpose { return true }
        return false
    }

    /// Returns the name of a client for users: its id, and for an app on the web also its unique host.
    package static func name(of request: PendingAuthorization) -> String {
        guard AppRedirect.isClaimed(request.redirect) else { return request.clientID }
        let host = request.redirect.utf8.dropFirst("https://".utf8.count).prefix { !"/?".utf8.contains($0) }
        return "\(request.clientID) (\(String(Substring(host))))"
    }

    // MARK: Deciding

    /// Returns the page on which a user agrees to a client's request.
    ///
    /// - Parameter kept: The scopes that the user has agreed to before; the others are shown as new. Nil for none.
    package func consent(
        _ pending: PendingAuthorization, _ client: OAuthClient, _ scopes: Scopes, kept: Consent?,
        in session: ActivePageSession, browser: String, _ request: HTTPRequest
    ) throws(IdentityError) -> HTTPResponse {
        let purpose = PageForm.Purpose.authorization(pending)
        let context = self.context(of: request, for: purpose)
        let shown = ShownClient(client, receiving: pending.redirect, in: context.texts.language)
        let isLocal = !AppRedirect.isClaimed(pending.redirect)
        let email = Phrase.Argument.text(session.account.label)
        let page = HTMLPage(
            Phrase(isLocal ? "page.consent.local.title" : "page.consent.title", .text(shown.title)),
            text: shown.introduced(
                Phrase(isLocal ? "page.consent.local.text" : "page.consent.text", email, .text(shown.name))),
            items: texts(
                of: pending.grantDetails.claims.adding(to: scopes), at: pending.grantDetails.resources, kept: kept)
                + Self.texts(of: pending.grantDetails.authorization),
            action: ("/consent", Phrase("page.button.continue")),
            carrying: try seal(
                purpose, .decision(device: session.device.publicID, scopes: scopes.text), browser: browser),
            alternative: Phrase("page.consent.other"), refusal: Phrase("page.button.cancel"), links: shown.links,
            in: context)
        return response(page, for: purpose)
    }

    /// Returns the page on which a user decides on another device.
    package func device(
        _ code: UserCode, _ record: DeviceAuthorizationRecord, _ client: OAuthClient, _ scopes: Scopes,
        in session: ActivePageSession, browser: String, _ request: HTTPRequest
    ) throws(IdentityError) -> HTTPResponse {
        let context = context.accepting(request)
        let shown = ShownClient(client, receiving: nil, in: context.texts.language)
        let minutes = max(Int(clock.now.timeIntervalSince(record.createdAt) / 60), 0)
        let begun = minutes == 0 ? Phrase("page.device.now") : Phrase("page.device.minutes", .count(minutes))
        let purpose = PageForm.Purpose.device(userCode: code.letters, ways: client.signInWays)
        let page = HTMLPage(
            Phrase("page.device.title"),
            text: shown.introduced(
                Phrase(
                    "page.device.text", .text(session.account.label), .text(shown.name), .text(code.text),
                    .phrase(begun), .text(record.address))),
            items: texts(of: scopes, at: record.details.resources),
            action: ("/device", Phrase("page.button.continue")),
            carrying: try seal(
                purpose, .decision(device: session.device.publicID, scopes: scopes.text), browser: browser),
            alternative: Phrase("page.consent.other"), refusal: Phrase("page.notMe"), links: shown.links, in: context)
        return response(page, for: purpose)
    }

    /// Returns the page that asks whether to sign out in the browser.
    package func signOut(
        _ redirect: String?, state: String?, in session: ActivePageSession, browser: String, _ request: HTTPRequest
    ) throws(IdentityError) -> HTTPResponse {
        let purpose = PageForm.Purpose.signOut(redirect: redirect, state: state)
        return HTMLPage(
            Phrase("page.signOut.title"), text: Phrase("page.signOut.text", .text(session.account.label)),
            action: ("/oauth/logout", Phrase("page.signOut.submit")),
            carrying: try seal(purpose, .decision(device: session.device.publicID, scopes: nil), browser: browser),
            links: [("/", Phrase("page.signOut.stay"))], in: context.accepting(request)
        ).response(leadsAway: redirect != nil)
    }

    /// Returns the page after a sign-out without a redirect.
    package func signedOut(_ request: HTTPRequest) -> HTTPResponse {
        HTMLPage(
            Phrase("page.signOut.done"), text: Phrase("page.close"),
            links: [(AccountOverview.path, Phrase("page.signIn.title"))], in: context.accepting(request)
        ).response()
    }

    /// Returns the page after a sign-out that loads pages of the clients, and then returns to the one that has asked.
    package func signedOut(loading frames: [String], next: String?, _ request: HTTPRequest) -> HTTPResponse {
        let context = context.accepting(request)
        var page = HTMLPage(
            context.texts(Phrase("page.signOut.done")), text: context.texts(Phrase("page.signOut.apps")),
            loading: frames, next: next.map { ($0, context.texts(Phrase("page.button.continue"))) })
        context.finish(&page)
        return page.response()
    }

    /// Returns the page for entering a code.
    package func userCode(_ code: String, _ request: HTTPRequest, problem: IdentityError? = nil) -> HTTPResponse {
        let context = context.accepting(request)
        let page = HTMLPage(
            Phrase("page.userCode.title"), text: Phrase("page.userCode.text"), problem: problem?.pageProblem,
            invalidFields: problem == .invalidUserCode ? ["user_code"] : [],
            action: ("/device", Phrase("page.button.continue")), fields: [.userCode(code, in: context)], in: context)
        return page.response(status: problem?.form.status ?? .ok).failing(with: problem)
    }

    /// Returns descriptions of scopes that users understand, with those that are not kept as new.
    private func texts(of scopes: Scopes, at resources: [String], kept: Consent? = nil) -> [Phrase] {
        // A consent is kept for one set of resource servers, so none of them is new to it.
        let servers = resources.map { Phrase("page.scope.resource", .text($0)) }
        return scopes.elements.map { scope in
            let text = text(of: scope)
            return kept?.scopes.allow(scope) ?? true ? text : Phrase("page.scope.new", .phrase(text))
        } + servers
    }

    /// Returns descriptions of rights, with all that the client has said of them.
    private static func texts(of rights: AuthorizationDetails) -> [Phrase] {
        rights.elements.map {
            Phrase(
                "page.scope.details", .text(AuthorizationDetails.type(of: $0)), .text(AuthorizationDetails.text(of: $0))
            )
        }
    }

    func text(of scope: Scope) -> Phrase {
        let attributes = AttributeRules(configuration).all.filter { $0.scope == scope }
        guard attributes.isEmpty else {
            return Phrase("page.scope.attributes", .text(attributes.map(\.name).joined(separator: ", ")))
        }
        return switch scope.rawValue {
        case "openid": Phrase("page.scope.openid")
        case "profile": Phrase("page.scope.profile")
        case "email": Phrase("page.scope.email")
        case "phone": Phrase("page.scope.phone")
        case "offline_access": Phrase("page.scope.offline")
        default: Phrase("page.scope.other", .text(scope.rawValue))
        }
    }

    // MARK: Responses

    /// Returns the response that takes the browser to the client.
    package func response(_ response: AuthorizationReturn, in request: HTTPRequest) -> HTTPResponse {
        guard response.mode.isForm else { return .seeOther(response.url) }
        let context = context.accepting(request)
        var page = HTMLPage(
            context.texts(Phrase("page.return.title")), posting: response.parameters, to: response.redirect,
            button: context.texts(Phrase("page.button.continue")))
        context.finish(&page)
        page.footer = nil
        return page.response()
    }

    /// Returns a page whose form may lead back to the client.
    ///
    /// - Parameter leadsAway: Whether it may lead to another site for any purpose.
    func response(
        _ page: HTMLPage, for purpose: PageForm.Purpose, problem: IdentityError? = nil, leadsAway: Bool = false
    ) -> HTTPResponse {
        var leadsAway = leadsAway
        if case .authorization = purpose { leadsAway = true }
        return page.response(status: problem?.form.status ?? .ok, leadsAway: leadsAway).failing(with: problem)
    }

    /// Returns the page of an error.
    ///
    /// If a form is too old, its page links back to its app, unless the app expects a form.
    ///
    /// - Parameter sealed: The text of the form, which may be invalid.
    package func failure(_ error: IdentityError, ofForm sealed: String?, in request: HTTPRequest) async -> HTTPResponse
    {
        let context = context.accepting(request)
        // The server created the form, regardless of its age. But its client may have another redirect URI in the
        // meantime.
        guard error == .loginEnded, let sealed, let form = cipher.open(sealed, at: .distantPast),
            case .authorization(let pending) = form.purpose
        else { return context.failure(error) }
        do throws(IdentityError) {
            let response = try await authorizations.response(of: .authorizationEnded, for: pending)
            // A link is a GET, which this client does not expect.
            return !response.mode.isForm ? context.failure(error, app: response.url) : context.failure(error)
        } catch _ {
            // The client is not registered any longer, so the page has no link to it.
            return context.failure(error)
        }
    }
}

extension HTTPResponse {
    /// Returns a redirect that a browser follows with GET, so that it never forwards a password (RFC 9700 §4.12).
    static func seeOther(_ url: String) -> HTTPResponse {
        var response = redirect(to: url)
        response.status = .seeOther
        return response
    }
}
