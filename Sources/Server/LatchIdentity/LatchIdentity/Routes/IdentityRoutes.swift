// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityPages
import LatchIdentityProvider
import LatchServer

extension Router {
    /// Creates the server's routes.
    init(of services: IdentityServices) {
        let configuration = services.configuration
        let context = PageContext(configuration)
        let path = configuration.issuer.map(PublicURL.path) ?? ""
        // The outermost first; some only if the settings ask for them.
        let interceptors: [(any Interceptor)?] = [
            TransportSecurityInterceptor(configuration), RequestIDInterceptor(),
            PageErrorInterceptor(context: context),
            RequestMetricsInterceptor(metrics: services.metrics.requests, clock: services.clock),
            CORSInterceptor(forPagesOf: services.clients, below: path),
            ProofNonceInterceptor(proofs: services.tokens.proofs), IdentityErrorInterceptor(),
            CertificateHostInterceptor(certificateURL: configuration.certificateURL),
        ]
        self.init(interceptors: interceptors.compactMap(\.self))
        var routes = Router()
        routes.add(services, context)
        OpenAPIRoutes(
            limits: services.limits, accessTokens: services.accessTokens,
            document: OpenAPIDocument(
                described: routes, serviceName: configuration.serviceName, version: packageVersion)
        ).add(to: &routes)
        merge(routes, alsoBelow: path)
    }

    /// Adds all routes.
    private mutating func add(_ services: IdentityServices, _ context: PageContext) {
        let (configuration, limits) = (services.configuration, services.limits)
        let refreshCookie = RefreshCookie(configuration, accessTokens: services.accessTokens)
        SessionRoutes(
            limits: limits, refreshCookie: refreshCookie, signIns: services.signIns, tokens: services.tokens
        ).add(to: &self)
        CodeRoutes(
            limits: limits, clock: services.clock, random: services.random,
            cipher: MailedCodeCipher(pepper: services.pepper), refreshCookie: refreshCookie,
            signIns: services.codeSignIns, signUps: services.signUps
        ).add(to: &self)
        AccountRoutes(
            store: services.store, limits: limits, upstreams: services.upstreams, permitted: services.permitted,
            accounts: services.accounts, signIns: services.signIns, secondFactors: services.secondFactors,
            passkeySignIns: services.passkeySignIns,
            upstreamSignIns: services.upstreamSignIns,
            tokens: services.tokens
        ).add(to: &self)
        GuestRoutes(
            limits: limits, refreshCookie: refreshCookie, guests: services.guests, accounts: services.accounts,
            tokens: services.tokens
        ).add(to: &self)
        PhoneRoutes(
            limits: limits, accounts: services.accounts, phones: services.phones, tokens: services.tokens
        ).add(to: &self)
        PasskeyRoutes(
            limits: limits, permitted: services.permitted, refreshCookie: refreshCookie, passkeys: services.passkeys,
            passkeySignIns: services.passkeySignIns, tokens: services.tokens
        ).add(to: &self)
        addAdministration(services, access: AdministrationAccess(services))
        SignInWayRoutes(configuration: configuration, limits: limits, permitted: services.permitted).add(to: &self)
        ConsentRoutes(limits: limits, consents: services.consents, tokens: services.tokens).add(to: &self)
        JWTAuthRoutes(limits: limits, signIns: services.signIns, tokens: services.tokens).add(to: &self)
        LaziRoutes(limits: limits, accounts: services.accounts).add(to: &self)
        addOAuth(services)
        addPages(services, context, refreshCookie: refreshCookie)
        if configuration.hasUserService {
            addUserService(
                UserServiceHandler(services),
                admission: UserServiceAdmission(limits: limits, tokens: services.tokens), clock: services.clock)
        }
        OperationRoutes(
            store: services.store, clock: services.clock, dates: services.dates, accessTokens: services.accessTokens,
            limits: limits, mails: services.mails, metrics: services.metrics, measurements: services.measurements
        ).add(to: &self)
    }

    /// Creates the routes of the administration for the operator, whose command calls them in its own process.
    init(ofOperator services: IdentityServices) {
        self.init()
        addAdministration(services, access: AdministrationAccess(services).ofOperator)
    }

    /// Adds the JSON routes of administrators and their programs.
    private mutating func addAdministration(_ services: IdentityServices, access: AdministrationAccess) {
        UserAdministrationRoutes(
            limits: services.limits, pepper: services.pepper, store: services.store, accounts: services.accounts,
            administration: services.administration, access: access
        ).add(to: &self)
        UserTransferRoutes(imports: services.imports, access: access).add(to: &self)
        CredentialAdministrationRoutes(administration: services.administration, access: access).add(to: &self)
        ClientAdministrationRoutes(clients: services.clientAdministration, access: access).add(to: &self)
        ServerAdministrationRoutes(
            store: services.store, accessTokens: services.accessTokens,
            mails: services.mails, keys: services.signingKeys, upstreams: services.upstreams, notes: services.notes,
            audit: services.audit, access: access
        ).add(to: &self)
        HookAdministrationRoutes(hooks: services.hookAdministration, access: access).add(to: &self)
        APIKeyRoutes(access: access).add(to: &self)
    }

