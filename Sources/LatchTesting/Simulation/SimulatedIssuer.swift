// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchAuth
import LatchCore
import LatchHTTP

/// A token endpoint and a protected resource as a model: families, rotation, replay window, reuse detection.
///
/// It follows the same rules as the real server and keeps a record of all that was asked of it.
final class SimulatedIssuer: Sendable {
    /// All credentials that come from one sign-in (RFC 9700 §4.14.2).
    struct Family: Sendable {
        /// The number of the current credential; each renewal adds one.
        var version = 0
        /// When the current version replaced the one before.
        var rotated = Date.distantPast
        /// When the current version was handed out.
        var issued: Date
        /// The idempotency key of that renewal: with it the same answer is given again, however late.
        var rotationKey = ""
        /// Whether nothing of the family is accepted any more.
        var isRevoked = false
        /// Access tokens of earlier versions are refused, whatever their expiry.
        var oldestAccepted = 0
    }

    /// What was asked for and what was wrong with it.
    struct Ledger: Sendable {
        /// By number; a family is never removed, so that its late requests are recognised.
        var families: [Family] = []
        /// How often a renewal of (family, version) was asked for while the family lived.
        var renewals: [String: Int] = [:]
        /// How many of those may have been repeated because their answer was withheld.
        var faults: [String: Int] = [:]
        /// The (family, version) pairs whose access token the resource refused.
        var refused: Set<String> = []
        /// The refresh token that each process has on its way; two of one family at once are a violation.
        var asking: [Int: String] = [:]
        /// The refresh token that each process has an answer for which is not stored yet.
        var answered: [Int: String] = [:]
        /// What a good client would never ask for.
        var violations: [String] = []
        /// The families whose credential a request has carried.
        var carriers: [String: Set<Int>] = [:]
    }

    /// Seconds that an access token is accepted.
    static let life = 60.0
    /// Seconds in which the token before the current one is answered again: the answer may have been lost.
    static let replayWindow = 30.0

    /// Whose true time decides about expiry.
    let simulation: Simulation
    /// Whether a repeat is answered again; an issuer that does not ends the family instead (RFC 9700 §4.14.2).
    let answersRepeats: Bool
    /// One lock for all, so that a renewal is one step.
    private let ledger = Lock(Ledger())

    /// An issuer without families.
    init(_ simulation: Simulation, answersRepeats: Bool = true) {
        self.simulation = simulation
        self.answersRepeats = answersRepeats
    }

    /// Looks at the record, or changes it, in one step.
    func inspect<Result: Sendable>(_ body: (inout Ledger) -> Result) -> Result { ledger.withLock { body(&$0) } }

    /// A new family's first tokens.
    func signIn() -> Tokens {
        let now = simulation.trueNow
        let family = inspect { ledger in
            ledger.families.append(Family(issued: now))
            return ledger.families.count - 1
        }
        return tokens(family, version: 0)
    }

    /// Ends a family, as an administrator does.
    func revoke(_ family: Int) { inspect { $0.families[family].isRevoked = true } }

    /// Refuses all access tokens handed out so far, as after a change of keys.
    func refuseAccessTokens(of family: Int) {
        inspect { $0.families[family].oldestAccepted = $0.families[family].version + 1 }
    }

    /// RFC 6749 §6 with rotation (RFC 9700 §4.14.2).
    func refresh(_ token: String, key: String) throws -> Tokens {
        guard let (family, version) = Self.parse(token, "r") else { throw refusal() }
        let now = simulation.trueNow
        let granted = inspect { ledger -> Int? in
            var state = ledger.families[family]
            defer { ledger.families[family] = state }
            guard !state.isRevoked else { return nil }
            ledger.renewals[token, default: 0] += 1
            let isDue = now.timeIntervalSince(state.issued) >= Self.life * 0.8
            if version == state.version, !isDue, !self.simulation.dateHasJumped,
                !ledger.refused.contains("\(family):\(version)")
            {
                ledger.violations.append("\(token) was renewed without a reason")
            }
            if version == state.version {
                state.version += 1
                state.rotated = now
                state.issued = now
                state.rotationKey = key
                return state.version
            }
            let isRepeat = self.answersRepeats && version == state.version - 1
            if isRepeat, key == state.rotationKey || now.timeIntervalSince(state.rotated) <= Self.replayWindow {
                return state.version
            }
            state.isRevoked = true
            if self.answersRepeats { ledger.violations.append("a used refresh token was used again: \(token)") }
            return nil
        }
        guard let granted else { throw refusal() }
        return tokens(family, version: granted)
    }

    /// A process begins to ask.
    func begins(_ process: Int, _ token: String) {
        let family = Self.parse(token, "r")?.family
        inspect { ledger in
            if ledger.asking.values.contains(where: { Self.parse($0, "r")?.family == family }) {
                ledger.violations.append("two renewals of \(token) at once")
            }
            ledger.asking[process] = token
        }
    }

    /// A process has its answer, or knows that it gets none.
    func ends(_ process: Int, isAnswered: Bool) {
        inspect { ledger in
            let token = ledger.asking.removeValue(forKey: process)
            if isAnswered { ledger.answered[process] = token }
        }
    }

    /// What a process was answered is in the store.
    func committed(_ process: Int) { inspect { $0.answered[process] = nil } }

    /// What a process was answered, or was about to be, may be asked for again: it could not be stored, or the process
    /// is no more.
    func forgive(_ process: Int, isOver: Bool) {
        inspect { ledger in
            for token in [ledger.answered[process], isOver ? ledger.asking[process] : nil].compactMap({ $0 }) {
                ledger.faults[token, default: 0] += 1
            }
            guard isOver else { return }
            (ledger.answered[process], ledger.asking[process]) = (nil, nil)
        }
    }

    /// Whether the resource answers a request that carries `token`.
    func accepts(_ token: String) -> Bool {
        guard let (family, version) = Self.parse(token, "a") else { return false }
        let expiry = token.split(separator: ":").last.flatMap { Double($0) } ?? 0
        return inspect { ledger in
            let state = ledger.families[family]
            let isAccepted =
                !state.isRevoked && version >= state.oldestAccepted
                && expiry > simulation.trueNow.timeIntervalSince1970
            if !isAccepted { ledger.refused.insert("\(family):\(version)") }
            return isAccepted
        }
    }

    /// The parts of a token `kind:family:version:…`; nil for another kind or for nonsense.
    static func parse(_ token: String, _ kind: String) -> (family: Int, version: Int)? {
        let parts = token.split(separator: ":")
        guard parts.count >= 3, parts[0] == kind, let family = Int(parts[1]), let version = Int(parts[2]) else {
            return nil
        }
        return (family, version)
    }

    /// The credentials of a version; they say openly what they are, so that a trace can be read.
    private func tokens(_ family: Int, version: Int) -> Tokens {
        let now = simulation.trueNow
        let expiry = now.addingTimeInterval(Self.life)
        return Tokens(
            access: "a:\(family):\(version):\(expiry.timeIntervalSince1970)", refresh: "r:\(family):\(version)",
            expiry: expiry, issued: now)
    }

    /// RFC 6749 §5.2.
    private func refusal() -> HTTPError {
        .unacceptableStatus(HTTPResponse(status: .badRequest, body: HTTPBody(#"{"error":"invalid_grant"}"#)))
    }
}
