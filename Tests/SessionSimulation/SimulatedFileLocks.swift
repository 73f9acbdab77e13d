// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import Synchronization

/// A process's way to the lock files of a folder: `FileCoordination`, with its kernel locks, stamps and announcements.
///
/// Locks are taken and released immediately, so they work in simulated time; only the pauses between two attempts are
/// simulated. The notifications of the file system come in real time, from another thread, and are simulated instead.
final class SimulatedFileLocks: SessionCoordination {
    private let files: FileCoordination
    private let disk: SimulatedDisk
    private let process: SimulatedProcess
    private let network: SimulatedNetwork
    private let observers: LockObservers
    /// The locks of the process, which the kernel releases with it.
    private let held = Mutex<[SessionSection: SessionLock]>([:])

    init(
        folder: String, disk: SimulatedDisk, process: SimulatedProcess, network: SimulatedNetwork,
        observers: LockObservers
    ) {
        (self.disk, self.process, self.network, self.observers) = (disk, process, network, observers)
        let simulation = network.simulation
        // A contended lock is looked at again some ten times less often than outside, so that lives stay short.
        files = FileCoordination(
            path: "\(folder)/account", timeout: network.life.patience, clock: simulation.clock,
            random: simulation.random
        ) { try await simulation.sleep(for: $0 * 10) }
    }

    /// Returns the path of a folder for the files of one life, which the first lock makes.
    static func newFolder() -> String {
        FileManager.default.temporaryDirectory.path + "/latch-simulation-" + RandomSource.system.identifier()
    }

    /// Removes the folder of a life, if there is one.
    static func remove(_ folder: String) {
        // A life may end before it has taken a lock.
        guard FileManager.default.fileExists(atPath: folder) else { return }
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("\(folder) remains: \(error)") }
    }

    func enter(_ section: SessionSection) async throws -> SessionLock {
        try beUnlucky()
        observers.onWait(process, section)
        do {
            return await turn(in: section, try await files.enter(section))
        } catch let error as AuthError where error == .lockHeld {
            network.simulation.happens(.patienceOver)
            observers.onImpatience(process)
            throw error
        }
    }

    func enterIfFree(_ section: SessionSection) async throws -> SessionLock? {
        try beUnlucky()
        guard let lock = try await files.enterIfFree(section) else { return nil }
        return await turn(in: section, lock)
    }

    private func turn(in section: SessionSection, _ lock: SessionLock) async -> SessionLock {
        held.withLock { $0[section] = lock }
        observers.onEnter(process, section)
        await process.reach(.turn(section))
        return SessionLock(
            stamp: lock.stamp,
            setStamp: { isComplete in
                if isComplete { return lock.renewStamp() }
                try lock.removeStamp()
                return nil
            }, excludes: { lock.isHeld }, { self.leave(section) })
    }

    private func leave(_ section: SessionSection) {
        guard let lock = held.withLock({ $0.removeValue(forKey: section) }) else { return }
        observers.onLeave(process, section)
        lock.release()
    }

    /// Does what the kernel does for a process that was killed.
    func releaseAll() {
        for lock in held.withLock({ held in
            defer { held = [:] }
            return held.values
        }) {
            lock.release()
        }
    }

    private func beUnlucky() throws {
        guard !network.isCalm, network.simulation.chance(1) else { return }
        network.simulation.happens(.turnUnavailable)
        throw AuthError.storeUnavailable
    }

    func holder(of section: SessionSection) -> String? { files.holder(of: section) }

    var stamp: String? { files.stamp }

    var hasAnnouncedLast: Bool { files.hasAnnouncedLast }

    func announceChange() async {
        files.announceChange()
        if !network.isCalm, network.simulation.chance(20) { return network.simulation.happens(.newsLost) }
        disk.announce(from: process)
    }

    func changes() -> AsyncStream<Void> { disk.news(for: process) }
}
