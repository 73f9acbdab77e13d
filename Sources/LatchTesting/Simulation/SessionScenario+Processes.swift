// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

extension SessionScenario {
    /// Starts a process: a session over what the disk holds, observers, and tasks that use it.
    func startProcess() {
        let process = SimulatedProcess(record.withLock { $0.lives.count }, in: simulation)
        simulation.note("process \(process.id) starts")
        let session = makeSession(in: process)
        record.withLock { $0.lives.append(Life(process: process, session: session)) }
        for observer in 0..<2 { observe(session, as: observer, in: process) }
        for worker in 0..<(1 + simulation.below(5)) { work(as: worker, in: process) }
    }

    /// A session as an app makes it, with the simulation in place of the world.
    private func makeSession(in process: SimulatedProcess) -> Session<Tokens> {
        let store = SimulatedStore(disk: disk, process: process, network: network) { [weak self] record, isBack in
            self?.diskHasChanged(to: record, isResurrection: isBack)
        }
        return Session(
            store: store, policy: policy, clock: simulation.clock, random: simulation.random, executor: process
        ) { [network] in try await network.refresh($0, by: process.id) }
    }

    /// Learns from the disk what the person has brought about, in the order in which it became true.
    private func diskHasChanged(to record: TokenRecord<Tokens>?, isResurrection: Bool) {
        if isResurrection { violated("a sign-in that was left came back") }
        if let tokens = record?.credential, let family = SimulatedIssuer.parse(tokens.access, "a")?.family {
            self.record.withLock { $0.expectation = .signedIn(family: family) }
        } else if record?.end != .issuer {
            self.record.withLock { $0.expectation = .signedOut }
        }
    }

    /// Kills a process in the middle of whatever it does, as the system does without asking.
    func kill(_ process: SimulatedProcess) {
        simulation.note("process \(process.id) is killed")
        process.kill()
        issuer.forgive(process.id, isOver: true)
        disk.clean(up: process)
    }

    /// Lets the session of a process go, whose streams and tasks must then end.
    func end(_ process: SimulatedProcess) { record.withLock { $0.lives[process.id].session = nil } }

    /// A task of a process; all of them must end, unless the process is killed.
    @discardableResult
    func spawn(
        in process: SimulatedProcess, _ body: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, any Error> {
        record.withLock { $0.lives[process.id].open += 1 }
        return simulation.spawn(in: process) {
            defer { self.record.withLock { $0.lives[process.id].open -= 1 } }
            try await body()
        }
    }

    /// Watches the states; the stream must end with the session.
    private func observe(_ session: Session<Tokens>, as observer: Int, in process: SimulatedProcess) {
        let states = session.states
        record.withLock { $0.lives[process.id].watching += 1 }
        simulation.spawn(in: process) {
            defer { self.record.withLock { $0.lives[process.id].watching -= 1 } }
            for await state in states {
                self.simulation.note("observer \(process.id).\(observer): \(state)")
                self.record.withLock { $0.lives[process.id].observed[observer].append(state) }
            }
        }
    }
}
