// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import Synchronization

/// One simulated life of an account: up to three processes that are killed and restarted, several tasks in each, an
/// impatient user, a bad network and an unreliable store.
///
/// In the end the faults stop, and in every process the session must have the state of the user's last action.
package final class SessionScenario: Sendable {
    /// The result of a run.
    package struct Outcome: Sendable {
        /// Descriptions of the violated rules; empty for every seed of a correct session.
        package let violations: [String]
        /// The number of times that each fault has happened.
        package let faults: [SimulatedFault: Int]
        /// The trace of the run, where it was requested.
        package let trace: [String]
        /// The longest times of the run.
        package let longest: Longest
    }

    /// The source of time, order and randomness.
    let simulation: Simulation
    /// The issuer, which records all requests.
    let issuer: SimulatedIssuer
    /// The network, which fails until `calmDown()`.
    let network: SimulatedNetwork
    /// The disk, which outlives the processes.
    let disk: SimulatedDisk
    /// The properties of the life.
    let life: SimulatedLife
    /// The defect that is put into it; nil for none.
    let defect: SimulatedDefect?
    /// The policy of the sessions.
    let policy: RefreshPolicy
    /// The folder of the lock files, if there are some.
    let folder: String?
    /// The observations of the actors, written on the one thread that runs them.
    let record = Mutex(SessionScenarioRecord())

    /// The kind of store that keeps the tokens.
    var store: SimulatedStore.Kind { life.store }

    /// Draws the life and its initial state: a restored session in six of ten runs.
    private init(seed: UInt64, isTracing: Bool, defect: SimulatedDefect?) {
        simulation = Simulation(seed: seed, isTracing: isTracing)
        life = SimulatedLife(simulation)
        self.defect = defect
        issuer = SimulatedIssuer(simulation, life)
        network = SimulatedNetwork(issuer, defect)
        let restored = simulation.chance(60) ? issuer.signIn() : nil
        let record = restored.map { TokenRecord(credential: $0, sessionID: "restored") }
        disk = SimulatedDisk(holding: record, as: record.map(SimulatedSecretStore.item))
        folder = life.locksFiles ? SimulatedFileLocks.newFolder() : nil
        var policy = RefreshPolicy(refreshesInBackground: life.refreshesInBackground)
        switch defect {
        case .unlimitedRefreshes: policy.requestLimit = 1_000
        case .noTimeLimit: policy.timeLimit = .seconds(3_600)
        case .lateRepetitions: policy.repeatsUnanswered = false
        default: break
        }
        self.policy = policy
        simulation.letDateDrift(by: life.drift)
        if let restored { self.record.withLock { $0.begin(with: restored.access) } }
        for fault in life.faults { simulation.happens(fault) }
    }

    /// Plays the run of one seed.
    ///
    /// - Returns: The violated rules and the requested trace; empty when no rule was violated.
    package static func play(seed: UInt64, isTracing: Bool = false) -> [String] {
        let outcome = outcome(seed: seed, isTracing: isTracing)
        return outcome.violations.isEmpty ? [] : outcome.violations + outcome.trace
    }

    package static func trace(seed: UInt64) -> [String] {
        let outcome = outcome(seed: seed, isTracing: true)
        return outcome.violations + outcome.trace
    }

    /// Plays the run of one seed.
    package static func outcome(
        seed: UInt64, isTracing: Bool = false, with defect: SimulatedDefect? = nil
    ) -> Outcome {
        let scenario = SessionScenario(seed: seed, isTracing: isTracing, defect: defect)
        scenario.play()
        let simulation = scenario.simulation
        let violations = scenario.record.withLock { $0.violations } + scenario.issuer.inspect { $0.violations }
        let outcome = Outcome(
            violations: violations, faults: simulation.faults, trace: simulation.trace,
            longest: scenario.record.withLock { $0.longest })
        simulation.end()
        scenario.forget()
        simulation.end()
        if let folder = scenario.folder { SimulatedFileLocks.remove(folder) }
        return outcome
    }

    /// Runs the disturbances, the calm, the last requests, and the checks.
    private func play() {
        startProcesses()
        disturb()
        let storm = simulation.run { self.isAtRest }
        network.calmDown()
        disk.announce(from: nil)
        let settled = simulation.run(horizon: .seconds(3))
        // Connections to nobody end, and the issuer may have asked for a pause.
        let isOver = Mutex(false)
        simulation.spawn {
            try await self.simulation.sleep(for: SimulatedNetwork.deadPeerLimit + .seconds(30))
            isOver.withLock { $0 = true }
        }
        _ = simulation.run { isOver.withLock { $0 } }
        let last = Mutex<[Int: Result<HTTPStatus, any Error>]>([:])
        let living = self.living
        for process in living {
            spawn(in: process) {
                // The first request may still meet a refresh that the last disturbance made obsolete.
                _ = await self.request("calm \(process.id)", in: process)
                let result = await self.request("last \(process.id)", in: process)
                last.withLock { $0[process.id] = result }
            }
        }
        let calm = simulation.run { self.isAtRest } && simulation.run(horizon: .seconds(3))
        settleIntent()
        if !storm || !settled || !calm { violated("the run does not come to rest") }
        if !isAtRest { violated("a task waits forever") }
        for process in living { verify(process, last: last.withLock { $0[process.id] }) }
        for process in living { end(process) }
        if !simulation.run() { violated("a session does not end") }
        verifyLedger()
        verifyDropped()
    }

    /// Lets the credential of a standing intent expire, and uses it: then at the latest the request is repeated.
    ///
    /// The first use after a restart repeats it immediately, unless that fails.
    private func settleIntent() {
        guard isIntentStanding else { return }
        simulation.happens(.intentStands)
        simulation.spawn { try await self.simulation.sleep(for: .seconds(SimulatedIssuer.life + 1)) }
        _ = simulation.run(horizon: .seconds(SimulatedIssuer.life + 2))
        for process in living { spawn(in: process) { _ = await self.request("settling \(process.id)", in: process) } }
        _ = simulation.run { self.isAtRest }
        if isIntentStanding { violated("an intent is not settled") }
    }

    /// Whether the record has the key of a request; where the issuer has ended the session, nothing is requested.
    private var isIntentStanding: Bool {
        guard let record = disk.record, record.refreshKey != nil else { return false }
        return record.credential.flatMap(issuer.version).map { !issuer.isRevoked($0.family) } ?? false
    }

    /// Releases all sessions, also of killed processes, to break their reference cycles.
    private func forget() {
        for life in record.withLock({ $0.lives }) { end(life.process) }
    }

    /// Starts one process, or several where the store supports that.
    private func startProcesses() {
        let draw = simulation.below(100)
        startProcess()
        guard store == .shared, draw < 55 else { return }
        simulation.happens(.secondProcess)
        startProcess()
        guard draw < 15 else { return }
        simulation.happens(.thirdProcess)
        startProcess()
    }

    /// Whether only observers still run.
    private var isAtRest: Bool { record.withLock { $0.isAtRest } }

    /// The processes that were not killed.
    var living: [SimulatedProcess] { record.withLock { $0.lives.map(\.process).filter { !$0.isKilled } } }

    /// The session of a process, as long as it has one.
    func session(of process: SimulatedProcess) -> Session<Tokens>? { record.withLock { $0.lives[process.id].session } }

    /// Records a violation; the run continues, so that a trace shows the consequences.
    func violated(_ rule: String) {
        simulation.note("violation: \(rule)")
        record.withLock { $0.violations.append(rule) }
    }
}
