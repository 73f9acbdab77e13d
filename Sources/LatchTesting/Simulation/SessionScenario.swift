// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchAuth
import LatchCore
import LatchHTTP

/// One simulated life of an account: one or two processes that are killed and start again, several tasks in each, a
/// restless person, a bad network and a moody store.
///
/// Afterwards the weather clears, and in every process the session must be exactly what the person last made of it.
public final class SessionScenario: Sendable {
    /// What the person did last.
    enum Expectation: Sendable {
        /// Nothing may bring the session back.
        case signedOut
        /// The session of this family must be alive, unless the issuer has ended it.
        case signedIn(family: Int)
    }

    /// A process, its session, and what its observers saw.
    struct Life: Sendable {
        let process: SimulatedProcess
        /// Nil once the process is over, by a kill or at the end of the run.
        var session: Session<Tokens>?
        /// Each observer's states in order; all of them must be equal in the end.
        var observed: [[Session<Tokens>.State]] = [[], []]
        /// Tasks, and streams of observers, that have not ended.
        var open = 0
        var watching = 0
    }

    /// What the actors saw, to be judged at the end.
    struct Record: Sendable {
        /// What the person last brought about, as the disk saw it.
        var expectation = Expectation.signedOut
        /// Whether there ever was a reason to be signed out; without one, no request may say so.
        var mayBeSignedOut = false
        /// Sentences for people; empty is what every seed must give.
        var violations: [String] = []
        /// All processes so far, by their numbers.
        var lives: [Life] = []
        /// Tasks of the world that have not ended.
        var open = 0
    }

    /// Time, order and luck.
    let simulation: Simulation
    /// The other side, which keeps its own record of what it was asked.
    let issuer: SimulatedIssuer
    /// The way there, which fails until it is told to be calm.
    let network: SimulatedNetwork
    /// What outlives a process.
    let disk: SimulatedDisk
    /// Whether the sessions renew on their own.
    let policy: RenewalPolicy
    /// Written by the actors, on the one thread that drives them.
    let record = Lock(Record())

    /// Draws the start: a restored session in six of ten lives, an issuer without a replay window in one.
    private init(seed: UInt64, isTracing: Bool) {
        simulation = Simulation(seed: seed, isTracing: isTracing)
        let answersRepeats = !simulation.chance(10)
        issuer = SimulatedIssuer(simulation, answersRepeats: answersRepeats)
        network = SimulatedNetwork(issuer)
        let restored = simulation.chance(60) ? issuer.signIn() : nil
        disk = SimulatedDisk(holding: restored)
        policy = RenewalPolicy(renewsInBackground: simulation.chance(30))
        if restored != nil { record.withLock { $0.expectation = .signedIn(family: 0) } }
        // Without a replay window an answer that is lost on the way ends the session.
        if restored == nil || !answersRepeats { allowSignedOut() }
    }

    /// Plays the run of one seed.
    ///
    /// - Returns: What did not hold, and the trace where one was asked for; nothing when all held.
    public static func play(seed: UInt64, isTracing: Bool = false) -> [String] {
        let scenario = SessionScenario(seed: seed, isTracing: isTracing)
        let violations = scenario.play()
        return violations.isEmpty ? [] : violations + scenario.simulation.trace
    }

    /// Everything that happens in the run of one seed.
    public static func trace(seed: UInt64) -> [String] {
        let scenario = SessionScenario(seed: seed, isTracing: true)
        return scenario.play() + scenario.simulation.trace
    }

    /// The storm, the calm, the last requests, and the judgement.
    private func play() -> [String] {
        for _ in 0..<(simulation.chance(40) ? 2 : 1) { startProcess() }
        disturb()
        let storm = simulation.run { self.isAtRest }
        network.calmDown()
        disk.announce(from: nil)
        let settled = simulation.run(horizon: .seconds(3))
        let last = Lock<[Int: Result<HTTPStatus, any Error>]>([:])
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
        for process in living { verify(process, last: last.withLock { $0[process.id] }) }
        for process in living { end(process) }
        if !simulation.run() { violated("a session does not end") }
        verifyLedger()
        return record.withLock { $0.violations } + issuer.inspect { $0.violations }
    }

    /// Whether only observers are still there.
    private var isAtRest: Bool {
        record.withLock { record in
            record.open == 0 && record.lives.allSatisfy { $0.process.isKilled || $0.open == 0 }
        }
    }

    /// The processes that were not killed.
    var living: [SimulatedProcess] { record.withLock { $0.lives.map(\.process).filter { !$0.isKilled } } }

    /// The session of a process, as long as it has one.
    func session(of process: SimulatedProcess) -> Session<Tokens>? { record.withLock { $0.lives[process.id].session } }

    /// Sends one request through the interceptor, as a client does.
    func request(_ id: String, in process: SimulatedProcess) async -> Result<HTTPStatus, any Error> {
        guard let session = session(of: process) else { return .failure(AuthError.superseded) }
        let origin = HTTPOrigin(scheme: "https", authority: "api.example.com")
        let client = network.resource.intercepted(by: [SessionInterceptor(session, for: .origin(origin))])
        let request = HTTPRequest(authority: "api.example.com", path: "/", fields: [.requestID: id])
        do { return .success(try await client.respond(to: request).status) } catch { return .failure(error) }
    }

    /// Keeps the run going, so that a trace shows what came of it.
    func violated(_ what: String) { record.withLock { $0.violations.append(what) } }

    /// From now on a request may find the session ended.
    func allowSignedOut() { record.withLock { $0.mayBeSignedOut = true } }
}
