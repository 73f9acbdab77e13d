// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// The routes of public keys, health, readiness and metrics.
struct OperationRoutes: Sendable {
    let dependencies: Dependencies

    /// Adds the routes, which need no authentication: supervisors and scrapers have no account.
    func add(to router: inout Router) {
        router.get("/.well-known/jwks.json", jwks)
        router.get("/healthz", health)
        router.get("/readyz", readiness)
        router.get("/metrics", metrics)
    }

    /// Returns the public keys that verify tokens (RFC 7517 §5), cached for five minutes.
    @Sendable private func jwks(_ request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            fields: [.contentType: "application/jwk-set+json", .cacheControl: "public, max-age=300"],
            body: HTTPBody(dependencies.accessTokens.jwks.serialized()))
    }

    /// Returns 200, or 503 with a code but without the message, which can name a path.
    ///
    /// It commits a row, so that it detects a full disk or a blocked writer before a user does.
    @Sendable private func health(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let failure = await HealthCheck(store: dependencies.store, clock: dependencies.clock).failure() else {
            return .json(["status": "ok"])
        }
        return .json(
            ["status": "failing", "code": .string(failure.code), "message": "Tokens cannot be issued."],
            status: .serviceUnavailable)
    }

    /// Returns 200 once the issuer is known; a load balancer sends no requests before.
    @Sendable private func readiness(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard dependencies.accessTokens.issuer != nil else { throw IdentityError.notReady }
        return .json(["status": "ready"])
    }

    /// Returns the metrics: counts alone, without names, addresses or tokens, since the route is open.
    ///
    /// Counters begin at 0 with each start of the process, as Prometheus expects.
    @Sendable private func metrics(_ request: HTTPRequest) async throws -> HTTPResponse {
        let writes = dependencies.store.writeStatistics
        let load = dependencies.passwords.load
        let text = dependencies.metrics.exposition(gauges: [
            "latch_store_commits": writes.commits, "latch_store_writes": writes.jobs,
            "latch_store_largest_commit": writes.largestCommit, "latch_passwords_running": load.running,
            "latch_passwords_waiting": load.waiting,
        ])
        return HTTPResponse(
            status: .ok, fields: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: HTTPBody(text))
    }
}
