// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

extension SessionScenario {
    /// Sends some requests, and may be cancelled at any moment.
    func work(as worker: Int, in process: SimulatedProcess) {
        let count = 1 + simulation.below(4)
        let isCancelled = simulation.chance(25)
        let task = spawn(in: process) {
            defer { self.isOver(worker, in: process) }
            for number in 0..<count {
                try await self.simulation.pause(upToMilliseconds: 45_000)
                let id = "\(process.id).\(worker).\(number)"
                self.record.withLock { $0.lives[process.id].requests[worker] = id }
                let changes = self.record.withLock { $0.changes }
                let result = await self.request(id, in: process)
                self.record.withLock { $0.lives[process.id].requests[worker] = nil }
                self.simulation.note("request \(id): \(result)")
                self.judge(result, isCancelled: isCancelled, since: changes)
            }
        }
        guard isCancelled else { return }
        spawn(in: process) {
            try await self.simulation.pause(upToMilliseconds: 60_000)
            self.cancel(task, of: worker, in: process)
        }
    }

    /// Cancels a worker, wherever it is.
    private func cancel(_ task: Task<Void, any Error>, of worker: Int, in process: SimulatedProcess) {
        let isOnTheWay = record.withLock { record -> Bool? in
            let life = record.lives[process.id]
            return life.requests[worker].map { life.onTheWay.contains($0) }
        }
        if let isOnTheWay { simulation.happens(isOnTheWay ? .requestCancelled : .waiterCancelled) }
        cancels(worker, in: process)
        task.cancel()
    }

    /// Sends one request through the interceptor, as a client does.
    func request(_ id: String, in process: SimulatedProcess) async -> Result<HTTPStatus, any Error> {
        guard let client = record.withLock({ $0.lives[process.id].client }) else {
            return .failure(AuthError.superseded)
        }
        let request = HTTPRequest(authority: "api.example.com", path: "/", fields: [.requestID: id])
        begins(toWait: id, in: process)
        defer { ends(toWait: id, in: process) }
        do {
            guard defect == .cancelledCallersStay else { return .success(try await client.respond(to: request).status) }
            let deaf = simulation.spawn(in: process) { try await client.respond(to: request).status }
            return .success(try await deaf.value)
        } catch { return .failure(error) }
    }

    /// Disturbs the processes: sign-outs, sign-ins, kills, clocks, keys.
    func disturb() {
        let count = simulation.below(6)
        record.withLock { $0.open += 1 }
        simulation.spawn {
            defer { self.record.withLock { $0.open -= 1 } }
            for _ in 0..<count {
                try await self.simulation.pause(upToMilliseconds: 60_000)
                try await self.disturb(by: self.simulation.below(28))
            }
        }
    }

    private func disturb(by choice: Int) async throws {
        let living = living
        let process = living[simulation.below(living.count)]
        switch choice {
        case 0, 1:
            try await stir(process)
            signOut(in: process)
        case 2, 3, 4:
            try await stir(process)
            signIn(in: process)
        case 5, 6: moveClock()
        case 7, 8: changeKeys()
        case 9: revokeCurrent()
        case 10, 11:
            try await stir(process)
            kill(process, as: .killed)
            startProcess()
        case 12, 13, 14, 15: try await kill(process, at: StorageStep.all[simulation.below(StorageStep.all.count)])
        case 16, 17: try await suspend(process)
        case 18, 19:
            try await stir(process)
            try await stop(process)
        case 20, 21: try await stopWithLock(process)
        case 22: try await refuse(process)
        case 23: network.spells.begin(.corrupt, seconds: 1 + simulation.below(40))
        case 24: if store == .shared { network.spells.begin(.forgetful, seconds: 1 + simulation.below(20)) }
        case 25: network.spells.begin(.full, seconds: 5 + simulation.below(90))
        default: try await simulation.sleep(for: .seconds(120))
        }
    }

    /// Starts a refresh for the next disturbance to interrupt, in half of the cases.
    func stir(_ process: SimulatedProcess) async throws {
        guard simulation.chance(50) else { return }
        changeKeys()
        use(process)
        for _ in 0..<30 where issuer.inspect({ $0.asking.isEmpty }) {
            try await simulation.pause(upToMilliseconds: 800)
        }
        try await simulation.pause(upToMilliseconds: 1_000)
    }

    /// Sends an unplanned request.
    func use(_ process: SimulatedProcess) {
        let id = "\(process.id) at \(simulation.moment)"
        spawn(in: process) { _ = await self.request(id, in: process) }
    }

    /// Kills a process at a step of its storage, and makes it get there.
    private func kill(_ process: SimulatedProcess, at step: StorageStep) async throws {
        process.doom(at: step) { self.kill(process, as: .killedAt(step)) }
        switch step {
        case .writing(.signIn, _): signIn(in: process)
        case .writing(.nothing, _): signOut(in: process)
        case .writing(.end, _):
            revokeCurrent()
            changeKeys()
        case .writing, .turn(.refresh): changeKeys()
        case .turn(.store), .reading: break
        }
        use(process)
        let deadline = simulation.moment + 30_000_000_000
        while !process.isKilled, simulation.moment < deadline {
            try await simulation.pause(upToMilliseconds: 5_000)
        }
        process.doom(at: nil)
        if process.isKilled { startProcess() }
    }

