// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import Synchronization

// Processes that do not run for a while, and resources that accept nothing.

extension SessionScenario {
    /// Suspends a process after its session was told, and lets it go on.
    func suspend(_ process: SimulatedProcess) async throws {
        guard let session = session(of: process) else { return }
        try await stir(process)
        guard !process.isKilled else { return }
        simulation.happens(.suspended)
        let limit = Duration.seconds(simulation.below(8))
        goesAway(process)
        spawn(in: process) {
            if self.defect != .lockKeptWhileSuspended { await session.prepareToSuspend(within: limit) }
            self.isSuspended(process)
        }
        let deadline = simulation.moment + 60_000_000_000
        while !process.isStopped, simulation.moment < deadline { try await simulation.pause(upToMilliseconds: 1_000) }
        guard process.isStopped else { return violated("\(process.id) does not come to rest before a suspension") }
        try await simulation.pause(upToMilliseconds: 200_000)
        goOn(process)
        spawn(in: process) {
            try await self.simulation.pause(upToMilliseconds: 500)
            await session.resume()
            self.comesBack(process)
        }
    }

    /// The session has nothing under way: the process may be suspended, as here, and has no lock.
    private func isSuspended(_ process: SimulatedProcess) {
        simulation.note("process \(process.id) is suspended")
        for section in record.withLock({ $0.lives[process.id].holds.keys }) {
            violated("suspended with a lock: \(process.id) holds '\(section.rawValue)'")
        }
        // What it has heard and could not store stays in its memory; another one asks for it again.
        issuer.forgive(process.id)
        process.stop()
    }

    /// Stops a process without notice, anywhere, and lets it go on.
    func stop(_ process: SimulatedProcess) async throws {
        guard !process.isKilled else { return }
        halt(process, as: .stopped)
        try await simulation.pause(upToMilliseconds: 150_000)
        goOn(process)
        comesBack(process)
    }

    /// Stops a process as it takes a lock or changes the record, if it comes to that, and lets it go on.
    func stopWithLock(_ process: SimulatedProcess) async throws {
        let steps: [StorageStep] = [
            .turn(.refresh), .turn(.store), .writing(.intent, .after), .writing(.successor, .before),
            .writing(.successor, .after),
        ]
        let step = steps[simulation.below(steps.count)]
        process.halt(at: step) { self.halt(process, as: .stoppedWithLock) }
        changeKeys()
        use(process)
        for other in living where other !== process { use(other) }
        let deadline = simulation.moment + 20_000_000_000
        while !process.isStopped, simulation.moment < deadline { try await simulation.pause(upToMilliseconds: 2_000) }
        process.doom(at: nil)
        guard process.isStopped else { return }
        // Whoever signs in or out meanwhile waits for the lock, and not for ever.
        if let other = living.first(where: { $0 !== process }), simulation.chance(40) {
            if simulation.chance(50) { signIn(in: other) } else { signOut(in: other) }
        }
        try await simulation.pause(upToMilliseconds: 150_000)
        goOn(process)
        comesBack(process)
    }

    private func halt(_ process: SimulatedProcess, as fault: SimulatedFault) {
        simulation.happens(fault)
        simulation.note("process \(process.id) is stopped")
        goesAway(process)
        issuer.isDisturbed(process.id)
        process.stop()
    }

    /// Lets the tasks of a process go on; it cannot have acted on what it has learned before.
    private func goOn(_ process: SimulatedProcess) {
        simulation.note("process \(process.id) goes on")
        let moment = simulation.moment
        record.withLock { $0.lives[process.id].knowledge.postpone(to: moment) }
        process.resume()
        disk.resumeWaiters()
    }

    /// The time of a process does not count from now on.
    private func goesAway(_ process: SimulatedProcess) {
        let moment = simulation.moment
        record.withLock { $0.lives[process.id].awaySince = $0.lives[process.id].awaySince ?? moment }
    }

    /// The time of a process counts again.
    private func comesBack(_ process: SimulatedProcess) {
        let moment = simulation.moment
        record.withLock { record in
            guard let since = record.lives[process.id].awaySince else { return }
            record.lives[process.id].away += moment - since
            record.lives[process.id].awaySince = nil
        }
    }

    /// Lets the resource refuse everything for a while, and sends many requests to it.
    func refuse(_ process: SimulatedProcess) async throws {
        simulation.happens(.resourceRefuses)
        network.spells.begin(.refusing, seconds: 20 + simulation.below(70))
        for _ in 0..<(6 + simulation.below(12)) {
            use(process)
            try await simulation.pause(upToMilliseconds: 3_000)
        }
    }
}
