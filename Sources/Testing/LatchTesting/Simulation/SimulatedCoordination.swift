// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// A process's way to the sections and the news of a disk.
struct SimulatedCoordination: SessionCoordination {
    let disk: SimulatedDisk
    let process: SimulatedProcess
    let network: SimulatedNetwork
    /// Told before somebody waits for a section, who is let in at last.
    var onWait: @Sendable (SimulatedProcess, SessionSection) -> Void = { _, _ in }

    /// Waits for a turn; in a storm there is none at times.
    func enter(_ section: SessionSection) async throws -> SessionTurn {
        try beUnlucky()
        onWait(process, section)
        await disk.enter(section, as: process)
        return await turn(in: section)
    }

    /// The same without waiting.
    func enterIfFree(_ section: SessionSection) async throws -> SessionTurn? {
        try beUnlucky()
        guard disk.enterIfFree(section, as: process) else { return nil }
        return await turn(in: section)
    }

    private func turn(in section: SessionSection) async -> SessionTurn {
        await process.reach(.turn(section))
        return SessionTurn { disk.leave(section) }
    }

    private func beUnlucky() throws {
        guard !network.isCalm, network.simulation.chance(1) else { return }
        network.simulation.happens(.turnUnavailable)
        throw AuthError.storeUnavailable
    }

    /// In a storm some news is lost, and the next must make good for it.
    func announceChange() async {
        network.simulation.note("process \(process.id) announces")
        if !network.isCalm, network.simulation.chance(20) { return network.simulation.happens(.newsLost) }
        disk.announce(from: process)
    }

    func changes() -> AsyncStream<Void> { disk.news(for: process) }
}
