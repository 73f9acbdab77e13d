// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityStorage
import LatchServer

/// The context key that tells whether a request came through the operators' listener; nil if one listener serves all
/// requests.
package enum OperatorListener: HTTPContextKey {
    package static var defaultValue: Bool? { nil }
}

/// The routes of public keys, health, readiness and metrics.
///
/// Numbers are only for operators. The number of emails before and after a request would reveal whether an address has
/// an account (attack D1).
struct OperationRoutes: Sendable {
    let store: IdentityStore
    let clock: WallClock
    let dates: DateCheck
    let accessTokens: AccessTokenIssuer
    let limits: RateLimits
    let mails: MailQueue
    let serverMetrics: Metrics
    let measurements: Measurements
    private let healthCheck: HealthCheck
    private let readCheck: HealthCheck
    /// The check of the database's sessions, which opens a connection.
    private let sessionCheck: HealthCheck

    init(
        store: IdentityStore, clock: WallClock, dates: DateCheck, accessTokens: AccessTokenIssuer, limits: RateLimits,
        mails: MailQueue, metrics: Metrics, measurements: Measurements
    ) {
        self.store = store
        self.clock = clock
        self.dates = dates
        self.accessTokens = accessTokens
        self.limits = limits
        self.mails = mails
        self.serverMetrics = metrics
        self.measurements = measurements
        healthCheck = HealthCheck(store: store, clock: clock)
        readCheck = HealthCheck(clock: clock, outage: { [store] in store.outage }) {
            [store] () throws(IdentityError) in
            guard try await !store.signingKeys().isEmpty else { throw .notReady }
        }
        sessionCheck = HealthCheck(clock: clock, lifetime: .seconds(15)) {
            [store] () throws(IdentityError) in
            try await store.requireOwnSessions()
        }
    }

    /// Adds the routes.
    ///
    /// They need no authentication, since supervisors and scrapers have no account.
    ///
    /// Health and readiness have no limit. A supervisor may share its address with clients, and a flood of their
    /// requests would otherwise make it restart the server. Many concurrent requests cost no more than one.
    func add(to router: inout Router) {
        router.getImmediately("/livez", .getLiveness, { _ in .json(["status": "alive"]) })
        router.get("/healthz", .getHealth, health)
        router.get("/readyz", .getReadiness, readiness)
        router.group(interceptors: limits.limiting(.other)) { others in
            others.getImmediately("/.well-known/jwks.json", .getKeySet, jwks)
            others.get("/metrics", metrics)
        }
    }

    /// Returns the public keys that verify tokens (RFC 7517 §5), cached for five minutes.
    @Sendable private func jwks(_ request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(status: .ok, fields: Self.keySetFields, body: HTTPBody(accessTokens.keySet))
    }

    private static let keySetFields: HTTPFields = [
        .contentType: "application/jwk-set+json", .cacheControl: "public, max-age=300",
        "Access-Control-Allow-Origin": "*",
    ]

    /// Returns 200, or 503 with a code but without the message, which can name a path.
    ///
    /// It commits a row, so that it detects a full disk or a blocked writer before a user does. It also checks the
    /// clock, since a doubtful clock makes the server refuse every grant.
    @Sendable private func health(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let failure = await healthCheck.failure() ?? (dates.isBelieved ? nil : .doubtfulDate) else {
            guard request.isOfOperator else { return .json(["status": "ok"]) }
            var health: JSONObject = ["status": "ok"]
            do throws(IdentityError) {
                let mails = try await measurements.mailBacklog()
                health["mail"] = [
                    "waiting": .integer(Int64(mails.count)), "oldestSeconds": .integer(Int64(mails.age)),
                ]
                let events = try await measurements.eventBacklog()
                health["events"] = [
                    "waiting": .integer(Int64(events.count)), "oldestSeconds": .integer(Int64(events.age)),
                ]
            } catch {
                // The store has just committed, so a slow query for what waits does not justify a restart of the
                // server.
            }
            return .json(.object(health))
        }
        request.context[MatchedRouteKey.self]?.failure = failure.code
        return .json(
            ["status": "failing", "code": .string(failure.code), "message": "Tokens cannot be issued."],
            status: .serviceUnavailable)
    }

    /// Returns 200 once the issuer is known, while the store has the keys, and until the server is told to drain.
    ///
    /// A load balancer sends no requests before and after. Operators also see when the mail server accepts no email,
    /// which does not prevent sign-ins.
    @Sendable private func readiness(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard accessTokens.issuer != nil, !serverMetrics.isDraining else {
            throw IdentityError.notReady
        }
        if let failure = await readCheck.failure() { throw failure }
        if let failure = await sessionCheck.failure(), failure != .storeBusy { throw failure }
        guard request.isOfOperator, mails.isFailing else { return .json(["status": "ready"]) }
        return .json(["status": "ready", "mail": "failing"])
    }

    /// Returns the metrics, which are only counts, without names, addresses or tokens.
    ///
    /// Requests that are not from operators receive 404.
    ///
    /// Counters begin at 0 at each start of the process, as Prometheus expects.
    @Sendable private func metrics(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.isOfOperator else { return HTTPResponse(status: .notFound) }
        let text = MetricSample.exposition(of: await measurements.samples())
        return HTTPResponse(
            status: .ok, fields: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: HTTPBody(text))
    }
}

extension HTTPRequest {
    /// Whether the request came through the operators' listener.
    ///
    /// Without that listener, it must come from the same process, or from the same machine without a proxy and with a
    /// loopback name in Host. A page whose name resolves to this machine (DNS rebinding) has its own name there. A
    /// request through a trusted proxy may have lost its client's address.
    fileprivate var isOfOperator: Bool {
        context[OperatorListener.self] ?? isFromThisMachine
    }

    /// Whether the request came from the same process, or from the same machine without a proxy and with a loopback name
    /// in Host.
    package var isFromThisMachine: Bool {
        guard let remoteAddress else { return true }
        // Some proxies send a request without a host. Its authority is then this server's own address.
        guard fields[.host].map({ !$0.isEmpty }) ?? (context[ProtocolVersion.self] != "HTTP/1.1") else { return false }
        let fieldsOfProxies: Set<HTTPFieldName> = [
            "Forwarded", "Via", "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "X-Original-Host", "True-Client-IP",
            "CF-Connecting-IP", "X-Envoy-External-Address", "Fly-Client-IP", "Fastly-Client-IP", "X-Azure-ClientIP",
            "X-Appengine-User-IP", "X-Original-URL", "Akamai-Origin-Hop",
        ]
        return IPAddress(remoteAddress)?.isLoopback == true && origin.isLoopback && context[ProxyAddress.self] == nil
            && !fields.contains {
                fieldsOfProxies.contains($0.name)
                    || $0.name.rawName.lowercasedASCII().utf8.starts(with: "x-forwarded".utf8)
            }
    }
}
