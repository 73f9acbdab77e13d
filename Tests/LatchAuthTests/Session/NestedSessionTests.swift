// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import SessionSimulation
import Synchronization
import Testing

@Suite struct NestedSessionTests {
    @Test func `A session inside another's refresh that is restored there knows not to wait for the outer one`() throws
    {
        let simulation = Simulation(seed: 1)
        let inner = InMemoryTokenStore<Tokens>()
        var record = TokenRecord(credential: Tokens(access: "i0", refresh: "ir0"), sessionID: "inner")
        record.refreshKey = "begun"
        inner.save(record: record)
        let outer = Mutex<Session<Tokens>?>(nil)
        let failures = Mutex<[AuthError]>([])
        let nested = Session(
            store: inner, clock: simulation.clock, random: simulation.random, executor: simulation.taskExecutor
        ) { _ in
            do {
                _ = try await outer.withLock { $0 }?.refreshed(replacing: Tokens(access: "o0", refresh: "or0"))
            } catch let error as AuthError {
                failures.withLock { $0.append(error) }
            }
            return Tokens(access: "i1", refresh: "ir1")
        }
        let session = Session(
            store: InMemoryTokenStore(Tokens(access: "o0", refresh: "or0")), clock: simulation.clock,
            random: simulation.random, executor: simulation.taskExecutor
        ) { _ in
            try await nested.restore()
            _ = try await nested.refreshed(replacing: Tokens(access: "i0", refresh: "ir0"))
            return Tokens(access: "o1", refresh: "or1")
        }
        outer.withLock { $0 = session }
        let ended = Mutex<Duration?>(nil)
        let began = simulation.clock.uptime
        simulation.spawn {
            _ = try await session.refreshed(replacing: Tokens(access: "o0", refresh: "or0"))
            ended.withLock { $0 = simulation.clock.uptime }
        }
        _ = simulation.run()
        #expect(try #require(ended.withLock { $0 }) - began < .seconds(1))
        expectEqual(failures.withLock { $0 }, [.refreshReentered])
        expectEqual(session.currentState.credential?.access, "o1")
    }
}

@Suite struct EndedSessionSuccessorTests {
    @Test(arguments: [true, false])
    func `A successor whose session has ended meanwhile is revoked if the user signed out here`(
        isElsewhere: Bool
    ) throws {
        let simulation = Simulation(seed: 1)
        let secrets = InMemorySecretStore()
        let revoked = Mutex<[String]>([])
        let store = SecretTokenStore<Tokens>(secrets, name: "account")
        let session = Session(
            store: store, policy: RefreshPolicy(), clock: simulation.clock, random: simulation.random,
            executor: simulation.taskExecutor, issuer: nil,
            revoke: { tokens in
                revoked.withLock { $0.append(tokens.access) }
                return .confirmed
            }
        ) { _ in
            try await simulation.clock.sleep(for: .seconds(5))
            return Tokens(access: "a1", refresh: "r1")
        }
        simulation.spawn {
            try await session.signIn(Tokens(access: "a0", refresh: "r0"))
            _ = try await session.refreshed(replacing: Tokens(access: "a0", refresh: "r0"))
        }
        simulation.spawn {
            try await simulation.clock.sleep(for: .seconds(2))
            if isElsewhere { try await store.clear() } else { try await session.signOut() }
        }
        _ = simulation.run(horizon: .seconds(30))
        expectEqual(revoked.withLock { $0 }, isElsewhere ? [] : ["a1"])
        // The store still holds nothing a minute later, so it has not lost its record for a while.
        _ = simulation.run(horizon: .seconds(60))
        expectEqual(revoked.withLock { $0 }, ["a1"])
        expectEqual(session.currentState, .signedOut(.user))
        #expect(secrets.names().isEmpty)
    }
}