    /// Adds the endpoints of OAuth and OpenID Connect.
    private mutating func addOAuth(_ services: IdentityServices) {
        let (configuration, limits) = (services.configuration, services.limits)
        let authentication = services.clientAuthentication
        let handlers = GrantHandlers.all.map { $0.init(services) }
        TokenRoutes(
            dates: services.dates, limits: limits, clients: services.clients, grantHandlers: handlers,
            clientAuthentication: authentication, tokens: services.tokens
        ).add(to: &self)
        RegistrationRoutes(limits: limits, registration: services.clientRegistration).add(to: &self)
        IntrospectionRoutes(
            limits: limits, clientAuthentication: authentication, introspection: services.introspection
        ).add(to: &self)
        PushedRequestRoutes(
            limits: limits, clientAuthentication: authentication, authorizations: services.authorizations
        ).add(to: &self)
        UserInfoRoutes(
            store: services.store, limits: limits, clients: services.clients, tokens: services.tokens
        ).add(to: &self)
        MetadataRoutes(
            configuration: configuration, accessTokens: services.accessTokens, limits: limits,
            clients: services.clients, proofs: services.tokens.proofs, scopePolicy: services.scopePolicy
        ).add(to: &self)
        WebFingerRoutes(accessTokens: services.accessTokens, limits: limits).add(to: &self)
    }

    /// Adds the pages, and the endpoints that lead to them.
    private mutating func addPages(_ services: IdentityServices, _ context: PageContext, refreshCookie: RefreshCookie) {
        let (configuration, limits) = (services.configuration, services.limits)
        let pages = SignInPages(
            context: context, configuration: configuration, clock: services.clock, random: services.random,
            pepper: services.pepper, accessTokens: services.accessTokens, clients: services.clients,
            refreshCookie: refreshCookie, authorizations: services.authorizations, permitted: services.permitted)
        let devices = DeviceRoutes(
            accessTokens: services.accessTokens, limits: limits,
            clientAuthentication: services.clientAuthentication,
            deviceAuthorizations: services.deviceAuthorizations, pageSessions: services.pageSessions, signInPages: pages
        )
        let signUpCodes = MailedCodePages(for: .signUp(services.signUps), signInPages: pages)
        let continuation = PageContinuation(
            authorizations: services.authorizations, pageSessions: services.pageSessions, signInPages: pages,
            signUpCodes: signUpCodes, deviceRoutes: devices)
        let mailRequestPages = MailRequestPages(signInPages: pages)
        let providerSignIns = ProviderSignIns(
            random: services.random, limits: limits, upstreams: services.upstreams,
            upstreamSignIns: services.upstreamSignIns,
            forms: KeptForms(
                store: services.store, clock: services.clock, cipher: PageFormCipher(pepper: services.pepper)),
            attempts: AttemptCookies(
                accessTokens: services.accessTokens, pepper: services.pepper, clock: services.clock))
        let overview = AccountOverview(services, pages)
        AuthorizeRoutes(
            limits: limits, signIns: services.signIns, codeSignIns: services.codeSignIns,
            passkeySignIns: services.passkeySignIns, authorizations: services.authorizations,
            pageSessions: services.pageSessions, signInPages: pages, signUpCodes: signUpCodes,
            signInCodes: MailedCodePages(for: .signIn(services.codeSignIns), signInPages: pages),
            factorLost: FactorRecoveryPages(services.factorRecoveries, signInPages: pages),
            continuation: continuation, providerSignIns: providerSignIns, mailRequestPages: mailRequestPages
        ).add(to: &self)
        SignUpRoutes(
            limits: limits, signUps: services.signUps, signInPages: pages, codePages: signUpCodes,
            continuation: continuation, providerSignIns: providerSignIns
        ).add(to: &self)
        if !services.upstreams.all.isEmpty {
            UpstreamRoutes(
                context: context, random: services.random, accessTokens: services.accessTokens, limits: limits,
                upstreams: services.upstreams, refreshCookie: refreshCookie, upstreamSignIns: services.upstreamSignIns,
                tokens: services.tokens, clock: services.clock, providerSignIns: providerSignIns, signInPages: pages,
                continuation: continuation, overview: overview
            ).add(to: &self)
        }
        let logout = LogoutRoutes(
            accessTokens: services.accessTokens, limits: limits, clients: services.clients,
            pageSessions: services.pageSessions, signInPages: pages, notices: services.notices
        )
        addAccountPages(services, overview, providerSignIns: providerSignIns, logout: logout)
        logout.add(to: &self)
        ForwardAuthRoutes(
            limits: limits, clients: services.clients, signInPages: pages, forwardAuth: services.forwardAuth
        ).add(to: &self)
        devices.add(to: &self)
        addMailedPages(services, pages, mailRequestPages)
    }

