// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import Testing

@testable import SessionSimulation

@Suite struct SessionScenarioTests {
    @Test(arguments: [1, 99, 123_456])
    func `A simulated life of a session is replayed to the line by its seed`(seed: UInt64) {
        let trace = SessionScenario.trace(seed: seed)
        #expect(!trace.isEmpty)
        expectEqual(SessionScenario.trace(seed: seed), trace)
    }

    @Test func `A simulated life of a session gives no trace if every rule held`() {
        expectEqual(SessionScenario.play(seed: 1, isTracing: true), [])
    }
}

/// The model that sessions are held against must itself see what it is there to see.
@Suite struct SimulatedIssuerTests {
    let simulation = Simulation(seed: 1)
    let issuer: SimulatedIssuer

    init() { issuer = SimulatedIssuer(simulation) }

    func wait(_ seconds: Int) {
        let simulation = simulation
        simulation.spawn { try await simulation.sleep(for: .seconds(seconds)) }
        #expect(simulation.run())
    }

    var violations: [String] { issuer.inspect { $0.violations } }

    @Test func `The simulated issuer rotates a refresh token when it is due`() throws {
        let first = issuer.signIn()
        wait(50)
        let second = try issuer.refresh(first.refresh ?? "", key: "k")
        expectNotEqual(second.refresh, first.refresh)
        #expect(issuer.accepts(second.access))
        #expect(violations.isEmpty)
    }

    @Test func `The simulated issuer sees a refresh without a reason`() throws {
        _ = try issuer.refresh(issuer.signIn().refresh ?? "", key: "k")
        expectEqual(violations.count, 1)
    }

    @Test func `The simulated issuer finds nothing wrong in a refresh after its access token was refused`() throws {
        let tokens = issuer.signIn()
        issuer.refuseAccessTokens(of: 0)
        #expect(!issuer.accepts(tokens.access))
        _ = try issuer.refresh(tokens.refresh ?? "", key: "k")
        #expect(violations.isEmpty)
    }

    @Test func `The simulated issuer answers a repeat with the same key as before, also long after`() throws {
        let first = issuer.signIn()
        wait(50)
        let second = try issuer.refresh(first.refresh ?? "", key: "k")
        wait(3600)
        try expectEqual(issuer.refresh(first.refresh ?? "", key: "k").refresh, second.refresh)
        #expect(violations.isEmpty)
    }

    @Test func `The simulated issuer ends the family of a token that is used again with another key`() throws {
        let first = issuer.signIn()
        wait(50)
        let second = try issuer.refresh(first.refresh ?? "", key: "k")
        wait(31)
        #expect(throws: HTTPError.self) { try issuer.refresh(first.refresh ?? "", key: "other") }
        expectEqual(
            violations,
            [
                "the refresh of 0:0 was repeated under another key", "the used refresh token of 0:0 was used again",
            ])
        #expect(!issuer.accepts(second.access))
        #expect(throws: HTTPError.self) { try issuer.refresh(second.refresh ?? "", key: "k") }
    }

    @Test func `The simulated issuer refuses an access token that is expired, revoked, or foreign`() {
        let tokens = issuer.signIn()
        #expect(issuer.accepts(tokens.access))
        #expect(!issuer.accepts(tokens.refresh ?? ""))
        #expect(!issuer.accepts("a:x"))
        wait(60)
        #expect(!issuer.accepts(tokens.access))
        let other = issuer.signIn()
        issuer.revoke(1)
        #expect(!issuer.accepts(other.access))
    }
}
