// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import SessionSimulation
import Synchronization
import Testing

/// An issuer that leaves the refresh token as it is, as RFC 6749 §6 allows.
private final class LastingIssuer: Sendable {
    let simulation = Simulation(seed: 1)
    let keys = Mutex<[String]>([])
    let isOffline = Mutex(false)

    func tokens(_ number: Int) -> Tokens {
        let now = simulation.trueNow
        return Tokens(access: "a\(number)", refresh: "lasting", expiry: now.addingTimeInterval(60), issued: now)
    }

    func session(over store: InMemoryTokenStore<Tokens>) -> Session<Tokens> {
        Session(
            store: store, clock: simulation.clock, random: simulation.random, executor: simulation.taskExecutor
        ) { request in
            let count = self.keys.withLock { keys in
                keys.append(request.idempotencyKey)
                return keys.count
            }
            try await self.simulation.clock.sleep(for: .milliseconds(100))
            if self.isOffline.withLock({ $0 }) { throw HTTPError.offline }
            return self.tokens(count)
        }
    }

    /// Runs `body` until all that it caused has happened.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let result = Mutex<Result<Value, any Error>?>(nil)
        simulation.spawn {
            do {
                let value = try await body()
                result.withLock { $0 = .success(value) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }
        _ = simulation.run(horizon: .seconds(5))
        return try #require(result.withLock { $0 }).get()
    }

    func pass(_ seconds: Int) throws {
        simulation.spawn { try await self.simulation.clock.sleep(for: .seconds(seconds)) }
        _ = simulation.run()
    }
}

@Suite struct LastingRefreshTokenTests {
    @Test func `Sessions at an issuer with lasting refresh tokens refresh once for all`() throws {
        let issuer = LastingIssuer()
        let store = InMemoryTokenStore(issuer.tokens(0))
        let (one, other) = (issuer.session(over: store), issuer.session(over: store))
        for session in [one, other] { _ = try issuer.run { try await session.credential() } }
        try issuer.pass(61)
        try expectEqual(issuer.run { try await one.credential() }.access, "a1")
        try expectEqual(issuer.run { try await other.credential() }.access, "a1")
        expectEqual(issuer.keys.withLock { $0.count }, 1)
    }

    @Test func `Sessions at an issuer with lasting refresh tokens use another key for the next refresh`() throws {
        let issuer = LastingIssuer()
        let store = InMemoryTokenStore(issuer.tokens(0))
        let (one, other) = (issuer.session(over: store), issuer.session(over: store))
        try issuer.pass(61)
        issuer.isOffline.withLock { $0 = true }
        #expect(throws: HTTPError.offline) { try issuer.run { try await one.credential() } }
        issuer.isOffline.withLock { $0 = false }
        _ = try issuer.run { try await other.credential() }
        try issuer.pass(61)
        _ = try issuer.run { try await one.credential() }
        let keys = issuer.keys.withLock { $0 }
        // The one that was not answered was repeated immediately.
        expectEqual(keys.count, 4)
        expectEqual(Set(keys.prefix(3)).count, 1)
        expectNotEqual(keys[3], keys[0])
    }
}
