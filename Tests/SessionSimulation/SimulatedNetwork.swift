// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// The way to the issuer and to the resource, with all that happens on such a way.
final class SimulatedNetwork: Sendable {
    /// The simulation, whose random source decides about faults.
    let simulation: Simulation
    /// The issuer that receives the requests.
    let issuer: SimulatedIssuer
    /// Set once and never taken back.
    private let calm = Mutex(false)
    /// Answers that nobody has heard, by the key of their refresh.
    private let unheard = Mutex<[String: Tokens]>([:])

    /// A way to `issuer`, stormy at first.
    init(_ issuer: SimulatedIssuer) {
        self.issuer = issuer
        simulation = issuer.simulation
    }

    /// Whether everything arrives from now on.
    var isCalm: Bool { calm.withLock { $0 } }

    /// Ends all faults.
    func calmDown() { calm.withLock { $0 = true } }

    /// One call of the token endpoint by a process.
    func refresh(_ request: RefreshRequest<Tokens>, by process: SimulatedProcess) async throws -> Tokens {
        let token = request.credential.refresh ?? ""
        issuer.begins(process.id, token, key: request.idempotencyKey)
        var isAnswered = false
        defer { issuer.ends(process.id, token, isAnswered: isAnswered) }
        let answer: Tokens
        if !isCalm, simulation.chance(30) {
            // A slow way that does not hear of cancellation, as when the answer has arrived already.
            let delivery = simulation.spawn(in: process) {
                try await self.simulation.pause(upToMilliseconds: 5_000)
                return try await self.deliver(request, by: process)
            }
            answer = try await withTaskCancellationHandler {
                try await delivery.value
            } onCancel: {
                // Whoever has given it up, such as at the time limit, may ask again under the same key.
                issuer.excuse(token, key: request.idempotencyKey)
                issuer.ends(process.id, token, isAnswered: false)
            }
            if Task.isCancelled { simulation.happens(.answerUnwanted) }
        } else {
            answer = try await deliver(request, by: process)
        }
        isAnswered = true
        return answer
    }

    /// Delivers a request and its response.
    private func deliver(_ request: RefreshRequest<Tokens>, by process: SimulatedProcess) async throws -> Tokens {
        let token = request.credential.refresh ?? ""
        let key = request.idempotencyKey
        try await simulation.pause(upToMilliseconds: 400)
        if let fault = isCalm ? nil : fault() {
            simulation.note("refresh \(token) meets \(fault)")
            return try await refresh(token, key: key, by: process.id, meeting: fault)
        }
        let answer = try issuer.refresh(token, key: key, by: process.id)
        try await simulation.pause(upToMilliseconds: 400)
        return answer
    }

    /// A third of all refreshes meet a fault; each kind is one that was seen in the field.
    private func fault() -> SimulatedFault? {
        switch simulation.below(100) {
        case ..<7: .issuerOffline
        case ..<10: .issuerUnavailable
        case ..<12: .issuerBusy
        case ..<14: .issuerBusyUntil
        case ..<20: .answerLost
        case ..<22: .answerReplaced
        case ..<24: .answerCancelled
        case ..<26: .answerUnreadable
        case ..<29: .answerLate
        case ..<32: .requestDoubled
        case ..<36: .answerDoubled
        default: nil
        }
    }

    /// A refresh on a bad way.
    private func refresh(
        _ token: String, key: String, by process: Int, meeting fault: SimulatedFault
    ) async throws -> Tokens {
        if fault != .answerDoubled { simulation.happens(fault) }
        switch fault {
        case .issuerOffline: throw HTTPError.offline
        case .issuerUnavailable: throw status(503)
        case .issuerBusy: throw status(.tooManyRequests)
        case .issuerBusyUntil: throw status(.tooManyRequests, [.retryAfter: "20"])
        case .answerLate:
            let answer = try issuer.refresh(token, key: key, by: process)
            try await simulation.sleep(for: .seconds(45))
            return answer
        case .requestDoubled:
            issuer.excuse(token, key: key)
            _ = try issuer.refresh(token, key: key, by: process)
            return try issuer.refresh(token, key: key, by: process)
        case .answerDoubled:
            guard let answer = unheard.withLock({ $0[key] }) else { break }
            simulation.happens(.answerDoubled)
            return answer
        default:
            issuer.excuse(token, key: key)
            let answer = try issuer.refresh(token, key: key, by: process)
            unheard.withLock { $0[key] = answer }
            throw loss(fault)
        }
        return try issuer.refresh(token, key: key, by: process)
    }

    /// Returns the error of a lost response.
    private func loss(_ fault: SimulatedFault) -> any Error {
        switch fault {
        case .answerReplaced: status(502)
        case .answerCancelled: CancellationError()
        case .answerUnreadable:
            AuthError(code: "invalidTokenResponse", message: "The response contains no usable token.")
        default: HTTPError.timeout
        }
    }

    /// One message to the protected resource, and its answer.
    func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await simulation.pause(upToMilliseconds: 2_000)
        let token = String((request.fields[.authorization] ?? "").dropFirst("Bearer ".count))
        let isAccepted = issuer.accepts(token)
        // A slow way back: refusals of an old credential arrive long after its refresh.
        try await simulation.pause(upToMilliseconds: isCalm ? 100 : 8_000)
        if !isCalm, let failure = try failure() { return failure }
        if !isAccepted, isOld(token) { simulation.happens(.lateRefusal) }
        let date = HTTPDate(simulation.trueNow).description
        return HTTPResponse(status: isAccepted ? .ok : .unauthorized, fields: [.date: date])
    }

    /// Returns a fault of the resource, which says nothing about the credential.
    private func failure() throws -> HTTPResponse? {
        switch simulation.below(100) {
        case ..<5:
            simulation.happens(.resourceOffline)
            throw HTTPError.offline
        case ..<7:
            simulation.happens(.resourceBroken)
            return HTTPResponse(status: 500)
        case ..<9:
            simulation.happens(.resourceBusy)
            return HTTPResponse(status: .tooManyRequests, fields: [.retryAfter: "5"])
        default: return nil
        }
    }

    /// Whether a credential has a successor.
    private func isOld(_ token: String) -> Bool {
        issuer.inspect { ledger in
            guard let version = ledger.accessTokens[token]?.version else { return false }
            return ledger.families[version.family].version > version.number
        }
    }

    private func status(_ status: HTTPStatus, _ fields: HTTPFields = [:]) -> HTTPError {
        .unacceptableStatus(HTTPResponse(status: status, fields: fields))
    }
}
