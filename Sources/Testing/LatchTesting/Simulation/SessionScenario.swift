// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
package import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// One simulated life of an account: up to three processes that are killed and start again, several tasks in each, a
/// restless person, a bad network and a moody store.
///
/// Afterwards the weather clears, and in every process the session must be exactly what the person last made of it.
public final class SessionScenario: Sendable {
    /// What came of a life.
    package struct Outcome: Sendable {
        /// Sentences for people; empty is what every seed must give.
        package let violations: [String]
        /// How often each fault has happened.
        package let faults: [SimulatedFault: Int]
        /// All that happened, where it was asked for.
        package let trace: [String]
    }

    /// Time, order and luck.
    let simulation: Simulation
    /// The other side, which keeps its own record of what it was asked.
    let issuer: SimulatedIssuer
    /// The way there, which fails until it is told to be calm.
    let network: SimulatedNetwork
    /// What outlives a process.
    let disk: SimulatedDisk
    /// What the app keeps its tokens in.
    let store: SimulatedStore.Kind
    /// Whether the sessions renew on their own.
    let policy: RenewalPolicy
    /// The rule that the sessions leave out; nil in all lives but those that prove the harness.
    let broken: SessionRule?
    /// Written by the actors, on the one thread that drives them.
    let record = Mutex(SessionScenarioRecord())

    /// Draws the start: a restored session in six of ten lives, an issuer without a replay window in two.
    private init(seed: UInt64, isTracing: Bool, breaking rule: SessionRule?) {
        simulation = Simulation(seed: seed, isTracing: isTracing)
        store = simulation.chance(75) ? .shared : simulation.chance(40) ? .lone : .plain
        let answersRepeats = !simulation.chance(20)
        let rotates = !answersRepeats || store == .plain || !simulation.chance(10)
        issuer = SimulatedIssuer(
            simulation, answersRepeats: answersRepeats, keysOutliveProcesses: store != .plain, rotates: rotates)
        network = SimulatedNetwork(issuer)
        let restored = simulation.chance(60) ? issuer.signIn() : nil
        disk = SimulatedDisk(holding: restored)
        policy = RenewalPolicy(renewsInBackground: simulation.chance(30))
        broken = rule
        if let restored { record.withLock { $0.begin(with: restored.access) } }
        if !answersRepeats { simulation.happens(.issuerWithoutWindow) }
        if !rotates { simulation.happens(.issuerWithoutRotation) }
        if store == .plain { simulation.happens(.plainStore) }
        if store == .lone { simulation.happens(.loneStore) }
    }

    /// Plays the run of one seed.
    ///
    /// - Returns: What did not hold, and the trace where one was asked for; nothing when all held.
    public static func play(seed: UInt64, isTracing: Bool = false) -> [String] {
        let outcome = outcome(seed: seed, isTracing: isTracing)
        return outcome.violations.isEmpty ? [] : outcome.violations + outcome.trace
    }

    /// Everything that happens in the run of one seed.
    public static func trace(seed: UInt64) -> [String] {
        let outcome = outcome(seed: seed, isTracing: true)
        return outcome.violations + outcome.trace
    }

    /// Plays the run of one seed.
    ///
    /// - Parameter rule: What the sessions do not keep to, to prove that it is seen.
    package static func outcome(
        seed: UInt64, isTracing: Bool = false, breaking rule: SessionRule? = nil
    ) -> Outcome {
        let scenario = SessionScenario(seed: seed, isTracing: isTracing, breaking: rule)
        scenario.play()
        let simulation = scenario.simulation
        let violations = scenario.record.withLock { $0.violations } + scenario.issuer.inspect { $0.violations }
        let outcome = Outcome(violations: violations, faults: simulation.faults, trace: simulation.trace)
        simulation.end()
        scenario.forget()
        simulation.end()
        return outcome
    }

    /// The storm, the calm, the last requests, and the judgement.
    private func play() {
        startProcesses()
        disturb()
        let storm = simulation.run { self.isAtRest }
        network.calmDown()
        disk.announce(from: nil)
        let settled = simulation.run(horizon: .seconds(3))
        let last = Mutex<[Int: Result<HTTPStatus, any Error>]>([:])
        let living = self.living
        for process in living {
            spawn(in: process) {
                // The first may still meet a renewal that the last disturbance made worthless.
                _ = await self.request("calm \(process.id)", in: process)
                let result = await self.request("last \(process.id)", in: process)
                last.withLock { $0[process.id] = result }
            }
        }
        let calm = simulation.run { self.isAtRest } && simulation.run(horizon: .seconds(3))
        if !storm || !settled || !calm { violated("the run does not come to rest") }
        if !isAtRest { violated("somebody waits for ever") }
        for process in living { verify(process, last: last.withLock { $0[process.id] }) }
        for process in living { end(process) }
        if !simulation.run() { violated("a session does not end") }
        verifyLedger()
    }

    /// Lets go of all sessions, also of killed processes, which hold the world that holds them.
    private func forget() {
        for life in record.withLock({ $0.lives }) { end(life.process) }
    }

    /// One process, or several where the store is made for it.
    private func startProcesses() {
        let luck = simulation.below(100)
        startProcess()
        guard store == .shared, luck < 55 else { return }
        simulation.happens(.secondProcess)
        startProcess()
        guard luck < 15 else { return }
        simulation.happens(.thirdProcess)
        startProcess()
    }

    /// Whether only observers are still there.
    private var isAtRest: Bool { record.withLock { $0.isAtRest } }

    /// The processes that were not killed.
    var living: [SimulatedProcess] { record.withLock { $0.lives.map(\.process).filter { !$0.isKilled } } }

    /// The session of a process, as long as it has one.
    func session(of process: SimulatedProcess) -> Session<Tokens>? { record.withLock { $0.lives[process.id].session } }

    /// Keeps the run going, so that a trace shows what came of it.
    func violated(_ what: String) {
        simulation.note("violation: \(what)")
        record.withLock { $0.violations.append(what) }
    }
}
