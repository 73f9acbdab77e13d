// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import Testing

@testable import SessionSimulation

/// The violations by processes that the ledger reports, and the unavoidable ones that it excuses.
@Suite struct SimulatedLedgerTests {
    let simulation = Simulation(seed: 1)

    func issuer(answersRepeats: Bool = true, keysOutliveProcesses: Bool = true) -> SimulatedIssuer {
        SimulatedIssuer(
            simulation, SimulatedLife(answersRepeats: answersRepeats, keysOutliveProcesses: keysOutliveProcesses))
    }

    /// Tokens whose renewal is due, without a violation.
    func due(_ issuer: SimulatedIssuer) -> String {
        let tokens = issuer.signIn()
        issuer.refuseAccessTokens(of: 0)
        _ = issuer.accepts(tokens.access)
        return tokens.refresh ?? ""
    }

    /// A renewal whose answer arrives.
    func ask(_ issuer: SimulatedIssuer, _ token: String, by process: Int, key: String = "k") throws {
        let request = issuer.begins(process, token, key: key)
        _ = try issuer.refresh(token, key: key, by: process)
        issuer.ends(process, request: request, isAnswered: true)
    }

    func violations(_ issuer: SimulatedIssuer) -> [String] { issuer.inspect { $0.violations } }

    @Test func `The ledger of a simulated issuer sees two processes that ask at once`() {
        let issuer = issuer()
        let token = due(issuer)
        issuer.begins(0, token, key: "k")
        issuer.begins(1, token, key: "k")
        expectEqual(violations(issuer), ["two refreshes of r:0:0 at the same time"])
    }

    @Test func `The ledger of a simulated issuer sees a repeat of an answered request`() throws {
        let issuer = issuer()
        let token = due(issuer)
        try ask(issuer, token, by: 0)
        try ask(issuer, token, by: 0)
        expectEqual(violations(issuer), ["a successor of 0:0 was asked for while somebody had one"])
    }

    @Test func `The ledger of a simulated issuer sees a request for a result that another has not stored yet`() throws {
        let issuer = issuer()
        let token = due(issuer)
        try ask(issuer, token, by: 0)
        try ask(issuer, token, by: 1)
        expectEqual(violations(issuer), ["a successor of 0:0 was asked for while somebody had one"])
    }

    @Test func `The ledger of a simulated issuer excuses a repeat after the predecessor was killed`() throws {
        let issuer = issuer()
        let token = due(issuer)
        try ask(issuer, token, by: 0)
        issuer.forgive(0)
        try ask(issuer, token, by: 1)
        #expect(violations(issuer).isEmpty)
        expectEqual(issuer.inspect { $0.faults.values.reduce(0, +) }, 1)
    }

    @Test func `The ledger of a simulated issuer sees a second key for one refresh, also across processes`() throws {
        let issuer = issuer()
        let token = due(issuer)
        try ask(issuer, token, by: 0, key: "one")
        issuer.forgive(0)
        try ask(issuer, token, by: 1, key: "other")
        expectEqual(violations(issuer), ["the refresh of 0:0 was repeated under another key"])
    }

    @Test
    func `The ledger of a simulated issuer allows another process its own key if keys do not outlive them`() throws {
        let issuer = issuer(keysOutliveProcesses: false)
        let token = due(issuer)
        try ask(issuer, token, by: 0, key: "one")
        issuer.forgive(0)
        try ask(issuer, token, by: 1, key: "other")
        #expect(violations(issuer).isEmpty)
    }

    @Test func `The ledger of a simulated issuer ends a family at a repeat without a replay window`() throws {
        for hasFault in [true, false] {
            let issuer = issuer(answersRepeats: false)
            let token = due(issuer)
            if hasFault { issuer.excuse(token, key: "k") }
            _ = try issuer.refresh(token, key: "k", by: 0)
            #expect(throws: HTTPError.self) { try issuer.refresh(token, key: "k", by: 0) }
            #expect(issuer.isRevoked(0))
            expectEqual(violations(issuer).isEmpty, hasFault)
        }
    }

    @Test
    func `The ledger of a simulated issuer distinguishes renewals of a lasting refresh token by their keys`() throws {
        let issuer = SimulatedIssuer(simulation, SimulatedLife(rotates: false))
        let token = due(issuer)
        issuer.excuse(token, key: "one")
        let first = try issuer.refresh(token, key: "one", by: 0)
        expectEqual(first.refresh, token)
        try expectEqual(issuer.refresh(token, key: "one", by: 0).refresh, token)
        expectEqual(issuer.inspect { $0.families[0].version }, 1)
        #expect(violations(issuer).isEmpty)
        _ = try issuer.refresh(token, key: "other", by: 0)
        expectEqual(violations(issuer), ["0:1 was refreshed without a reason"])
    }
}
