// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchTesting
import SessionSimulation
import Synchronization
import Testing

/// An answer to a refresh that the session does not get as a whole.
private struct Refusal: IssuerError {
    var isDoubtfulEnd = false
    var mayHaveArrived = false
}

@Suite struct UnusableAnswerTests {
    @Test func `An answer with only a usable refresh token is stored before its callers get the error`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { request, fixture in
            let number = fixture.refreshes
            guard number == 1 else { return fixture.issue(number) }
            var grant = request.credential
            grant.refresh = "refresh-1"
            throw IncompleteRefresh(grant: grant, error: Refusal())
        }
        let session = fixture.makeSession()
        #expect(throws: Refusal.self) { try fixture.run { try await session.credential() } }
        expectEqual(fixture.stored?.refresh, "refresh-1")
        expectEqual(fixture.stored?.access, "access-0")
        try expectEqual(fixture.run { try await session.credential() }.access, "access-2")
        expectEqual(fixture.world.withLock { $0.refreshes.last?.credential.refresh }, "refresh-1")
    }
}

@Suite struct GatewayRefusalTests {
    @Test func `A possible refusal by a gateway ends a session only if it repeats after five minutes`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, _ in
            throw Refusal(isDoubtfulEnd: true)
        }
        let store = InMemoryTokenStore(fixture.tokens(0, life: -1))
        let session = fixture.makeSession(over: store)
        for _ in 0..<3 {
            #expect(throws: Refusal.self) { try fixture.run { try await session.credential() } }
            try fixture.pass(.seconds(60))
        }
        expectEqual(store.load()?.refresh, "refresh-0")
        #expect(session.currentState.isSignedIn)
        try fixture.pass(.seconds(180))
        #expect(throws: AuthError.reauthenticationRequired) { try fixture.run { try await session.credential() } }
        expectEqual(session.currentState, .signedOut(.issuer))
    }

    @Test func `A possible refusal by a gateway is remembered by the next process`() throws {
        let fixture = SessionFixture { _, _ in throw Refusal(isDoubtfulEnd: true) }
        let store = InMemoryTokenStore(fixture.tokens(0, life: -1))
        #expect(throws: Refusal.self) {
            try fixture.run { try await fixture.makeSession(over: store).credential() }
        }
        try fixture.pass(.seconds(301))
        let next = fixture.makeSession(over: store)
        #expect(throws: AuthError.reauthenticationRequired) { try fixture.run { try await next.credential() } }
    }

    @Test func `A possible refusal by a gateway is not confirmed by a date that leaps, nor a day later`() throws {
        let fixture = SessionFixture { _, _ in throw Refusal(isDoubtfulEnd: true) }
        let store = InMemoryTokenStore(fixture.tokens(0, life: -1))
        let session = fixture.makeSession(over: store)
        for leap in [0, 600, 86_400, -86_400] as [Double] {
            fixture.simulation.jumpDate(bySeconds: leap)
            #expect(throws: Refusal.self) { try fixture.run { try await session.credential() } }
            try fixture.pass(.seconds(20))
        }
        try fixture.pass(.seconds(86_400))
        #expect(throws: Refusal.self) { try fixture.run { try await session.credential() } }
        #expect(session.currentState.isSignedIn)
        try fixture.pass(.seconds(400))
        #expect(throws: AuthError.reauthenticationRequired) { try fixture.run { try await session.credential() } }
    }

    @Test func `A possible refusal by a gateway is over once another answer has come`() throws {
        let fixture = SessionFixture { _, fixture in
            throw fixture.refreshes == 2 ? Refusal() : Refusal(isDoubtfulEnd: true)
        }
        let session = fixture.makeSession(over: InMemoryTokenStore(fixture.tokens(0, life: -1)))
        for _ in 0..<3 {
            #expect(throws: Refusal.self) { try fixture.run { try await session.credential() } }
            try fixture.pass(.seconds(200))
        }
        #expect(session.currentState.isSignedIn)
    }

    @Test func `A possible refusal by a gateway says nothing about the refresh token of another process`() throws {
        let fixture = SessionFixture { request, fixture in
            if fixture.refreshes == 2 { return fixture.issue(2, life: 10) }
            throw Refusal(isDoubtfulEnd: true)
        }
        let store = InMemoryTokenStore(fixture.tokens(0, life: -1))
        let (one, other) = (fixture.makeSession(over: store), fixture.makeSession(over: store))
        #expect(throws: Refusal.self) { try fixture.run { try await one.credential() } }
        try expectEqual(fixture.run { try await other.credential() }.access, "access-2")
        try fixture.pass(.seconds(900))
        #expect(throws: Refusal.self) { try fixture.run { try await one.credential() } }
        #expect(one.currentState.isSignedIn)
    }

    @Test func `A possible refusal by a gateway is forgotten with the next successor`() throws {
        let fixture = SessionFixture { _, fixture in
            switch fixture.refreshes {
            case 2: return fixture.issue(2, life: 10)
            default: throw Refusal(isDoubtfulEnd: true)
            }
        }
        let store = InMemoryTokenStore(fixture.tokens(0, life: -1))
        let session = fixture.makeSession(over: store)
        #expect(throws: Refusal.self) { try fixture.run { try await session.credential() } }
        try expectEqual(fixture.run { try await session.credential() }.access, "access-2")
        try fixture.pass(.seconds(600))
        #expect(throws: Refusal.self) { try fixture.run { try await session.credential() } }
        #expect(session.currentState.isSignedIn)
    }
}

