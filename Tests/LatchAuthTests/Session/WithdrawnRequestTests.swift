// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

@testable import SessionSimulation

@Suite struct WithdrawnRequestTests {
    @Test
    func `A request whose lock was gone before it was sent is not sent: another session's result is used`() throws {
        let simulation = Simulation(seed: 1)
        let issuer = SimulatedIssuer(simulation)
        let tokens = issuer.signIn()
        let store = InMemoryTokenStore<Tokens>(tokens)
        let (suspended, other) = (session(over: store, simulation, issuer), session(over: store, simulation, issuer))
        issuer.refuseAccessTokens(of: 0)
        #expect(!issuer.accepts(tokens.access))
        let obtained = Mutex<[Tokens]>([])
        simulation.spawn {
            let late = try await suspended.refreshed(replacing: tokens)
            obtained.withLock { $0.append(late) }
        }
        simulation.spawn {
            try await simulation.sleep(for: .seconds(1))
            await suspended.prepareToSuspend(within: .zero)
            let fresh = try await other.refreshed(replacing: tokens)
            obtained.withLock { $0.append(fresh) }
            await suspended.resume()
        }
        #expect(simulation.run())
        let results = obtained.withLock { $0 }
        #expect(results.count == 2 && Set(results).count == 1 && !results.contains(tokens))
        expectEqual(issuer.inspect { $0.families[0].version }, 1)
        expectEqual(issuer.inspect { $0.violations }, [])
    }

    /// A session whose connection takes ten seconds.
    private func session(
        over store: InMemoryTokenStore<Tokens>, _ simulation: Simulation, _ issuer: SimulatedIssuer
    ) -> Session<Tokens> {
        Session(
            store: store, clock: simulation.clock, random: simulation.random, executor: simulation.taskExecutor
        ) { request in
            try await simulation.sleep(for: .seconds(10))
            try SendCondition.check()
            return try issuer.refresh(request.credential.refresh ?? "", key: request.idempotencyKey)
        }
    }

    @Test
    func `A request whose lock was gone before it was sent is an error if the lock's file was removed`() async throws {
        try await withTemporaryFolder { folder in
            let secrets = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
            let coordination = FileCoordination(path: "\(folder)/account")
            let store = SecretTokenStore<Tokens>(secrets, name: "account", coordination: coordination)
            let session = Session(store: store) { request in
                if request.credential.access == "first" {
                    try FileManager.default.removeItem(atPath: "\(folder)/account.renewal")
                }
                try SendCondition.check()
                return Tokens(access: "third", refresh: "third")
            }
            try await session.signIn(Tokens(access: "first", refresh: "first"))
            await #expect(throws: AuthError.lockLost) {
                try await session.refreshed(replacing: Tokens(access: "first"))
            }
            // Nothing was used up, and the next attempt takes the new file.
            try await session.signIn(Tokens(access: "second", refresh: "second"))
            try await expectEqual(session.refreshed(replacing: Tokens(access: "second")).access, "third")
        }
    }

    @Test
    func `A request whose lock was gone before it was sent can be sent after the refresh that began it`() async throws {
        let store = InMemoryTokenStore<Tokens>(Tokens(access: "first", refresh: "first"))
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let (tasks, began) = AsyncStream.makeStream(of: Task<Void, any Error>.self)
        let session = Session(store: store) { _ in
            let later = Task {
                for await _ in released { break }
                try SendCondition.check()
            }
            began.yield(later)
            return Tokens(access: "second", refresh: "second")
        }
        _ = try await session.refreshed(replacing: Tokens(access: "first"))
        await session.settled()
        release.yield()
        for await later in tasks {
            try await later.value
            break
        }
    }
}
