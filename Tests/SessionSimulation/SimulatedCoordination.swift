// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// A process's way to the sections and the news of a disk.
struct SimulatedCoordination: SessionCoordination {
    let disk: SimulatedDisk
    let process: SimulatedProcess
    let network: SimulatedNetwork
    let observers: LockObservers

    /// Waits for a turn; in a storm there is none at times.
    func enter(_ section: SessionSection) async throws -> SessionLock {
        try beUnlucky()
        observers.onWait(process, section)
        let longest: Duration = section == .store ? .seconds(15) : .seconds(90)
        let isEndless = network.defect == .endlessPatience
        let patience = isEndless ? .seconds(36_000) : min(network.life.patience, longest)
        try await disk.enter(section, as: process, in: network.simulation) { [disk, network, process, observers] in
            try await network.simulation.sleep(for: patience)
            network.simulation.happens(.patienceOver)
            observers.onImpatience(process)
            let holder = disk.holder(of: section).map { "process \($0)" }
            return AuthError(code: AuthError.lockHeld.code, message: "\(holder ?? "another process") holds the lock")
        }
        return await turn(in: section)
    }

    /// The same without waiting.
    func enterIfFree(_ section: SessionSection) async throws -> SessionLock? {
        try beUnlucky()
        guard disk.enterIfFree(section, as: process) else { return nil }
        return await turn(in: section)
    }

    private func turn(in section: SessionSection) async -> SessionLock {
        observers.onEnter(process, section)
        await process.reach(.turn(section))
        return SessionLock(stamp: disk.stamp, setStamp: { disk.setStamp($0) }) { [disk, process, observers] in
            observers.onLeave(process, section)
            disk.leave(section)
        }
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

/// The closures that are called as processes wait for locks, take them, release them, and give up.
struct LockObservers: Sendable {
    let onWait: @Sendable (SimulatedProcess, SessionSection) -> Void
    let onEnter: @Sendable (SimulatedProcess, SessionSection) -> Void
    let onLeave: @Sendable (SimulatedProcess, SessionSection) -> Void
    let onImpatience: @Sendable (SimulatedProcess) -> Void
}
