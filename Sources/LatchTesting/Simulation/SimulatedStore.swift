// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

/// A token store that is slow, locked and full at times; it never loses what a successful call stored.
final class SimulatedStore: TokenStore {
    /// For its luck, and to know when the storm is over.
    private let network: SimulatedNetwork
    /// What the last call that succeeded stored.
    private let kept: Lock<Tokens?>

    /// A store as an earlier process left it.
    init(_ network: SimulatedNetwork, holding tokens: Tokens?) {
        self.network = network
        kept = Lock(tokens)
    }

    /// What a new process would find.
    var content: Tokens? { kept.withLock { $0 } }

    /// May fail before anything is stored, and is slow to say that it was.
    func save(_ tokens: Tokens) async throws {
        try await access(failing: [.storeFull, .storeLocked, .storeDenied], percent: 10)
        kept.withLock { $0 = tokens }
        try await network.simulation.pause(upToMilliseconds: 20)
    }

    /// May fail; never gives anything but what was stored.
    func load() async throws -> Tokens? {
        try await access(failing: [.storeLocked, .storeDenied, .storeUnavailable], percent: 6)
        return content
    }

    /// May fail before anything is removed.
    func clear() async throws {
        try await access(failing: [.storeLocked, .storeDenied], percent: 6)
        kept.withLock { $0 = nil }
        try await network.simulation.pause(upToMilliseconds: 20)
    }

    /// The time that the store takes, and its moods.
    private func access(failing errors: [AuthError], percent: Int) async throws {
        // Usually quick, at times as slow as a keychain that asks.
        let isSlow = !network.isCalm && network.simulation.chance(25)
        try await network.simulation.pause(upToMilliseconds: isSlow ? 3_000 : 20)
        guard !network.isCalm, network.simulation.chance(percent) else { return }
        throw errors[network.simulation.below(errors.count)]
    }
}
