// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchAuth
import LatchCore
import LatchHTTP

/// One simulated life of a session: several tasks, a restless person, a bad network and a moody store.
///
/// Afterwards the weather clears, and the session must be exactly what the person last made of it.
public final class SessionScenario: Sendable {
    /// What the person did last.
    enum Expectation: Sendable {
        /// Nothing may bring the session back.
        case signedOut
        /// The session of this family must be alive, unless the issuer has ended it.
        case signedIn(family: Int)
    }

    /// What the actors saw, to be judged at the end.
    struct Record: Sendable {
        /// What the person last brought about; only a call that succeeded changes it.
        var expectation = Expectation.signedOut
        /// Whether there ever was a reason to be signed out; without one, no request may say so.
        var mayBeSignedOut = false
        /// Sentences for people; empty is what every seed must give.
        var violations: [String] = []
        /// Each observer's states in order; all of them must be equal in the end.
        var observed: [Int: [Session<Tokens>.State]] = [:]
        /// Tasks and streams that have not ended.
        var open = 0
    }

    /// Time, order and luck.
    let simulation: Simulation
    /// The other side, which keeps its own record of what it was asked.
    let issuer: SimulatedIssuer
    /// The way there, which fails until it is told to be calm.
    let network: SimulatedNetwork
    /// The session's store, slow and full at times.
    let store: SimulatedStore
    /// Written by the actors, on the one thread that drives them.
    let record = Lock(Record())

    /// Draws the start: a restored session in six of ten lives.
    private init(seed: UInt64, isTracing: Bool) {
        simulation = Simulation(seed: seed, isTracing: isTracing)
        issuer = SimulatedIssuer(simulation)
        network = SimulatedNetwork(issuer)
        let restored = simulation.chance(60) ? issuer.signIn() : nil
        store = SimulatedStore(network, holding: restored)
        if restored != nil { record.withLock { $0.expectation = .signedIn(family: 0) } } else { allowSignedOut() }
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

    /// The storm, the calm, the last request, and the judgement.
    private func play() -> [String] {
        var session: Session<Tokens>? = makeSession()
        if let session {
            for observer in 0..<2 { observe(session, as: observer) }
            for worker in 0..<(2 + simulation.below(5)) { work(with: session, as: worker) }
            disturb(session)
        }
        // Only the two observers outlive the storm.
        let storm = simulation.run { self.record.withLock { $0.open } == 2 }
        network.calmDown()
        let last = Lock<Result<HTTPStatus, any Error>?>(nil)
        if let session {
            simulation.spawn {
                // The first may still meet a renewal that the last disturbance made worthless.
                _ = await self.request("calm", with: session)
                let result = await self.request("last", with: session)
                last.withLock { $0 = result }
            }
        }
        let calm = simulation.run { last.withLock { $0 } != nil } && simulation.run(horizon: .seconds(3))
        if !storm || !calm { violated("the run does not come to rest") }
        if let session { verify(session, last: last.withLock { $0 }) }
        session = nil
        if !simulation.run() { violated("the session does not end") }
        verifyLedger()
        return record.withLock { $0.violations } + issuer.inspect { $0.violations }
    }

    /// A session as an app makes it, with the simulation in place of the world.
    private func makeSession() -> Session<Tokens> {
        let policy = RenewalPolicy(renewsInBackground: simulation.chance(30))
        return Session(
            store: store, policy: policy, clock: simulation.clock, random: simulation.random,
            executor: simulation.taskExecutor
        ) { [network] in try await network.refresh($0) }
    }

    /// Sends one request through the interceptor, as a client does.
    func request(_ id: String, with session: Session<Tokens>) async -> Result<HTTPStatus, any Error> {
        let origin = HTTPOrigin(scheme: "https", authority: "api.example.com")
        let client = network.resource.intercepted(by: [SessionInterceptor(session, for: .origin(origin))])
        let request = HTTPRequest(authority: "api.example.com", path: "/", fields: [.requestID: id])
        do { return .success(try await client.respond(to: request).status) } catch { return .failure(error) }
    }

    /// Keeps the run going, so that a trace shows what came of it.
    func violated(_ what: String) { record.withLock { $0.violations.append(what) } }

    /// From now on a request may find the session ended.
    func allowSignedOut() { record.withLock { $0.mayBeSignedOut = true } }

    /// A task of the run; all of them must end.
    func spawn(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
        record.withLock { $0.open += 1 }
        return simulation.spawn {
            defer { self.record.withLock { $0.open -= 1 } }
            try await body()
        }
    }
}
