// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import Synchronization

/// A token endpoint and a protected resource as a model: families, rotation, replay window, reuse detection.
///
/// It follows the same rules as the real server and keeps a record of all that was asked of it.
final class SimulatedIssuer: Sendable {
    /// Seconds that an access token is accepted.
    static let life = 60.0
    /// Seconds in which the token before the current one is response again: the answer may have been lost.
    static let replayWindow = 30.0
    /// Seconds in which the repetition of a lost answer must arrive, where nothing else happens: it is sent
    /// immediately.
    static let promptness = 7.0

    /// The simulation, whose true time decides about expiry.
    let simulation: Simulation
    /// The properties of the life.
    let life: SimulatedLife
    /// One lock for all, so that a refresh is one step.
    private let ledger = Mutex(SimulatedLedger())

    /// An issuer without families.
    init(_ simulation: Simulation, _ life: SimulatedLife = SimulatedLife()) {
        (self.simulation, self.life) = (simulation, life)
    }

    /// Looks at the record, or changes it, in one step.
    func inspect<Result: Sendable>(_ body: (inout SimulatedLedger) -> Result) -> Result {
        ledger.withLock { body(&$0) }
    }

    /// A new family's first tokens.
    func signIn() -> Tokens {
        let now = simulation.trueNow
        let family = inspect { ledger in
            if life.hasOneGrant { for family in ledger.families.indices { ledger.families[family].isRevoked = true } }
            ledger.families.append(SimulatedLedger.Family(issued: now))
            return ledger.families.count - 1
        }
        return tokens(TokenVersion(family: family, number: 0))
    }

    /// Ends a family, as an administrator does.
    func revoke(_ family: Int) { inspect { $0.families[family].isRevoked = true } }

    /// Whether nothing of a family is accepted any more.
    func isRevoked(_ family: Int) -> Bool { inspect { $0.families[family].isRevoked } }

    /// Refuses all access tokens handed out so far, as after a change of keys.
    func refuseAccessTokens(of family: Int) {
        inspect { $0.families[family].oldestAccepted = $0.families[family].version + 1 }
    }

    /// RFC 6749 §6 with rotation (RFC 9700 §4.14.2).
    func refresh(_ token: String, key: String, by process: Int = 0) throws -> Tokens {
        simulation.note("process \(process) refreshes \(token)")
        let now = simulation.trueNow
        let granted = inspect { ledger -> TokenVersion? in
            guard let version = ledger.version(of: token, key: key), !ledger.families[version.family].isRevoked else {
                return nil
            }
            ledger.notice(version, key: key, by: process, keysOutliveProcesses: life.keysOutliveProcesses)
            ledger.noticeDoubled(version)
            if version.number != ledger.families[version.family].version {
                return repeated(version, key: key, now, &ledger)
            }
            // The `Date` of a response counts whole seconds.
            let age = now.timeIntervalSince(ledger.families[version.family].issued)
            let isDue = age >= Self.life * 0.8 - (life.way == .tokenEndpoint ? 1 : 0)
            if !isDue, !simulation.dateHasJumped, !life.isClockUnsure, !ledger.refused.contains(version) {
                ledger.violations.append("\(version) was refreshed without a reason")
            }
            ledger.families[version.family].rotate(key: key, now)
            return version.next
        }
        guard let granted else { throw refusal() }
        return tokens(granted)
    }

    /// Answers a used token: with the same response again, or with the end of its family.
    ///
    /// The loss of a session is permitted exactly where the issuer's window does not cover the repetition, and the client
    /// could not know the answer: it was lost, or its process was killed or suspended.
    private func repeated(
        _ version: TokenVersion, key: String, _ now: Date, _ ledger: inout SimulatedLedger
    ) -> TokenVersion? {
        let family = ledger.families[version.family]
        let elapsed = now.timeIntervalSince(family.rotated)
        let isCovered =
            switch life.window {
            case .none: false
            case .short(let seconds): elapsed <= seconds
            case .keyed: key == family.rotationKey || elapsed <= Self.replayWindow
            }
        if ledger.lost.removeValue(forKey: version) != nil, elapsed > Self.promptness {
            ledger.violations.append("the lost answer for \(version) was asked for again only \(Int(elapsed)) s later")
        }
        if isCovered, version.number == family.version - 1 { return version.next }
        ledger.families[version.family].isRevoked = true
        let isKnownByKey = life.window == .keyed && life.keysOutliveProcesses
        if isKnownByKey || ledger.faults[version, default: 0] == 0 {
            ledger.violations.append("the used refresh token of \(version) was used again")
        }
        return nil
    }

    /// Whether the resource answers a request that carries `token`.
    func accepts(_ token: String, isRefusing: Bool = false) -> Bool {
        let now = simulation.trueNow.addingTimeInterval(life.resourceSkew)
        return inspect { ledger in
            guard let access = ledger.accessTokens[token] else { return false }
            let family = ledger.families[access.version.family]
            let isAccepted =
                !family.isRevoked && access.version.number >= family.oldestAccepted && access.expiry > now
                && !isRefusing
            if !isAccepted { ledger.refused.insert(access.version) }
            return isAccepted
        }
    }

