// SPDX-License-Identifier: Apache-2.0

import LatchTesting
import SessionHistories

/// A family that clients use concurrently, with or without a defect, and the history that they see of it.
///
/// Each operation takes effect at a random moment between its invocation and its answer, and some answers are lost.
struct SimulatedFamily {
    enum Defect: CaseIterable {
        /// A repeated refresh makes another successor.
        case twoSuccessors
        /// A rotation that was answered is undone, as by a crash before the disk had it.
        case lostRotation
        /// An access token is accepted after the sign-out.
        case acceptedAfterSignOut
        /// A sign-out that was answered is undone.
        case lostSignOut
        /// A token that was replaced long ago is refused, and nobody is signed out.
        case toleratedReuse
        /// A server keeps a session for ten times as long as it may.
        case keptTooLong
    }

    private let defect: Defect?
    private var random: SplitMix64
    private var generation = 0
    /// The time of the sign-out; nil before.
    private var end: Int?
    private var isRevoked = false
    /// The time for which a read may see an earlier state.
    private let staleness: Int

    private init(defect: Defect?, seed: UInt64, staleness: Int) {
        self.defect = defect
        self.staleness = defect == .keptTooLong ? 10 * staleness : staleness
        random = SplitMix64(state: seed)
    }

    /// Returns the history of a life.
    static func history(
        seed: UInt64, defect: Defect? = nil, staleness: Int = 0, count: Int = 24
    ) -> [FamilyOperation] {
        var family = SimulatedFamily(defect: defect, seed: seed, staleness: staleness)
        let first = FamilyOperation(.signIn, .issued(IssuedToken(generation: 0)), from: .zero, to: .milliseconds(1))
        return [first] + family.operations(count)
    }

    /// Invokes operations of four clients, each of which waits for its answer, in the order of their effects.
    private mutating func operations(_ count: Int) -> [FamilyOperation] {
        var free = Array(repeating: 2, count: 4)
        var known = IssuedToken(generation: 0)
        var invocations: [(start: Int, effect: Int, end: Int, client: Int)] = []
        for _ in 0..<count {
            let client = random.below(4)
            let start = free[client] + random.below(4)
            let effect = start + 1 + random.below(6)
            let end = effect + 1 + random.below(6)
            free[client] = end + 1
            invocations.append((start, effect, end, client))
        }
        var history: [FamilyOperation] = []
        for (start, effect, end, client) in invocations.sorted(by: { ($0.effect, $0.start) < ($1.effect, $1.start) }) {
            let seen = history.filter { $0.end.map { $0 < .milliseconds(start) } == true }
            for case .issued(let token) in seen.map(\.outcome) where token.generation > known.generation {
                known = token
            }
            let action = nextAction(known: known)
            var outcome = outcome(of: action, at: effect)
            if random.below(8) == 0 { outcome = .unknown }
            history.append(
                FamilyOperation(action, outcome, from: .milliseconds(start), to: .milliseconds(end), client: client))
        }
        return history
    }

    private mutating func nextAction(known: IssuedToken) -> FamilyOperation.Action {
        switch random.below(20) {
        case 0: return .signOut
        case 1..<8: return .read
        default:
            let age = random.pick([0, 0, 0, 0, 0, 0, 1, 1, 2])
            let token = known.generation < age ? known : IssuedToken(generation: known.generation - age)
            return .refresh(age == 0 ? known : token, key: nil)
        }
    }

    /// Applies an operation, wrongly where the family has a defect.
    private mutating func outcome(of action: FamilyOperation.Action, at time: Int) -> FamilyOperation.Outcome {
        let isStruck = random.below(4) == 0
        switch action {
        case .read:
            let isKept = end.map { time - random.below(staleness + 1) < $0 } ?? true
            return !isRevoked || isKept || (defect == .acceptedAfterSignOut && isStruck) ? .accepted : .refused
        case .signOut:
            if defect != .lostSignOut || !isStruck { revoke(at: time) }
            return .accepted
        case .refresh(let token, _): return refresh(token, isStruck: isStruck, at: time)
        case .signIn, .signOutEverywhere, .changePassword: return .unknown
        }
    }

    private mutating func revoke(at time: Int) {
        isRevoked = true
        end = end ?? time
    }

    private mutating func refresh(
        _ token: IssuedToken, isStruck: Bool, at time: Int
    ) -> FamilyOperation.Outcome {
        guard !isRevoked, token.generation <= generation else { return .refused }
        if token.generation == generation {
            let successor = IssuedToken(generation: generation + 1)
            if defect != .lostRotation || !isStruck { generation += 1 }
            return .issued(successor)
        }
        if token.generation == generation - 1 {
            return .issued(IssuedToken(generation: generation, text: defect == .twoSuccessors && isStruck ? 1 : 0))
        }
        if defect != .toleratedReuse { revoke(at: time) }
        return .refused
    }
}
