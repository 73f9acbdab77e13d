// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
public import LatchCore
public import LatchHTTP

/// An auth server without its socket: accounts, sessions and tokens over one store, and the routes that show them.
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
    /// Answers every request to the server.
    public let handler: any Handler
    /// For code in the same process, such as an administration: what it does is not limited as requests are.
    package let accounts: Accounts
    /// The second factors of accounts, for the same.
    package let secondFactors: SecondFactors
    let parts: IdentityParts
    /// Removes what has ended; cancelled when another value takes over its store.
    let housekeeping: Task<Void, Never>

    /// A server over a SQLite file, which is created where there is none.
    ///
    /// - Throws: `IdentityError`: what keeps the store from being opened, or the settings from being used.
    public init(
        configuration: IdentityConfiguration, storePath: String, mailer: any Mailer, clock: WallClock = .system,
        random: RandomSource = .system
    ) async throws(IdentityError) {
        let store = try SQLiteIdentityStore(path: storePath)
        try await self.init(configuration: configuration, store: store, mailer: mailer, clock: clock, random: random)
    }

    /// A server over any store.
    package init(
        configuration: IdentityConfiguration, store: any IdentityStore, mailer: any Mailer, clock: WallClock = .system,
        random: RandomSource = .system
    ) async throws(IdentityError) {
        let keys = try await ServerKeys.load(from: store, configuration: configuration, clock: clock, random: random)
        let metrics = Metrics()
        let apps = try RegisteredApps(configuration)
        let parts = IdentityParts(
            configuration: configuration, store: store, clock: clock, random: random, pepper: keys.pepper,
            accessTokens: AccessTokens(keys: keys.signing, configuration: configuration, clock: clock, random: random),
            passwords: try Passwords(configuration), limiter: AttemptLimiter(), limits: LoginLimits(configuration),
            apps: apps, scopes: ScopeRules(configuration),
            mails: MailQueue(mailer: mailer, metrics: metrics, clock: clock), metrics: metrics)
        // Somebody may have been named after signing up.
        try await Accounts(parts: parts).appointFirstAdministrator()
        self.init(parts)
    }

    /// Puts routes and housekeeping over parts that exist already, which a reload takes from the earlier value.
    init(_ parts: IdentityParts) {
        self.parts = parts
        accounts = Accounts(parts: parts)
        secondFactors = SecondFactors(parts: parts)
        handler = IdentityRoutes(parts).router
        housekeeping = Task { await Self.keepHouse(parts) }
    }

    /// Below which path the calls of the user service are, for a limit of their own (`Server.Configuration`).
    public static let callPath = "/userservice.v1.UserService/"

    /// The public URL; nil until there is one.
    public var issuer: String? { parts.accessTokens.issuer }

    /// Makes the address on which the server listens its public URL, where the configuration names none.
    public func adoptIssuer(_ url: String) { parts.accessTokens.adopt(String(url.withoutFinalSlash)) }

    /// Sends the mails that were accepted, commits what waits, and closes the store.
    ///
    /// Close the server in front of it first: requests that come later are answered with 503. It returns within about
    /// ten seconds, and the time that mails need which are being sent.
    public func close() async {
        housekeeping.cancel()
        await parts.mails.close()
        await parts.store.close()
    }

    /// Removes what ended, at the start and every hour.
    ///
    /// A wait that is cancelled ends it. A store that fails does not: it may be back in an hour.
    private static func keepHouse(_ parts: IdentityParts) async {
        while !Task.isCancelled {
            do {
                // An access token can outlive its device's row by its own lifetime, and is checked against that row.
                let end = parts.clock.now.addingTimeInterval(-parts.configuration.accessTokenLifetime.inSeconds)
                try await parts.store.prune(endedBefore: end)
                try await parts.clock.sleep(for: .seconds(3600))
            } catch is CancellationError {
                return
            } catch {
                // The next hour tries again; a store that cannot be written is what the health check reports.
                parts.metrics.count("latch_housekeeping_failures_total")
                do { try await parts.clock.sleep(for: .seconds(3600)) } catch { return }
            }
        }
    }
}