    /// Adds the pages of mailed links, and the images of all pages.
    private mutating func addMailedPages(
        _ services: IdentityServices, _ pages: SignInPages, _ mailRequestPages: MailRequestPages
    ) {
        let (configuration, limits) = (services.configuration, services.limits)
        BrandRoutes(configuration: configuration, limits: limits, signInPages: pages).add(to: &self)
        PageRoutes(
            context: pages.context, appURL: configuration.appURL, store: services.store, clock: services.clock,
            limits: limits, accounts: services.accounts,
            mailRequests: MailRequestRoutes(
                accessTokens: services.accessTokens, limits: limits, accounts: services.accounts, signInPages: pages,
                pages: mailRequestPages)
        ).add(to: &self)
    }

    /// Adds the pages on which users see and change their account.
    private mutating func addAccountPages(
        _ services: IdentityServices, _ overview: AccountOverview, providerSignIns: ProviderSignIns,
        logout: LogoutRoutes
    ) {
        AccountPageRoutes(
            limits: services.limits, accounts: services.accounts, administration: services.administration,
            consents: services.consents, passkeys: services.passkeys, upstreamSignIns: services.upstreamSignIns,
            deletions: services.deletions, factorRecoveries: services.factorRecoveries, tokens: services.tokens,
            providerSignIns: providerSignIns, logout: logout, overview: overview
        ).add(to: &self)
        AccountAttributeRoutes(limits: services.limits, accounts: services.accounts, overview: overview).add(to: &self)
        SecondFactorPageRoutes(limits: services.limits, secondFactors: services.secondFactors, overview: overview).add(
            to: &self)
        PhonePageRoutes(limits: services.limits, phones: services.phones, overview: overview).add(to: &self)
        PasskeyPageRoutes(limits: services.limits, passkeys: services.passkeys, overview: overview).add(to: &self)
        AccountDataRoutes(
            limits: services.limits, audit: services.audit, deletions: services.deletions, overview: overview
        ).add(to: &self)
        addAdministration(
            services,
            AdminSessions(
                sessions: overview.sessions, store: services.store, permitted: services.permitted))
    }

    /// Adds the pages of administrators.
    private mutating func addAdministration(_ services: IdentityServices, _ admins: AdminSessions) {
        FirstAdministratorRoutes(
            limits: services.limits, service: services.firstAdministrators, sessions: admins.sessions
        ).add(to: &self)
        AdminRoutes(
            limits: services.limits, administration: services.administration, audit: services.audit,
            notes: services.notes, mails: services.mails, admins: admins
        ).add(to: &self)
        AdminUserRoutes(
            limits: services.limits, pepper: services.pepper, accounts: services.accounts,
            administration: services.administration, admins: admins
        ).add(to: &self)
        AdminClientRoutes(limits: services.limits, clients: services.clientAdministration, admins: admins).add(
            to: &self)
        AdminKeyRoutes(limits: services.limits, keys: services.apiKeys, admins: admins).add(to: &self)
        AdminServerRoutes(
            limits: services.limits, store: services.store, mails: services.mails,
            keys: services.signingKeys, upstreams: services.upstreams, notes: services.notes, admins: admins
        ).add(to: &self)
    }
}

extension AccountOverview {
    fileprivate init(_ services: IdentityServices, _ pages: SignInPages) {
        self.init(
            store: services.store, clock: services.clock, permitted: services.permitted,
            verifiesPhones: services.phones.isAvailable,
            sessions: AccountSessions(
                pageSessions: services.pageSessions, recentAuthentication: services.recentAuthentication,
                signInPages: pages))
    }
}

extension CORSInterceptor {
    /// Creates the interceptor that lets the clients' own pages use tokens (OAuth 2.0 for Browser-Based Apps §6.3).
    ///
    /// None of these endpoints reads a cookie.
    fileprivate init(forPagesOf clients: OAuthClients, below path: String) {
        func both(_ paths: [String]) -> Set<String> { Set(paths + paths.map { path + $0 }) }
        let paths = both(["/oauth/token", "/oauth/revoke", "/oauth/userinfo", "/oauth/par"])
        // What a page sends here may be another client's: a password. It holds the token that it sends to the others.
        let deciding = both(["/oauth/token", "/oauth/par"])
        // A page that registers itself has no client yet, and a registration access token is the page's own.
        let registration = both(["/oauth/register"])
        let isRegistration = { @Sendable (path: String) in
            registration.contains { path.utf8.starts(with: $0.utf8) }
        }
        // Whose the page of any other origin is, the endpoint finds out: the store's clients are not listed here.
        self.init(
            includes: { paths.contains($0) || isRegistration($0) }, allows: { _ in true },
            decides: { path, origin in
                deciding.contains(path) || !isRegistration(path) && !clients.allows(origin: origin)
            })
    }
}

extension AdministrationAccess {
    fileprivate init(_ services: IdentityServices) {
        self.init(
            limits: services.limits, tokens: services.tokens, keys: services.apiKeys,
            recentAuthentication: services.recentAuthentication)
    }
}
