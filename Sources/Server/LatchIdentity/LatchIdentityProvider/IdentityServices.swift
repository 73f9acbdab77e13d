// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchServer

/// The state and the services of a server under one configuration, all of them built in this file.
///
/// A service stores what it needs, and not this value. The list of routes, the initializers of grant handlers and of the
/// user service, and the operator's commands read from it. Housekeeping and the refresh of the keys do so too.
package final class IdentityServices: Sendable {
    /// The configuration; a reload creates new services with another configuration.
    package let configuration: IdentityConfiguration
    package let store: IdentityStore
    /// The source of every date that is stored or compared.
    package let clock: WallClock
    /// The check of the clock's date; it survives a reload.
    package let dates: DateCheck
    /// The source of identifiers and secrets; keys and password salts always come from the operating system.
    package let random: RandomSource
    /// The root key, from which other keys are derived.
    ///
    /// These are the keys of refresh tokens, TOTP secrets, mailed links, list cursors and decoy hashes.
    package let pepper: SymmetricKey
    private let auditKey: [UInt8]
    /// The encryption of the keys in the store.
    package let keyring: Keyring
    package let accessTokens: AccessTokenIssuer
    package let passwords: PasswordHasher
    package let limits: RateLimits
    /// The registered OAuth clients.
    package let clients: OAuthClients
    private let storedClients: StoredClients
    /// The rules for granting scopes.
    package let scopePolicy: ScopePolicy
    /// The worker that sends the emails of the outbox; it survives a reload.
    package let mails: MailQueue
    package let metrics: Metrics
    package let notes = OperatorNotes()
    package let clientKeys: ClientKeySource
    private let clientAuthorities: CertificateAuthorities?
    /// The worker that tells clients of the end of their sessions.
    package let notices: ClientNoticeQueue
    /// The clients of the identity providers that users may sign in through.
    package let upstreams: UpstreamClients

    /// The programs and the code that are asked before the server acts.
    package let hooks: Hooks
    /// The workers that tell programs and code what has happened.
    package let events: EventQueue
    package let permitted: PermittedSignIns
    package let resources: ResourcePolicy
    package let recentAuthentication: RecentAuthenticationRule

    package let administration: AdministrationService
    package let admission: SignInAdmission
    /// The reader and the writer of imported and exported accounts.
    private let records: AccountRecordCoder
    package let signIns: SignInService
    package let secondFactors: SecondFactorService
    private let sessions: SessionService
    package let tokens: TokenService

    package init(
        configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, dates: DateCheck,
        random: RandomSource, keys: ServerKeys, accessTokens: AccessTokenIssuer, limiter: AttemptLimiter,
        mails: MailQueue, metrics: Metrics, upstreams: UpstreamClients, code: IdentityHooks,
        transport: any Handler, documents: PublicTransport
    ) throws(IdentityError) {
        (self.configuration, self.store, self.accessTokens) = (configuration, store, accessTokens)
        (self.clock, self.dates, self.random, pepper, keyring) = (clock, dates, random, keys.pepper, keys.keyring)
        auditKey = keys.auditKey
        passwords = try PasswordHasher(
            configuration, pepper: pepper,
            breaches: BreachedPasswords(configuration, transport: transport, metrics: metrics))
        limits = RateLimits(configuration, limiter: limiter, clock: clock)
        storedClients = StoredClients(store: store, clock: clock)
        scopePolicy = ScopePolicy(configuration)
        clients = try OAuthClients(
            configuration, stored: storedClients,
            documents: ClientDocuments(configuration, scopePolicy, transport: documents, clock: clock))
        clientAuthorities = try configuration.certificateAuthorities()
        clientKeys = ClientKeySource(store: store, clock: clock, transport: transport, documents: documents)
        notices = ClientNoticeQueue(
            clients: clients, store: store, clock: clock, random: random, accessTokens: accessTokens, pepper: pepper,
            transport: transport)
        (self.mails, self.metrics, self.upstreams) = (mails, metrics, upstreams)
        hooks = try Hooks(
            configuration, code: code, transport: transport, clock: clock, random: random, metrics: metrics,
            failures: store.failures)
        events = try EventQueue(hooks, code: code, store: store, clock: clock, random: random)
        permitted = PermittedSignIns(configuration, upstreams: upstreams, accessTokens: accessTokens)
        resources = try ResourcePolicy(configuration, accessTokens: accessTokens)
        recentAuthentication = RecentAuthenticationRule(maximumAge: configuration.recentAuthentication, clock: clock)
        administration = AdministrationService(configuration, store: store, clock: clock, limits: limits, mails: mails)
        sessions = SessionService(
            store: store, clock: clock, dates: dates, random: random, limits: limits,
            notifiesOfNewDevices: configuration.signInNotices,
            firstAdministrator: FirstAdministratorRule(
                email: configuration.firstAdministrator, administration: administration))
        tokens = TokenService(
            lifetimes: TokenLifetimes(configuration), store: store, clock: clock, dates: dates, pepper: pepper,
            accessTokens: accessTokens, families: TokenFamilyCache(), limits: limits, clients: clients,
            scopePolicy: scopePolicy, resources: resources, metrics: metrics, sessions: sessions,
            proofs: SenderProofs(
                accessTokens: accessTokens, pepper: pepper, certificateURL: configuration.certificateURL, clock: clock),
            hooks: hooks)
        secondFactors = SecondFactorService(
            serviceName: configuration.serviceName, store: store, clock: clock, random: random, pepper: pepper,
            limits: limits, mails: mails, metrics: metrics, recentAuthentication: recentAuthentication)
        admission = SignInAdmission(
            configuration, store: store, clock: clock, dates: dates, secondFactors: secondFactors,
            challenges: SignInChallenges(store: store, clock: clock, random: random))
        records = AccountRecordCoder(
            cipher: TOTPSecretCipher(pepper: pepper), random: random,
            issuers: Dictionary(uniqueKeysWithValues: upstreams.all.map { ($0.provider.name, $0.issuer) }),
            relyingPartyID: permitted.passkeyDomain, attributes: AttributeRules(configuration))
        signIns = SignInService(
            store: store, clock: clock, passwords: passwords, admission: admission, limits: limits, metrics: metrics,
            tokens: tokens,
            imports: FirstSignInImport(
                store: store, clock: clock, passwords: passwords, hooks: hooks, metrics: metrics, coder: records))
    }

    // MARK: Services that no other one needs

    package var pageSessions: PageSessionService {
        PageSessionService(
            store: store, clock: clock, pepper: pepper, accessTokens: accessTokens, sessions: sessions)
    }

    package var passkeySignIns: PasskeySignInService {
        PasskeySignInService(
            store: store, clock: clock, random: random, pepper: pepper, limits: limits, metrics: metrics,
            admission: admission, permitted: permitted, pageSessions: pageSessions, tokens: tokens)
    }

    package var upstreamSignIns: UpstreamSignInService {
        UpstreamSignInService(
            configuration: configuration, store: store, clock: clock, dates: dates, random: random, pepper: pepper,
            accessTokens: accessTokens, limits: limits, mails: mails, metrics: metrics,
            recentAuthentication: recentAuthentication, hooks: hooks, permitted: permitted,
            secondFactors: secondFactors, tokens: tokens,
            challenges: SignInChallenges(store: store, clock: clock, random: random), admission: admission)
    }

    package var audit: AuditService {
        AuditService(
            retention: configuration.auditRetention, store: store, clock: clock, auditKey: auditKey)
    }

    /// The check of the clients' assertions; the store remembers those that were used.
    package var clientAssertions: ClientAssertions {
        ClientAssertions(
            keys: clientKeys, store: store, clock: clock, dates: dates, accessTokens: accessTokens,
            certificateURL: configuration.certificateURL)
    }

    package var clientAdministration: ClientService {
        ClientService(
            store: store, clock: clock, random: random, clients: clients, stored: storedClients,
            signingKeys: signingKeys, resources: resources)
    }

    package var apiKeys: APIKeyService {
        APIKeyService(store: store, clock: clock, random: random, mails: mails, limits: limits)
    }

    package var clientRegistration: RegistrationService {
        RegistrationService(
            access: configuration.registration, limit: configuration.registrationLimit,
            rules: .registration(
                scopePolicy, permitting: configuration.registrationScopes,
                certificateMethods: configuration.certificateMethods),
            service: clientAdministration, limits: limits,
            accessTokens: accessTokens)
    }

    package var clientAuthentication: ClientAuthentication {
        ClientAuthentication(
            clients: clients, limits: limits, assertions: clientAssertions,
            certificates: CertificateAuthentication(authorities: clientAuthorities, keys: clientKeys))
    }

    package var accounts: AccountService {
        AccountService(
            configuration: configuration, store: store, clock: clock, random: random, pepper: pepper,
            passwords: passwords, limits: limits, mails: mails, metrics: metrics, hooks: hooks,
            recentAuthentication: recentAuthentication, signIns: signIns, secondFactors: secondFactors)
    }

    package var guests: GuestService {
        GuestService(
            configuration: configuration, store: store, clock: clock, random: random, pepper: pepper,
            admission: admission, tokens: tokens)
    }

    package var imports: AccountImportService {
        AccountImportService(
            store: store, clock: clock, metrics: metrics, accounts: accounts, coder: records)
    }

    package var deletions: AccountDeletionService {
        AccountDeletionService(
            delay: configuration.deletionDelay, store: store, clock: clock, limits: limits, mails: mails,
            recentAuthentication: recentAuthentication)
    }

    package var phones: PhoneService {
        PhoneService(
            configuration: configuration, store: store, clock: clock, dates: dates, random: random, pepper: pepper,
            limits: limits, hooks: hooks, accessTokens: accessTokens, recentAuthentication: recentAuthentication)
    }

    package var passkeys: PasskeyService {
        PasskeyService(
            serviceName: configuration.serviceName, sessionLifetime: configuration.refreshTokenLifetime, store: store,
            clock: clock, random: random, pepper: pepper, limits: limits, mails: mails,
            recentAuthentication: recentAuthentication, permitted: permitted,
            admitsGuests: SignUpRule(configuration).permitsUsersWithoutAddress(hooks))
    }

    package var introspection: IntrospectionService {
        IntrospectionService(tokens: tokens)
    }

    package var authorizations: AuthorizationService {
        AuthorizationService(
            store: store, clock: clock, random: random, accessTokens: accessTokens, clients: clients,
            scopePolicy: scopePolicy, metrics: metrics, resources: resources, admission: admission,
            permitted: permitted, tokens: tokens, limits: limits,
            signUpRule: SignUpRule(configuration), cipher: PageFormCipher(pepper: pepper),
            requestObjects: RequestObjects(keys: clientKeys, accessTokens: accessTokens, clock: clock))
    }

    package var signUps: SignUpService {
        SignUpService(
            configuration: configuration, store: store, clock: clock, dates: dates, random: random,
            passwords: passwords, limits: limits, codes: mailedCodes, metrics: metrics, hooks: hooks,
            admission: admission, tokens: tokens)
    }

    package var codeSignIns: CodeSignInService {
        CodeSignInService(codes: mailedCodes, signIns: signIns)
    }

    package var factorRecoveries: FactorRecoveryService {
        FactorRecoveryService(
            delay: configuration.factorRecoveryDelay, store: store, clock: clock, codes: mailedCodes, mails: mails,
            admission: admission)
    }

    private var mailedCodes: MailedCodes {
        MailedCodes(
            store: store, clock: clock, dates: dates, random: random, pepper: pepper, limits: limits, mails: mails)
    }

    package var firstAdministrators: FirstAdministratorService {
        FirstAdministratorService(
            store: store, clock: clock, dates: dates, random: random, pepper: pepper, passwords: passwords,
            limits: limits, metrics: metrics, admission: admission)
    }

    package var forwardAuth: ForwardAuthService {
        ForwardAuthService(
            store: store, clock: clock, random: random, pepper: pepper, accessTokens: accessTokens, tokens: tokens,
            authorizations: authorizations)
    }

    package var consents: ConsentService { ConsentService(store: store, clock: clock) }

    package var deviceAuthorizations: DeviceAuthorizationService {
        DeviceAuthorizationService(
            store: store, clock: clock, random: random, pepper: pepper, limits: limits, clients: clients,
            scopePolicy: scopePolicy, resources: resources, admission: admission, permitted: permitted, tokens: tokens)
    }

    package var signingKeys: SigningKeyService {
        SigningKeyService(
            keyLifetime: configuration.signingKeyLifetime, store: store, clock: clock, dates: dates,
            keyring: keyring, accessTokens: accessTokens)
    }

    package var hookAdministration: HookService {
        HookService(hooks: hooks, events: events, store: store, clock: clock, random: random)
    }

    package var measurements: Measurements {
        Measurements(
            store: store, passwords: passwords, accessTokens: accessTokens, metrics: metrics, clock: clock)
    }
}
