// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import SessionSimulation
import Synchronization

/// A session in a simulated world: virtual time, a store that can be told to fail, an issuer that can be told anything.
final class SessionFixture: Sendable {
    struct World: Sendable {
        var stored: Tokens?
        var loads = 0
        var saves = 0
        var clears = 0
        var loadFailure: AuthError?
        var saveFailure: AuthError?
        var clearFailure: AuthError?
        /// Whether a failure comes after the change, or empties the store, instead of coming before.
        var failsAfterwards = false
        var failsEmpty = false
        var refreshes: [RefreshRequest<Tokens>] = []
        var requests: [HTTPRequest] = []
        var acceptsAny = false
        var accepted: Set<String> = []
    }

    typealias RefreshHandler = @Sendable (RefreshRequest<Tokens>, SessionFixture) async throws -> Tokens

    let simulation = Simulation(seed: 1)
    let world = Mutex(World())
    let policy: RefreshPolicy
    let answer: RefreshHandler

    /// - Parameter answer: What the token endpoint does; by default it rotates after 100 ms.
    init(
        holding tokens: Tokens? = nil, policy: RefreshPolicy = RefreshPolicy(jitter: .zero),
        answer: @escaping RefreshHandler = SessionFixture.rotate
    ) {
        self.policy = policy
        self.answer = answer
        world.withLock { $0.stored = tokens }
        if let tokens { world.withLock { _ = $0.accepted.insert(tokens.access) } }
    }

    static let rotate: RefreshHandler = { request, fixture in
        try await fixture.simulation.clock.sleep(for: .milliseconds(100))
        return fixture.issue(fixture.world.withLock { $0.refreshes.count })
    }

    /// Makes tokens that the resource accepts, and no others.
    func issue(_ number: Int, life: Double = 900) -> Tokens {
        let tokens = tokens(number, life: life)
        world.withLock { $0.accepted = [tokens.access] }
        return tokens
    }

    func tokens(_ number: Int, life: Double = 900) -> Tokens {
        let now = simulation.trueNow
        return Tokens(
            access: "access-\(number)", refresh: "refresh-\(number)", expiry: now.addingTimeInterval(life), issued: now)
    }

    /// - Parameter store: What the session is over, where it is not the fixture's own.
    func makeSession(over store: (any TokenStore<Tokens>)? = nil) -> Session<Tokens> {
        Session(
            store: store ?? FixtureStore(fixture: self), policy: policy, clock: simulation.clock,
            random: simulation.random,
            executor: simulation.taskExecutor
        ) { request in
            self.world.withLock { $0.refreshes.append(request) }
            return try await self.answer(request, self)
        }
    }

    /// Runs `body` in the world until everything that it caused has happened.
    @discardableResult
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
        guard simulation.run(until: { result.withLock { $0 != nil } }), let outcome = result.withLock({ $0 }) else {
            throw Hung()
        }
        return try outcome.get()
    }

    /// Lets time pass.
    func pass(_ time: Duration) throws { try run { try await self.simulation.clock.sleep(for: time) } }

    struct Hung: Error {}

    var loads: Int { world.withLock { $0.loads } }
    var saves: Int { world.withLock { $0.saves } }
    var refreshes: Int { world.withLock { $0.refreshes.count } }
    var requests: [HTTPRequest] { world.withLock { $0.requests } }
    var stored: Tokens? { world.withLock { $0.stored } }

    /// A resource that accepts only what was issued last, behind the session.
    func client(_ session: Session<Tokens>, refreshes: Bool = true) -> any Handler {
        let resource = ClosureHandler { request in
            let isAccepted = self.world.withLock { world in
                world.requests.append(request)
                let token = (request.fields[.authorization] ?? "").split(separator: " ").last.map(String.init) ?? ""
                return world.acceptsAny || world.accepted.contains(token)
            }
            try await self.simulation.clock.sleep(for: .milliseconds(50))
            let date = HTTPDate(self.simulation.trueNow).description
            return HTTPResponse(status: isAccepted ? .ok : .unauthorized, fields: [.date: date])
        }
        return resource.intercepted(by: [
            SessionInterceptor(session, for: .host("api.example.com"), refreshes: refreshes)
        ])
    }

    static func request(_ method: HTTPMethod = .get, body: String = "") -> HTTPRequest {
        HTTPRequest(method: method, authority: "api.example.com", path: "/notes", body: HTTPBody(body))
    }
}

struct FixtureStore: TokenStore {
    let fixture: SessionFixture

    func save(_ tokens: Tokens) async throws {
        try fixture.world.withLock { world in
            world.saves += 1
            if let failure = world.saveFailure {
                if world.failsEmpty { world.stored = nil }
                if world.failsAfterwards { world.stored = tokens }
                throw failure
            }
            world.stored = tokens
        }
    }

    func load() async throws -> Tokens? {
        try fixture.world.withLock { world in
            world.loads += 1
            if let failure = world.loadFailure { throw failure }
            return world.stored
        }
    }

    func clear() async throws {
        try fixture.world.withLock { world in
            world.clears += 1
            if let failure = world.clearFailure {
                if world.failsAfterwards { world.stored = nil }
                throw failure
            }
            world.stored = nil
        }
    }
}
