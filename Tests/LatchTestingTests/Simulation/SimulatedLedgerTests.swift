// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP
import Testing

@testable import SessionSimulation

/// The violations by processes that the ledger reports, and the unavoidable ones that it excuses.
@Suite struct `The ledger of a simulated issuer` {
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

    @Test func `sees two processes that ask at once`() {
        let issuer = issuer()
        let token = due(issuer)
        issuer.begins(0, token, key: "k")
        issuer.begins(1, token, key: "k")
        #expect(violations(issuer) == ["two refreshes of r:0:0 at once"])
    }

    @Test func `sees who asks for what it has been answered`() throws {
        let issuer = issuer()
        let token = due(issuer)
        try ask(issuer, token, by: 0)
        try ask(issuer, token, by: 0)
        #expect(violations(issuer) == ["a successor of 0:0 was asked for while somebody had one"])
    }

    @Test func `sees who asks for what another process has not stored yet`() throws {
        let issuer = issuer()
        let token = due(issuer)
        try ask(issuer, token, by: 0)
        try ask(issuer, token, by: 1)
        #expect(violations(issuer) == ["a successor of 0:0 was asked for while somebody had one"])
    }

    @Test func `excuses who asks again after its predecessor was killed`() throws {
        let issuer = issuer()
        let token = due(issuer)
        try ask(issuer, token, by: 0)
        issuer.forgive(0)
        try ask(issuer, token, by: 1)
        #expect(violations(issuer).isEmpty)
        #expect(issuer.inspect { $0.faults.values.reduce(0, +) } == 1)
    }

    @Test func `sees a second key for one refresh, also of another process where keys outlive them`() throws {
        let issuer = issuer()
        let token = due(issuer)
        try ask(issuer, token, by: 0, key: "one")
        issuer.forgive(0)
        try ask(issuer, token, by: 1, key: "other")
        #expect(violations(issuer) == ["the refresh of 0:0 was repeated under another key"])
    }

    @Test func `allows another process a key of its own where keys do not outlive them`() throws {
        let issuer = issuer(keysOutliveProcesses: false)
        let token = due(issuer)
        try ask(issuer, token, by: 0, key: "one")
        issuer.forgive(0)
        try ask(issuer, token, by: 1, key: "other")
        #expect(violations(issuer).isEmpty)
    }

    @Test func `ends a family at a repeat where there is no replay window, and excuses it only after a fault`() throws {
        for hasFault in [true, false] {
            let issuer = issuer(answersRepeats: false)
            let token = due(issuer)
            if hasFault { issuer.excuse(token, key: "k") }
            _ = try issuer.refresh(token, key: "k", by: 0)
            #expect(throws: HTTPError.self) { try issuer.refresh(token, key: "k", by: 0) }
            #expect(issuer.isRevoked(0))
            #expect(violations(issuer).isEmpty == hasFault)
        }
    }

    @Test func `tells the renewals of a refresh token that stays by their keys`() throws {
        let issuer = SimulatedIssuer(simulation, SimulatedLife(rotates: false))
        let token = due(issuer)
        issuer.excuse(token, key: "one")
        let first = try issuer.refresh(token, key: "one", by: 0)
        #expect(first.refresh == token)
        #expect(try issuer.refresh(token, key: "one", by: 0).refresh == token)
        #expect(issuer.inspect { $0.families[0].version } == 1)
        #expect(violations(issuer).isEmpty)
        _ = try issuer.refresh(token, key: "other", by: 0)
        #expect(violations(issuer) == ["0:1 was refreshed without a reason"])
    }
}
