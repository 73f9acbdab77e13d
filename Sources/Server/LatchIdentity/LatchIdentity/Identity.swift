// SPDX-License-Identifier: Apache-2.0

public import LatchCore
package import LatchFoundation
public import LatchHTTP
public import LatchIdentityAccounts
import LatchIdentityPages
import LatchIdentityProvider
public import LatchIdentityStorage
import LatchServer
import LatchWebAuthn

/// An auth server without its socket: accounts, sessions and tokens over one store, and the routes that serve them.
///
/// ```swift
/// let identity = try await Identity(configuration: configuration, storePath: "identity.sqlite", mailer: mailer)
/// let server = Server(handler: identity.handler)
/// identity.adoptIssuer(try await server.start().url)
/// …
/// await server.shutdown(grace: .seconds(10))
/// await identity.close()
/// ```
public struct Identity: Sendable {
    /// The handler of all requests to the server.
    public let handler: any Handler
    /// The account service, for code in the same process such as the operator's commands; it bypasses the rate limits.
    package var accounts: AccountService { services.accounts }
    /// The administration of accounts, for code in the same process.
    package var administration: AdministrationService { services.administration }
    /// The second-factor service, for code in the same process.
    package var secondFactors: SecondFactorService { services.secondFactors }
    /// The rotation of the signing keys, for the operator's commands.
    package var signingKeys: SigningKeyService { services.signingKeys }
    /// The administration of the clients in the store.
    package var clients: ClientService { services.clientAdministration }
    /// The keys of programs that administer the server.
    package var apiKeys: APIKeyService { services.apiKeys }
    /// The identity providers that users may sign in through.
    package var upstreams: UpstreamClients { services.upstreams }
    /// Accepts the store's current date, which servers have doubted, and returns it.
    package func acceptDate() async throws(IdentityError) -> Date {
        let now = services.clock.now
        try await services.store.believe(now, isFinal: true)
        return now
    }
    /// The audit log, for the operator's commands.
    package var audit: AuditService { services.audit }
    /// What the pages of the administration show of the program that runs this server.
    package var notes: OperatorNotes { services.notes }
    package let services: IdentityServices
    /// The code of the program that embeds the server.
    private let code: IdentityHooks
    /// The transport for requests to identity providers, clients and hooks.
    private let transport: any Handler
    /// The transport for requests to URLs that strangers have named.
    private let documents: PublicTransport
    /// The database's clock, which replaces this machine's; nil for a store without a clock.
    private let storeClock: StoreClock?
    /// The tasks that prune the store and refresh the keys; they are canceled when another value takes over the store.
    private let housekeeping: [Task<Void, Never>]

    /// Creates a server over a SQLite file or a PostgreSQL database.
    ///
    /// A SQLite file is created if it does not exist. For PostgreSQL, pass the database's URI as the path:
    /// `postgres://user@host/database`. The clock is then the database's, so that all nodes have the same time.
    /// `clock` only measures the time between two readings. `hooks` is code that decides about sign-ups, adds claims to
    /// tokens, or is told of events.
    ///
    /// - Throws: `IdentityError` if the store cannot be opened or a setting cannot be used.
    public init(
        configuration: IdentityConfiguration, storePath: String, mailer: any Mailer,
        hooks: IdentityHooks = IdentityHooks(), clock: WallClock = .system, random: RandomSource = .system
    ) async throws(IdentityError) {
        let store = try await Self.store(at: storePath, for: configuration)
        try await self.init(
            configuration: configuration, store: store, mailer: mailer, hooks: hooks, clock: clock,
            storeClock: try await StoreClock(of: store, local: clock), random: random)
    }

    /// Creates a server over a SQLite file or a PostgreSQL database, with a transport to identity providers.
    ///
    /// - Throws: `IdentityError` if the store cannot be opened or a setting cannot be used.
    package init(
        configuration: IdentityConfiguration, storePath: String, mailer: any Mailer, transport: any Handler
    ) async throws(IdentityError) {
        let store = try await Self.store(at: storePath, for: configuration)
        try await self.init(
            configuration: configuration, store: store, mailer: mailer,
            storeClock: try await StoreClock(of: store, local: .system), transport: transport)
    }

