// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// A process's way to the sections and the news of a disk.
struct SimulatedCoordination: SessionCoordination {
    let disk: SimulatedDisk
    let process: SimulatedProcess
    let network: SimulatedNetwork

    /// Waits for a turn; in a storm there is none at times.
    func enter(_ section: SessionSection) async throws -> SessionTurn {
        if !network.isCalm, network.simulation.chance(1) {
            network.simulation.happens(.turnUnavailable)
            network.issuer.couldNotStore(process.id)
            throw AuthError.storeUnavailable
        }
        await disk.enter(section, as: process)
        await process.reach(.turn(section))
        return SessionTurn { disk.leave(section) }
    }

    /// In a storm some news is lost, and the next must make good for it.
    func announceChange() async {
        network.simulation.note("process \(process.id) announces")
        if !network.isCalm, network.simulation.chance(20) { return network.simulation.happens(.newsLost) }
        disk.announce(from: process)
    }

    func changes() -> AsyncStream<Void> { disk.news(for: process) }
}
