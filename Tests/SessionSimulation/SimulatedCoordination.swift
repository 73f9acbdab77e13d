// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// A process's way to the sections and the news of a disk.
struct SimulatedCoordination: SessionCoordination {
    let disk: SimulatedDisk
    let process: SimulatedProcess
    let network: SimulatedNetwork
    /// A closure that is called before a wait for a section.
    var onWait: @Sendable (SimulatedProcess, SessionSection) -> Void = { _, _ in }

    /// Waits for a turn; in a storm there is none at times.
    func enter(_ section: SessionSection) async throws -> SessionLock {
        try beUnlucky()
        onWait(process, section)
        try await disk.enter(section, as: process)
        return await turn(in: section)
    }

    /// The same without waiting.
    func enterIfFree(_ section: SessionSection) async throws -> SessionLock? {
        try beUnlucky()
        guard disk.enterIfFree(section, as: process) else { return nil }
        return await turn(in: section)
    }

    private func turn(in section: SessionSection) async -> SessionLock {
        await process.reach(.turn(section))
        return SessionLock(stamp: disk.stamp, setStamp: { disk.setStamp($0) }, { disk.leave(section) })
    }

    func holder(of section: SessionSection) -> String? { disk.holder(of: section).map { "process \($0)" } }

    var stamp: String? { disk.stamp }

    private func beUnlucky() throws {
        guard !network.isCalm, network.simulation.chance(1) else { return }
        network.simulation.happens(.turnUnavailable)
        throw AuthError.storeUnavailable
    }

    /// Loses some notifications until the network is calm; later ones must compensate for them.
    func announceChange() async {
        network.simulation.note("process \(process.id) announces")
        if !network.isCalm, network.simulation.chance(20) { return network.simulation.happens(.newsLost) }
        disk.announce(from: process)
    }

    func changes() -> AsyncStream<Void> { disk.news(for: process) }
}