    func signOut(in process: SimulatedProcess) {
        guard let session = session(of: process) else { return }
        let isRevoked = simulation.chance(30)
        leave(process) {
            guard isRevoked else { return self.isHandedBack(try await session.signOut()) }
            _ = try await session.signOutAndRevoke { await self.revoke($0) }
        }
        simulation.happens(.signOut)
    }

    /// Signs in to another account each time, so that a credential that survives its session is noticed.
    func signIn(in process: SimulatedProcess) {
        guard let session = session(of: process) else { return }
        if case .signedIn = record.withLock({ $0.expectation }) { simulation.happens(.accountSwitch) }
        let last = disk.record?.credential
        let tokens = issuer.signIn()
        leave(process) {
            try await session.signIn(tokens)
            guard self.defect == .predecessorsRevoked, let last else { return }
            self.judge(revocationOf: last.access)
            _ = await self.revoke(last)
        }
    }

    /// Revokes tokens, if the issuer can be reached.
    func revoke(_ tokens: Tokens) async -> RevocationOutcome {
        do { try await network.revoke(tokens.refresh ?? tokens.access) } catch { return .unavailable }
        return .confirmed
    }

    /// Leaves the current account; the disk records when that is done.
    private func leave(_ process: SimulatedProcess, by body: @escaping @Sendable () async throws -> Void) {
        record.withLock { record in
            record.lives[process.id].leaving += 1
            if disk.record?.credential != nil { record.lastLeaver = process.id }
        }
        spawn(in: process) {
            defer { self.record.withLock { $0.hasLeft(process.id, isAlone: self.store != .shared) } }
            let id = "\(Self.leaving) at \(self.simulation.moment)"
            self.begins(toWait: id, in: process)
            defer { self.ends(toWait: id, in: process) }
            do { try await body() } catch { self.simulation.note("sign-in or sign-out failed: \(error)") }
        }
    }

    private func moveClock() {
        switch simulation.below(3) {
        case 0:
            simulation.happens(.dayForward)
            simulation.jumpDate(bySeconds: 86_400)
        case 1:
            simulation.happens(.dayBack)
            simulation.jumpDate(bySeconds: -86_400)
        default:
            simulation.happens(.clockMoved)
            simulation.jumpDate(bySeconds: Double(simulation.below(172_800) - 86_400))
        }
    }

    /// Invalidates the access tokens of all families so far, also of those that have ended.
    func changeKeys() {
        simulation.happens(.keysChanged)
        for family in 0..<issuer.inspect({ $0.families.count }) { issuer.refuseAccessTokens(of: family) }
    }

    /// Lets the issuer end the current session.
    private func revokeCurrent() {
        guard case .signedIn(let family) = record.withLock({ $0.expectation }) else { return }
        simulation.happens(.revocation)
        issuer.revoke(family)
    }
}

extension SessionScenario {
    /// Starts a process: a session over what the disk holds, observers, and tasks that use it.
    func startProcess() {
        let process = SimulatedProcess(record.withLock { $0.lives.count }, in: simulation)
        simulation.note("process \(process.id) starts")
        let files = folder.map {
            SimulatedFileLocks(
                folder: $0, disk: disk, process: process, network: network, observers: lockObservers)
        }
        record.withLock { $0.lives.append(SessionScenarioRecord.Life(process: process, files: files)) }
        let session = makeSession(in: process, files)
        let client = makeClient(of: session, in: process)
        record.withLock { ($0.lives[process.id].session, $0.lives[process.id].client) = (session, client) }
        for observer in 0..<2 { observe(session, as: observer, in: process) }
        if simulation.chance(50) { glimpse(session, in: process) }
        for worker in 0..<(1 + simulation.below(4)) { work(as: worker, in: process) }
    }

    /// Kills a process at any point, as the system does.
    func kill(_ process: SimulatedProcess, as fault: SimulatedFault) {
        simulation.happens(fault)
        simulation.note("process \(process.id) is killed")
        process.kill()
        issuer.forgive(process.id)
        disk.clean(up: process)
        record.withLock { $0.lives[process.id].files }?.releaseAll()
    }

    /// Releases the session of a process, whose streams and tasks must then end.
    func end(_ process: SimulatedProcess) {
        let client = record.withLock { record in
            defer { (record.lives[process.id].session, record.lives[process.id].client) = (nil, nil) }
            return record.lives[process.id].client
        }
        withExtendedLifetime(client) {}
    }

    /// Starts a task of a process; all of them must end, unless the process is killed.
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
        let deadline = 1 + simulation.below(8)
        simulation.spawn(in: process) { [weak session] in
            try await self.simulation.pause(upToMilliseconds: 120_000)
            guard let states = session?.states else { return }
            self.record.withLock { $0.lives[process.id].watching += 1 }
            defer { self.record.withLock { $0.lives[process.id].watching -= 1 } }
            for await state in states.prefix(deadline) {
                self.record.withLock { $0.lives[process.id].glimpsed.append(state) }
            }
        }
    }
}
