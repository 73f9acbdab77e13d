// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

extension SessionScenario {
    /// Starts a process: a session over what the disk holds, observers, and tasks that use it.
    func startProcess() {
        let process = SimulatedProcess(record.withLock { $0.lives.count }, in: simulation)
        simulation.note("process \(process.id) starts")
        let session = makeSession(in: process)
        let client = makeClient(of: session, in: process)
        record.withLock {
            $0.lives.append(SessionScenarioRecord.Life(process: process, session: session, client: client))
        }
        for observer in 0..<2 { observe(session, as: observer, in: process) }
        if simulation.chance(50) { glimpse(session, in: process) }
        for worker in 0..<(1 + simulation.below(4)) { work(as: worker, in: process) }
    }

    /// A session as an app makes it, with the simulation in place of the world.
    private func makeSession(in process: SimulatedProcess) -> Session<Tokens> {
        let records = SimulatedStore(
            disk: disk, process: process, network: network, kind: store,
            onLook: { [weak self] in self?.diskIsRead(by: $0) },
            onChange: { [weak self] in self?.diskHasChanged(by: $0, from: $1, to: $2) },
            onWait: { [weak self] in self?.judge(waitOf: $0, for: $1) })
        let store: any TokenStore<Tokens> = store == .plain ? SimulatedPlainStore(store: records) : records
        return Session(
            store: store, policy: policy, clock: simulation.clock, random: simulation.random, executor: process,
            breaking: broken
        ) { [network, weak self] renewal in
            self?.judge(renewalOf: renewal.credential, by: process)
            return try await network.refresh(renewal, by: process)
        }
    }

    /// The way to the resource, through the session's interceptor.
    private func makeClient(of session: Session<Tokens>, in process: SimulatedProcess) -> any Handler {
        let resource = HandlerFunction { [network, weak self] request in
            self?.judge(request, from: process)
            let response = try await network.answer(request)
            self?.arrived(request, from: process)
            return response
        }
        return resource.intercepted(by: [SessionInterceptor(session, for: .host("api.example.com"))])
    }

    /// Kills a process in the middle of whatever it does, as the system does without asking.
    func kill(_ process: SimulatedProcess, as fault: SimulatedFault) {
        simulation.happens(fault)
        simulation.note("process \(process.id) is killed")
        process.kill()
        issuer.forgive(process.id)
        disk.clean(up: process)
    }

    /// Lets the session of a process go, whose streams and tasks must then end.
    func end(_ process: SimulatedProcess) {
        let client = record.withLock { record in
            defer { (record.lives[process.id].session, record.lives[process.id].client) = (nil, nil) }
            return record.lives[process.id].client
        }
        withExtendedLifetime(client) {}
    }

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

    /// Begins to watch at some time, and stops after some states.
    private func glimpse(_ session: Session<Tokens>, in process: SimulatedProcess) {
        let patience = 1 + simulation.below(8)
        simulation.spawn(in: process) { [weak session] in
            try await self.simulation.pause(upToMilliseconds: 120_000)
            guard let states = session?.states else { return }
            self.record.withLock { $0.lives[process.id].watching += 1 }
            defer { self.record.withLock { $0.lives[process.id].watching -= 1 } }
            for await state in states.prefix(patience) {
                self.record.withLock { $0.lives[process.id].glimpsed.append(state) }
            }
        }
    }
}
