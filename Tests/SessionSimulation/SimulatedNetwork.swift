// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import Synchronization

/// The way to the issuer and to the resource, with all that happens on such a way.
final class SimulatedNetwork: Sendable {
    /// The simulation, whose random source decides about faults.
    let simulation: Simulation
    /// The issuer that receives the requests.
    let issuer: SimulatedIssuer
    /// The properties of the life.
    let life: SimulatedLife
    /// The defect that is put into the life.
    let defect: SimulatedDefect?
    /// The faults that last.
    let spells: SimulatedSpells
    /// Set once and never taken back.
    private let calm = Mutex(false)
    /// Answers that nobody has heard, by the key of their refresh.
    private let unheard = Mutex<[String: Tokens]>([:])

    /// A way to `issuer`, stormy at first.
    init(_ issuer: SimulatedIssuer, _ defect: SimulatedDefect? = nil) {
        (self.issuer, self.defect) = (issuer, defect)
        (simulation, life) = (issuer.simulation, issuer.life)
        spells = SimulatedSpells(issuer.simulation)
    }

    /// Whether everything arrives from now on.
    var isCalm: Bool { calm.withLock { $0 } }

    /// Ends all faults.
    func calmDown() {
        calm.withLock { $0 = true }
        spells.end()
    }

    /// A request to the token endpoint that is on its way.
    private struct Call: Sendable {
        let token: String
        let key: String
        let process: SimulatedProcess
    }

    /// One call of the token endpoint by a process.
    func refresh(_ token: String, key: String, by process: SimulatedProcess) async throws -> Tokens {
        let call = Call(token: token, key: key, process: process)
        let request = issuer.begins(process.id, token, key: key)
        var isAnswered = false
        defer { issuer.ends(process.id, request: request, isAnswered: isAnswered) }
        let isSlow = !isCalm && simulation.chance(30)
        if isSlow { try await simulation.pause(upToMilliseconds: 5_000) }
        let answer = try await deliver(call)
        isAnswered = true
        return answer
    }

    /// Delivers a request and its response.
    private func deliver(_ call: Call) async throws -> Tokens {
        try await simulation.pause(upToMilliseconds: 400)
        // The connection is made, and the first byte is about to be sent.
        if defect != .sentWithoutLock { try SendCondition.check() }
        if let fault = isCalm ? nil : fault() {
            simulation.note("process \(call.process.id): refresh \(call.token) meets \(fault)")
            return try await refresh(call, meeting: fault)
        }
        let answer = try ask(call)
        try await simulation.pause(upToMilliseconds: 400)
        return answer
    }

    private func ask(_ call: Call) throws -> Tokens {
        try issuer.refresh(call.token, key: call.key, by: call.process.id)
    }

    /// A third of all refreshes meet a fault; each kind is one that was seen in the field.
    private func fault() -> SimulatedFault? {
        switch simulation.below(100) {
        case ..<6: .issuerOffline
        case ..<8: .issuerUnavailable
        case ..<10: .issuerFailed
        case ..<12: .issuerBusy
        case ..<14: .issuerBusyUntil
        case ..<20: .answerLost
        case ..<22: .answerReplaced
        case ..<24: .answerCancelled
        case ..<26: .answerUnreadable
        case ..<29: .answerLate
        case ..<32: .requestDoubled
        case ..<36: .answerDoubled
        case ..<37: .requestSwallowed
        case ..<38: .answerSwallowed
        default: nil
        }
    }

    /// The time after which TCP keep-alive ends a connection whose peer is gone.
    static let deadPeerLimit = Duration.seconds(120)