    /// Returns the version of a credential; nil where it is not of this issuer.
    func version(of tokens: Tokens) -> TokenVersion? { inspect { $0.accessTokens[tokens.access]?.version } }

    /// The credentials of a version; they say openly what they are, so that a trace can be read.
    private func tokens(_ version: TokenVersion) -> Tokens {
        let now = simulation.trueNow
        let expiry = now.addingTimeInterval(Self.life)
        return inspect { ledger in
            ledger.handedOut += 1
            let access = "a:\(version):\(ledger.handedOut)"
            ledger.accessTokens[access] = SimulatedLedger.Access(version: version, expiry: expiry)
            let refresh = life.rotates ? "r:\(version)" : "r:\(version.family)"
            ledger.refreshTokens[refresh] = life.rotates ? .version(version) : .family(version.family)
            return Tokens(access: access, refresh: refresh, expiry: expiry, issued: now)
        }
    }

    /// RFC 6749 §5.2.
    private func refusal() -> HTTPError {
        .unacceptableStatus(HTTPResponse(status: .badRequest, body: HTTPBody(#"{"error":"invalid_grant"}"#)))
    }
}

extension SimulatedIssuer {
    /// A process begins to ask.
    ///
    /// - Returns: The number of the request.
    @discardableResult
    func begins(_ process: Int, _ token: String, key: String) -> Int {
        inspect { ledger in
            ledger.requestCount += 1
            guard let version = ledger.version(of: token, key: key) else { return ledger.requestCount }
            if ledger.asking.values.contains(where: { $0.version.family == version.family }) {
                ledger.violations.append("two refreshes of \(token) at the same time")
            }
            ledger.asking[process] = SimulatedLedger.Request(number: ledger.requestCount, version: version)
            return ledger.requestCount
        }
    }

    /// A process has its answer, or knows that it gets none.
    ///
    /// An answer to what it has given up does not concern what it asks for now.
    func ends(_ process: Int, request: Int, isAnswered: Bool) {
        inspect { ledger in
            guard let asked = ledger.asking[process], asked.number == request else { return }
            ledger.asking[process] = nil
            if isAnswered { ledger.answered[process] = asked.version }
        }
    }

    /// Records that a process has stored its response.
    func committed(_ process: Int) { inspect { $0.answered[process] = nil } }

    /// Allows a repeat of the requests of a killed process.
    func forgive(_ process: Int) {
        inspect { ledger in
            for version in [ledger.answered[process], ledger.asking[process]?.version].compactMap(\.self) {
                ledger.faults[version, default: 0] += 1
            }
            (ledger.answered[process], ledger.asking[process]) = (nil, nil)
            ledger.lost = ledger.lost.filter { $0.value != process }
        }
    }

    /// A refresh may be asked for once more, since its answer will not be heard, or it is asked for twice on the way.
    func excuse(_ token: String, key: String) {
        inspect { ledger in
            guard let version = ledger.version(of: token, key: key) else { return }
            ledger.faults[version, default: 0] += 1
            ledger.lost[version] = nil
        }
    }

    /// A process is stopped: what it would repeat immediately comes later.
    func isDisturbed(_ process: Int) { inspect { $0.lost = $0.lost.filter { $0.value != process } } }

    /// A process has sent as many requests as its policy permits now, or fewer.
    func isAtLimit(_ process: Int, _ isAtLimit: Bool) {
        inspect { ledger in
            if isAtLimit { ledger.atLimit.insert(process) } else { ledger.atLimit.remove(process) }
        }
    }

    /// Something else than a lost answer happens to a refresh: its repetition may come later.
    func meetsFault(_ token: String, key: String) {
        inspect { ledger in
            guard let version = ledger.version(of: token, key: key) else { return }
            ledger.lost[version] = nil
            ledger.disturbed.insert(version)
        }
    }

    /// An answer is lost; the process is to ask for it again immediately.
    func isLost(_ answer: Tokens, of process: Int) {
        inspect { ledger in
            guard let next = ledger.accessTokens[answer.access]?.version else { return }
            let version = TokenVersion(family: next.family, number: next.number - 1)
            guard !ledger.atLimit.contains(process) else { return }
            if ledger.faults[version] == 1, !ledger.disturbed.contains(version) { ledger.lost[version] = process }
        }
    }

    /// A client wants the family of a token to end (RFC 7009).
    func isToRevoke(_ token: String) {
        inspect { ledger in
            guard let family = ledger.accessTokens[token]?.version.family ?? ledger.family(of: token) else { return }
            ledger.revocations.insert(family)
        }
    }

    /// Ends the family of a token for its client; at an issuer with one grant, all of the user.
    func revoke(_ token: String) {
        inspect { ledger in
            guard let family = ledger.accessTokens[token]?.version.family ?? ledger.family(of: token) else { return }
            let ended = life.hasOneGrant ? Array(ledger.families.indices) : [family]
            for family in ended { ledger.families[family].isRevoked = true }
        }
    }
}
