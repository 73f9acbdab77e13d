// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// The public keys, health, readiness and metrics.
struct OperationRoutes: Sendable {
    private let parts: IdentityParts

    init(_ parts: IdentityParts) { self.parts = parts }

    /// None of them asks who is there: supervisors and scrapers have no account.
    func add(to router: inout Router) {
        router.get("/.well-known/jwks.json", jwks)
        router.get("/healthz", health)
        router.get("/readyz", readiness)
        router.get("/metrics", metrics)
    }

    /// Cached for five minutes (RFC 9111 §5.2.2.1), after which a verifier has met a new key.
    ///
    /// Public halves alone, all keys that still verify, under the content type of RFC 7517 §8.5.1.
    @Sendable private func jwks(_ request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            fields: [.contentType: "application/jwk-set+json", .cacheControl: "public, max-age=300"],
            body: HTTPBody(parts.accessTokens.jwks.serialized()))
    }

    /// 503 with a code and no details: anybody may ask, and the message of a store can name a path.
    ///
    /// It commits a row, so that a full disk or a wedged writer is found here and not by the first person who logs in.
    @Sendable private func health(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let finding = await StoreProbe(store: parts.store, clock: parts.clock).finding() else {
            return .json(["status": "ok"])
        }
        return .json(
            ["status": "failing", "code": .string(finding.code), "message": "Tokens cannot be issued."],
            status: .serviceUnavailable)
    }

    /// Ready once the issuer is known; a balancer sends nothing before.
    @Sendable private func readiness(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard parts.accessTokens.issuer != nil else { throw IdentityError.notReady }
        return .json(["status": "ready"])
    }

    /// Open to whoever reaches the port, and therefore without a name, an address or a token in it: counts alone.
    ///
    /// Counters begin at 0 with each start of the process, as Prometheus expects of them.
    @Sendable private func metrics(_ request: HTTPRequest) async throws -> HTTPResponse {
        let tally = parts.store.tally
        let load = parts.passwords.load
        let text = parts.metrics.exposition(gauges: [
            "latch_store_commits": tally.commits, "latch_store_writes": tally.jobs,
            "latch_store_largest_commit": tally.largestCommit, "latch_passwords_running": load.running,
            "latch_passwords_waiting": load.waiting,
        ])
        return HTTPResponse(
            status: .ok, fields: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: HTTPBody(text))
    }
}