    /// A refresh on a bad way.
    private func refresh(_ call: Call, meeting fault: SimulatedFault) async throws -> Tokens {
        let (token, key) = (call.token, call.key)
        if fault != .answerDoubled { simulation.happens(fault) }
        if !Self.losses.contains(fault) { issuer.meetsFault(token, key: key) }
        switch fault {
        case .issuerOffline: throw HTTPError.offline
        case .issuerUnavailable: throw status(503)
        case .issuerFailed: throw status(500)
        case .issuerBusy: throw status(.tooManyRequests)
        case .issuerBusyUntil: throw status(.tooManyRequests, [.retryAfter: "20"])
        case .requestSwallowed, .answerSwallowed:
            issuer.excuse(token, key: key)
            if fault == .answerSwallowed { _ = try ask(call) }
            try await simulation.sleep(for: Self.deadPeerLimit)
            throw HTTPError.timeout
        case .answerLate:
            let answer = try ask(call)
            try await simulation.sleep(for: .seconds(simulation.chance(50) ? 45 : 100))
            return answer
        case .requestDoubled:
            issuer.excuse(token, key: key)
            _ = try ask(call)
            return try ask(call)
        case .answerDoubled:
            guard let answer = unheard.withLock({ $0[key] }) else { break }
            simulation.happens(.answerDoubled)
            return answer
        default:
            issuer.excuse(token, key: key)
            let answer = try ask(call)
            unheard.withLock { $0[key] = answer }
            issuer.isLost(answer, of: call.process.id)
            throw loss(fault)
        }
        return try ask(call)
    }

    /// The faults of a response that a session asks for again immediately.
    private static let losses: Set<SimulatedFault> = [
        .answerLost, .answerReplaced, .answerCancelled, .answerUnreadable,
    ]

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

    /// The issuer is to revoke a token; the request may not arrive.
    func revoke(_ token: String) async throws {
        issuer.isToRevoke(token)
        try await simulation.pause(upToMilliseconds: 400)
        if !isCalm, simulation.chance(10) { throw HTTPError.offline }
        issuer.revoke(token)
    }

    private func status(_ status: HTTPStatus, _ fields: HTTPFields = [:]) -> HTTPError {
        .unacceptableStatus(HTTPResponse(status: status, fields: fields))
    }
}

// MARK: - The form of the answers

extension SimulatedNetwork {
    /// The tokens of an answer, as a closure reads them.
    func read(_ answer: Tokens) -> Tokens {
        var tokens = answer
        if omitsExpiry() { tokens.expiry = nil }
        if omitsRefreshToken() { tokens.refresh = defect == .refreshTokenErased ? "erased" : nil }
        tokens.issued = date(answer)
        return tokens
    }

    /// Returns the response of a token endpoint (RFC 6749 §5.1).
    func response(_ answer: Tokens) -> HTTPResponse {
        var members = ["\"access_token\":\"\(answer.access)\"", "\"token_type\":\"Bearer\""]
        if !omitsExpiry() { members.append("\"expires_in\":\(Int(SimulatedIssuer.life))") }
        if let refresh = answer.refresh, !omitsRefreshToken() { members.append("\"refresh_token\":\"\(refresh)\"") }
        var fields: HTTPFields = [.contentType: "application/json"]
        if let date = date(answer) { fields[.date] = HTTPDate(date).description }
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody("{\(members.joined(separator: ","))}"))
    }

    private func omitsExpiry() -> Bool {
        guard life.omitsExpiry, simulation.chance(50) else { return false }
        simulation.happens(.expiryOmitted)
        return true
    }

    private func omitsRefreshToken() -> Bool {
        guard life.omitsRefreshToken else { return false }
        simulation.happens(.refreshTokenOmitted)
        return true
    }

    /// The date of a response: none, or an old one where a cache has kept it.
    private func date(_ answer: Tokens) -> Date? {
        switch life.issuerDate {
        case .exact: answer.issued
        case .missing: nil
        case .cached: answer.issued?.addingTimeInterval(-Double(simulation.below(40)))
        }
    }
}

// MARK: - The resource

extension SimulatedNetwork {
    /// One message to the protected resource, and its answer.
    func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await simulation.pause(upToMilliseconds: 2_000)
        let token = String((request.fields[.authorization] ?? "").dropFirst("Bearer ".count))
        let isAccepted = issuer.accepts(token, isRefusing: spells.isOn(.refusing))
        // A slow way back: refusals of an old credential arrive long after its refresh.
        try await simulation.pause(upToMilliseconds: isCalm ? 100 : 8_000)
        if !isCalm, let failure = try failure() { return failure }
        if !isAccepted, isOld(token) { simulation.happens(.lateRefusal) }
        let date = HTTPDate(simulation.trueNow.addingTimeInterval(life.resourceDateError)).description
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
}
