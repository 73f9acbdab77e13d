// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import Synchronization
import Testing

@testable import SessionSimulation

/// Two processes of one program: each has a session of its own, and both have the same store.
@Suite struct TwoSessionsTests {
    @Test(arguments: 1...40)
    func `Two sessions over one store stay signed in through many refreshes, in any order`(seed: UInt64) throws {
        let simulation = Simulation(seed: seed)
        let issuer = SimulatedIssuer(simulation)
        let store = InMemoryTokenStore<Tokens>(issuer.signIn())
        let sessions = (0..<2).map { _ in session(over: store, simulation, issuer) }
        let failures = Mutex<[String]>([])
        for session in sessions {
            simulation.spawn {
                for _ in 0..<30 {
                    try await simulation.pause(upToMilliseconds: 20_000)
                    do {
                        let tokens = try await session.credential()
                        if !issuer.accepts(tokens.access) { failures.withLock { $0.append("refused") } }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
        }
        #expect(simulation.run())
        expectEqual(failures.withLock { $0 }, [])
        expectEqual(issuer.inspect { $0.violations }, [])
        #expect(issuer.inspect { $0.families[0].version } > 2)
        // At the next refresh each finds what the other has stored.
        let kept = store.load()?.refresh
        #expect(sessions.contains { $0.currentState.credential?.refresh == kept })
    }

    @Test(arguments: 1...20)
    func `Two sessions over one store are both signed out by one, at the latest at the next refresh`(seed: UInt64)
        throws
    {
        let simulation = Simulation(seed: seed)
        let issuer = SimulatedIssuer(simulation)
        let store = InMemoryTokenStore<Tokens>(issuer.signIn())
        let (one, other) = (session(over: store, simulation, issuer), session(over: store, simulation, issuer))
        let last = Mutex<(any Error)?>(nil)
        simulation.spawn {
            _ = try await other.credential()
            try await simulation.pause(upToMilliseconds: 90_000)
            try await one.signOut()
            try await simulation.sleep(for: .seconds(61))
            do { _ = try await other.credential() } catch { last.withLock { $0 = error } }
        }
        #expect(simulation.run())
        expectEqual(last.withLock { $0 as? AuthError }, .missingToken)
        expectEqual(other.currentState, .signedOut(.user))
        expectNil(store.load())
    }

    private func session(
        over store: InMemoryTokenStore<Tokens>, _ simulation: Simulation, _ issuer: SimulatedIssuer
    ) -> Session<Tokens> {
        Session(
            store: store, clock: simulation.clock, random: simulation.random, executor: simulation.taskExecutor
        ) { request in
            try await simulation.pause(upToMilliseconds: 2_000)
            let answer = try issuer.refresh(request.credential.refresh ?? "", key: request.idempotencyKey)
            try await simulation.pause(upToMilliseconds: 2_000)
            return answer
        }
    }
}
