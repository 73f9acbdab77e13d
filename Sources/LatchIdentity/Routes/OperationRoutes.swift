// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// The public keys, health, readiness and metrics.
struct OperationRoutes: Sendable {
    private let parts: IdentityParts

    init(_ parts: IdentityParts) { self.parts = parts }

    func add(to router: inout Router) {
        router.get("/.well-known/jwks.json", jwks)
        router.get("/healthz", health)
        router.get("/readyz", readiness)
        router.get("/metrics", metrics)
    }

    @Sendable private func jwks(_ request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            fields: [.contentType: "application/jwk-set+json", .cacheControl: "public, max-age=300"],
            body: HTTPBody(parts.accessTokens.jwks.serialized()))
    }

    @Sendable private func health(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let finding = await StoreProbe(store: parts.store, clock: parts.clock).finding() else {
            return .json(["status": "ok"])
        }
        return .json(
            ["status": "failing", "code": .string(finding.code), "message": "Tokens cannot be issued."],
            status: .serviceUnavailable)
    }

    @Sendable private func readiness(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard parts.accessTokens.issuer != nil else { throw IdentityError.notReady }
        return .json(["status": "ready"])
    }

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
