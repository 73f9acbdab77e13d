// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import PortableFoundation
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
    }

    /// The source of time, order and randomness.
    let simulation: Simulation
    /// The issuer, which records all requests.
    let issuer: SimulatedIssuer
    /// The network, which fails until `calmDown()`.
    let network: SimulatedNetwork
    /// The disk, which outlives the processes.
    let disk: SimulatedDisk
    /// The kind of store that keeps the tokens.
    let store: SimulatedStore.Kind
    /// Whether the sessions refresh on their own.
    let policy: RefreshPolicy
    /// The observations of the actors, written on the one thread that runs them.
    let record = Mutex(SessionScenarioRecord())

    /// Draws the initial state: a restored session in six of ten runs, an issuer without a replay window in two.
    private init(seed: UInt64, isTracing: Bool) {
        simulation = Simulation(seed: seed, isTracing: isTracing)
        store = simulation.chance(75) ? .shared : simulation.chance(40) ? .lone : .plain
        let answersRepeats = !simulation.chance(20)
        let rotates = !answersRepeats || store == .plain || !simulation.chance(10)
        issuer = SimulatedIssuer(
            simulation, answersRepeats: answersRepeats, keysOutliveProcesses: store != .plain, rotates: rotates)
        network = SimulatedNetwork(issuer)
        let restored = simulation.chance(60) ? issuer.signIn() : nil
        disk = SimulatedDisk(holding: restored)
        policy = RefreshPolicy(refreshesInBackground: simulation.chance(30))
        if let restored { record.withLock { $0.begin(with: restored.access) } }
        if !answersRepeats { simulation.happens(.issuerWithoutWindow) }
        if !rotates { simulation.happens(.issuerWithoutRotation) }
        if store == .plain { simulation.happens(.plainStore) }
        if store == .lone { simulation.happens(.loneStore) }
    }

    /// Plays the run of one seed.
    ///
    /// - Returns: The violated rules and the requested trace; empty when no rule was violated.
    package static func play(seed: UInt64, isTracing: Bool = false) -> [String] {
        let outcome = outcome(seed: seed, isTracing: isTracing)
        return outcome.violations.isEmpty ? [] : outcome.violations + outcome.trace
    }

    /// Returns the trace of one seed.
    package static func trace(seed: UInt64) -> [String] {
        let outcome = outcome(seed: seed, isTracing: true)
        return outcome.violations + outcome.trace
    }

    /// Plays the run of one seed.
    package static func outcome(seed: UInt64, isTracing: Bool = false) -> Outcome {
        let scenario = SessionScenario(seed: seed, isTracing: isTracing)
        scenario.play()
        let simulation = scenario.simulation
        let violations = scenario.record.withLock { $0.violations } + scenario.issuer.inspect { $0.violations }
        let outcome = Outcome(violations: violations, faults: simulation.faults, trace: simulation.trace)
        simulation.end()
        scenario.forget()
        simulation.end()
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
        // The issuer may have asked for a pause.
        simulation.spawn { try await self.simulation.sleep(for: .seconds(30)) }
        _ = simulation.run(horizon: .seconds(31))
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
        if !storm || !settled || !calm { violated("the run does not come to rest") }
        if !isAtRest { violated("a task waits forever") }
        for process in living { verify(process, last: last.withLock { $0[process.id] }) }
        for process in living { end(process) }
        if !simulation.run() { violated("a session does not end") }
        verifyLedger()
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