    /// Creates a value for the operator's commands, beside a server that may be running and that sends the emails.
    ///
    /// It does not migrate the store: running servers of an earlier version could not start again.
    ///
    /// - Throws: `IdentityError` if the store cannot be opened or a setting cannot be used, such as `.olderSchema`.
    package init(administering storePath: String, configuration: IdentityConfiguration) async throws(IdentityError) {
        let schema = try await StoreAdministration.schema(of: storePath)
        guard schema.found == 0 || schema.due == nil else {
            throw .olderSchema(found: schema.found, known: schema.latest)
        }
        if configuration.acceptsAnotherPepper {
            // A running server would keep the earlier pepper, and end each session that refreshes there.
            try await StoreConnections.onThread { () throws(IdentityError) in
                try StoreConnections.requireUnused(storePath)
            }
        }
        let store = try await Self.store(at: storePath, for: configuration)
        try await self.init(
            configuration: configuration, store: store, mailer: nil,
            storeClock: try await StoreClock(of: store, local: .system))
    }

    /// Opens a store after checking the settings.
    ///
    /// A start with a wrong setting creates no store. Nor does it migrate the store of an earlier version, which that
    /// version could not open again.
    private static func store(
        at path: String, for configuration: IdentityConfiguration
    ) async throws(IdentityError) -> IdentityStore {
        try configuration.check()
        return try await IdentityStore.open(path)
    }

    /// Creates a server over any store.
    ///
    /// - Parameters:
    ///   - mailer: Nil for the operator's commands, which leave emails and housekeeping to the server. They may not
    ///     know the server's settings, and with other settings would remove entries of the audit log.
    ///   - storeClock: The clock of the store, which replaces `clock`.
    ///   - synchronized: Returns the machine's date if a time server keeps it correct.
    ///   - transport: The transport to identity providers.
    ///   - documents: The transport to URLs that strangers have named.
    package init(
        configuration: IdentityConfiguration, store: IdentityStore, mailer: (any Mailer)?,
        hooks: IdentityHooks = IdentityHooks(), clock: WallClock = .system, storeClock: StoreClock? = nil,
        synchronized: @escaping DateCheck.Synchronized = { WallClock.synchronizedDate }, random: RandomSource = .system,
        transport: any Handler = Transport.live, documents: PublicTransport = PublicTransport()
    ) async throws(IdentityError) {
        let metrics = Metrics()
        metrics.include { store.callSamples }
        let clock = storeClock?.clock ?? clock
        // The keys of the first start are events too.
        try await store.tell(EventQueue.listeners(configuration, code: hooks))
        try await self.init(
            configuration, store: store, clock: clock, storeClock: storeClock,
            dates: try await DateCheck(of: store, clock: clock, synchronized: synchronized), random: random,
            code: hooks, transport: transport, documents: documents, limiter: AttemptLimiter(),
            mails: MailQueue(mailer: mailer, store: store, metrics: metrics, clock: clock, random: random),
            metrics: metrics, keepsHouse: mailer != nil)
    }

    /// Creates a server with the state that survives a reload.
    private init(
        _ configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, storeClock: StoreClock?,
        dates: DateCheck, random: RandomSource, code: IdentityHooks, transport: any Handler, documents: PublicTransport,
        issuer: String? = nil, limiter: AttemptLimiter,
        mails: MailQueue, metrics: Metrics, keepsHouse: Bool = true,
        ended: EndedKeys = EndedKeys()
    ) async throws(IdentityError) {
        try configuration.check()
        let configuration = configuration.inForce
        let keys = try await ServerKeys.load(
            from: store, configuration: configuration, isServer: keepsHouse, clock: clock, random: random,
            ended: ended)
        let tokens = AccessTokenIssuer(
            keys: keys.signing, configuration: configuration, clock: clock, random: random,
            cacheCounts: metrics.tokenCache)
        if let issuer { tokens.adopt(issuer) }
        services = try IdentityServices(
            configuration: configuration, store: store, clock: clock, dates: dates, random: random, keys: keys,
            accessTokens: tokens, limiter: limiter, mails: mails, metrics: metrics,
            upstreams: try UpstreamClients(configuration, transport: transport, clock: clock, random: random),
            code: code, transport: transport, documents: documents)
        self.code = code
        self.transport = transport
        self.documents = documents
        self.storeClock = storeClock
        handler = Router(of: services)
        services.mails.use(
            MailContent(
                accessTokens: tokens, tokens: MailedTokens(pepper: keys.pepper), configuration: configuration,
                hooks: services.hooks))
        let (kept, machineDate) = (services, storeClock?.machineDate)
        housekeeping =
            keepsHouse
            ? [
                Task { await Housekeeping(kept, machineDate: machineDate).run() },
                Task { await Self.refreshKeys(kept, storeClock) }, Task { await kept.notices.run() },
                Task { await kept.events.run() },
            ] : []
    }

