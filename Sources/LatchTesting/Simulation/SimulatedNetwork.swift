// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

/// The way to the issuer and to the resource, with all that happens on such a way.
final class SimulatedNetwork: Sendable {
    /// Whose luck decides what happens on the way.
    let simulation: Simulation
    /// Where the requests arrive, if they do.
    let issuer: SimulatedIssuer
    /// Set once and never taken back.
    private let calm = Lock(false)

    /// A way to `issuer`, stormy at first.
    init(_ issuer: SimulatedIssuer) {
        self.issuer = issuer
        simulation = issuer.simulation
    }

    /// Whether everything arrives from now on.
    var isCalm: Bool { calm.withLock { $0 } }

    /// From now on nothing fails any more.
    func calmDown() { calm.withLock { $0 = true } }

    /// One call of the token endpoint by a process.
    func refresh(_ renewal: Renewal<Tokens>, by process: Int) async throws -> Tokens {
        let token = renewal.credential.refresh ?? ""
        issuer.begins(process, token)
        var isAnswered = false
        defer { issuer.ends(process, isAnswered: isAnswered) }
        try await simulation.pause(upToMilliseconds: 400)
        let answer = try await deliver(token, key: renewal.idempotencyKey)
        try await simulation.pause(upToMilliseconds: 400)
        isAnswered = true
        return answer
    }

    /// A third of all renewals meet a fault; each kind is one that was seen in the field.
    private func deliver(_ token: String, key: String) async throws -> Tokens {
        let luck = isCalm ? 100 : simulation.below(100)
        simulation.note("refresh \(token), luck \(luck)")
        switch luck {
        case ..<8: throw HTTPError.offline
        case ..<12: throw HTTPError.unacceptableStatus(HTTPResponse(status: 503))
        case ..<15: throw HTTPError.unacceptableStatus(HTTPResponse(status: .tooManyRequests))
        case ..<24: return try await withheld(token, key: key) { throw HTTPError.timeout }
        case ..<27: return try await withheld(token, key: key) { throw CancellationError() }
        case ..<30:
            // Delivered twice, as by a proxy that retries.
            issuer.inspect { $0.faults[token, default: 0] += 1 }
            _ = try issuer.refresh(token, key: key)
            return try issuer.refresh(token, key: key)
        case ..<33:
            let answer = try issuer.refresh(token, key: key)
            try await simulation.sleep(for: .seconds(45))
            return answer
        default: return try issuer.refresh(token, key: key)
        }
    }

    /// The issuer acts, and its answer is lost.
    private func withheld(
        _ token: String, key: String, by loss: () throws -> Tokens
    ) async throws -> Tokens {
        issuer.inspect { $0.faults[token, default: 0] += 1 }
        _ = try issuer.refresh(token, key: key)
        return try loss()
    }

    /// The protected resource.
    var resource: any Handler {
        HandlerFunction { request in
            try await self.simulation.pause(upToMilliseconds: 2_000)
            let token = String((request.fields[.authorization] ?? "").dropFirst("Bearer ".count))
            let isAccepted = self.issuer.accepts(token)
            self.record(token, for: request)
            // A slow way back: refusals of an old credential arrive long after its renewal.
            try await self.simulation.pause(upToMilliseconds: self.isCalm ? 100 : 8_000)
            if !self.isCalm, self.simulation.chance(5) { throw HTTPError.offline }
            let date = HTTPDate(self.simulation.trueNow).description
            return HTTPResponse(status: isAccepted ? .ok : .unauthorized, fields: [.date: date])
        }
    }

    /// Which account's credential each request carried: one request must never carry two.
    private func record(_ token: String, for request: HTTPRequest) {
        guard let family = SimulatedIssuer.parse(token, "a")?.family, let id = request.fields[.requestID] else {
            return
        }
        issuer.inspect { ledger in
            ledger.carriers[id, default: []].insert(family)
            if ledger.carriers[id, default: []].count > 1 {
                ledger.violations.append("request \(id) was repeated with another account's credential")
            }
        }
    }
}
