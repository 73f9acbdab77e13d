// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The faults of a life that last for a while.
final class SimulatedSpells: Sendable {
    /// A fault that lasts.
    enum Spell: Hashable, Sendable, CaseIterable {
        /// The content of the store cannot be decoded, although it is intact.
        case corrupt
        /// The store says that it holds nothing.
        case forgetful
        /// Nothing can be stored; what is there can be read and removed.
        case full
        /// The resource refuses every credential.
        case refusing
    }

    private let simulation: Simulation
    /// The moments at which they end.
    private let ends = Mutex<[Spell: Int64]>([:])

    init(_ simulation: Simulation) { self.simulation = simulation }

    /// Begins a fault that ends after some seconds.
    func begin(_ spell: Spell, seconds: Int) {
        let end = simulation.moment + Int64(seconds) * 1_000_000_000
        ends.withLock { $0[spell] = end }
    }

    /// Whether a fault goes on.
    func isOn(_ spell: Spell) -> Bool { (ends.withLock { $0[spell] } ?? 0) > simulation.moment }

    /// Ends all of them.
    func end() { ends.withLock { $0 = [:] } }
}