@Suite struct RefusingResourceTests {
    private static let resource = TokenTarget(resource: "https://api.example.com")

    /// An issuer that answers requests for the resource by an error.
    private func fixture(_ error: any Error, life: Double = 900) -> SessionFixture {
        SessionFixture(holding: SessionFixture().tokens(0, life: life)) { request, fixture in
            if request.target != nil { throw error }
            return fixture.issue(fixture.refreshes)
        }
    }

    private func requests(_ fixture: SessionFixture) -> [String] {
        fixture.world.withLock { $0.refreshes.map { $0.target?.resource ?? "own" } }
    }

    @Test
    func `A resource that the issuer refuses ends nothing, since the session's own refresh shows that it lives`() throws
    {
        let fixture = fixture(AuthError.reauthenticationRequired)
        let session = fixture.makeSession()
        _ = try fixture.run { try await session.credential() }
        try fixture.pass(.seconds(100))
        #expect(throws: AuthError.resourceRefused) {
            try fixture.run { try await session.credential(for: Self.resource) }
        }
        expectEqual(requests(fixture), [Self.resource.resource, "own"])
        try expectEqual(fixture.run { try await session.credential() }.access, "access-2")
        #expect(session.currentState.isSignedIn)
    }

    @Test func `A resource that the issuer refuses ends the session if its own refresh is refused too`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0)) { _, _ in
            throw AuthError.reauthenticationRequired
        }
        let session = fixture.makeSession()
        _ = try fixture.run { try await session.credential() }
        try fixture.pass(.seconds(100))
        #expect(throws: AuthError.reauthenticationRequired) {
            try fixture.run { try await session.credential(for: Self.resource) }
        }
        expectEqual(session.currentState, .signedOut(.issuer))
    }

    @Test func `A resource that the issuer refuses requires the user for its own callers only`() throws {
        let fixture = fixture(AuthError.stepUpRequired(StepUpRequirement(prompt: .consent)))
        let session = fixture.makeSession()
        #expect(throws: AuthError.stepUpRequired) {
            try fixture.run { try await session.credential(for: Self.resource) }
        }
        expectNil(session.stepUp)
        let current = try fixture.run { try await session.credential() }
        try expectEqual(fixture.run { try await session.refreshed(replacing: current) }.access, "access-2")
        expectEqual(requests(fixture), [Self.resource.resource, "own"])
    }

    @Test func `A resource that the issuer refuses is given up after three requests, for all processes`() throws {
        let fixture = fixture(Refusal(mayHaveArrived: true), life: 60)
        let store = InMemoryTokenStore(fixture.tokens(0, life: 60))
        let session = fixture.makeSession(over: store)
        #expect(throws: Refusal.self) { try fixture.run { try await session.credential(for: Self.resource) } }
        expectEqual(requests(fixture).count, 2)
        try fixture.pass(.milliseconds(100))
        // Another process goes on with the count of the first.
        let next = fixture.makeSession(over: store)
        let current = fixture.tokens(0, life: 60)
        try expectEqual(fixture.run { try await next.refreshed(replacing: current) }.access, "access-4")
        let resource = Self.resource.resource
        expectEqual(requests(fixture), [resource, resource, resource, "own"])
    }
}