    /// Returns the same server with another configuration; the store stays open, and its keys are read again.
    ///
    /// Metrics, rate limits, waiting emails and the issuer carry over. Requests in progress end with the earlier
    /// configuration. Do not close the earlier value: the new value uses its store. The queue of password hashes starts
    /// empty; hashes that wait in the earlier queue are still computed.
    ///
    /// - Throws: `IdentityError` if the configuration or the keys cannot be used; the earlier value then stays in use.
    package func reconfigured(_ configuration: IdentityConfiguration) async throws(IdentityError) -> Identity {
        let next = try await Identity(
            configuration, store: services.store, clock: services.clock, storeClock: storeClock,
            dates: services.dates, random: services.random, code: code, transport: transport, documents: documents,
            issuer: issuer,
            limiter: services.limits.limiter, mails: services.mails, metrics: services.metrics,
            ended: services.keyring.ended)
        do throws(IdentityError) {
            try await services.store.tell(EventQueue.listeners(configuration, code: code))
        } catch {
            for task in next.housekeeping { task.cancel() }
            throw error
        }
        for task in housekeeping { task.cancel() }
        services.events.stop()
        // Events for listeners that have gone may have been stored until now.
        await next.services.events.removeOthers()
        return next
    }

    /// The path prefix of the user service's RPCs.
    public static let callPath = UserServiceAdmission.callPath

    /// Returns the limits of the RPCs by path, for `Server.Configuration.contentLimits`.
    ///
    /// - Parameter bytes: The maximum size of a call with an access token; a call without one has the limit of the JSON
    ///   routes.
    public static func contentLimits(callBytes bytes: Int) -> [String: Int] {
        UserServiceAdmission.contentLimits(callBytes: bytes)
    }

    /// The public URL; nil until it is known.
    public var issuer: String? { services.accessTokens.issuer }

    /// The routes of the administration, for the operator's commands: without credentials, and with errors thrown.
    package var operatorRoutes: any Handler { Router(ofOperator: services) }

    /// Returns the link that makes the first administrator; nil if there is one, or the issuer is not known.
    package func firstAdministratorLink() async throws(IdentityError) -> String? {
        guard let issuer, let token = try await services.firstAdministrators.token() else { return nil }
        return "\(issuer.withoutFinalSlash)\(FirstAdministratorRoutes.path)?token=\(token)"
    }

    /// Uses the address on which the server listens as its public URL, unless the configuration sets one.
    public func adoptIssuer(_ url: String) {
        services.accessTokens.adopt(String(url.withoutFinalSlash))
        services.mails.wake()
    }

    /// Reports at `/readyz` from now on that the server takes no new clients, so that load balancers use other servers.
    ///
    /// The server still responds to all requests.
    public func drain() { services.metrics.isDraining = true }

    /// Reports the failures of store calls, at most once a minute for each error code, also after reloads.
    ///
    /// - Parameter report: A function that the store's threads call, so it must not block.
    package func reportStoreFailures(by report: @escaping StoreFailures.Report) {
        services.store.failures.report(by: report)
    }

    /// Sends the emails that are due, commits waiting writes, and closes the store.
    ///
    /// Close the server that uses the handler first: later requests get a 503. Emails are sent for ten seconds. The
    /// call returns after that time, plus the time of the emails that are being sent. Other emails stay in the store
    /// for the next start.
    public func close() async {
        for task in housekeeping { task.cancel() }
        async let events: Void = services.events.close()
        await services.mails.close()
        await events
        await services.store.close()
    }

    /// Returns when every due event has been told or postponed, for tests.
    package func flushEvents() async { await services.events.flush() }

    /// Returns when every due email has been sent or postponed, for tests.
    package func flushMails() async { await services.mails.flush() }

    /// The handler for tests, which responds when the emails of the request are sent.
    ///
    /// Workers send in parallel, and a test expects the emails of two requests in the order of the requests.
    package var handlerAfterMails: any Handler {
        ClosureHandler { [self] request in
            let response = try await handler.respond(to: request)
            await flushMails()
            return response
        }
    }

    /// Refreshes the signing keys and the date of the store until the task is canceled.
    ///
    /// After a failure the server continues with the current keys and date.
    private static func refreshKeys(_ services: IdentityServices, _ storeClock: StoreClock?) async {
        while !Task.isCancelled {
            do {
                try await storeClock?.read(from: services.store)
                do throws(IdentityError) {
                    try await services.dates.update(services.store)
                } catch let error where error == .doubtfulDate {
                    services.store.failures.note(error, in: "clock")
                }
                try await services.signingKeys.refresh()
            } catch {
                services.metrics.count(.keyRefreshFailures)
                // Unreadable keys are not a failure of a store call.
                services.store.failures.note(error, in: "refreshKeys")
            }
            do { try await services.clock.sleep(for: SigningKeyService.refreshInterval) } catch { return }
        }
    }
}
