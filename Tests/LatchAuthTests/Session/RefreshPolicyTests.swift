// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchTesting
import SessionSimulation
import Testing

@Suite struct RefreshPolicyTests {
    /// Returns the number of refreshes of one use, `age` seconds into a life of 900.
    func refreshes(_ policy: RefreshPolicy, atAge age: Int, asking times: Int = 1) throws -> Int {
        let fixture = SessionFixture(policy: policy)
        let session = fixture.makeSession()
        try fixture.run { try await session.signIn(fixture.issue(0)) }
        try fixture.run {
            try await fixture.simulation.clock.sleep(for: .seconds(age))
            for _ in 0..<times { _ = try await session.credential() }
        }
        return fixture.refreshes
    }

    @Test(arguments: [(899, 0), (900, 1), (901, 1)])
    func `An extreme policy of refresh without a lead refreshes at the expiry and not before`(age: Int, count: Int)
        throws
    {
        try expectEqual(refreshes(RefreshPolicy(lead: .zero, jitter: .seconds(30)), atAge: age), count)
    }

    @Test(arguments: [(1, 0), (719, 0), (721, 1)])
    func `An extreme policy of refresh with an endless lead still leaves four fifths of a life`(age: Int, count: Int)
        throws
    {
        try expectEqual(refreshes(RefreshPolicy(lead: .seconds(Int64.max), jitter: .zero), atAge: age), count)
    }

    @Test(arguments: [(899, 0), (901, 1), (1_100, 1)])
    func `An extreme policy of refresh with a negative lead never takes an expired credential for a fresh one`(
        age: Int, count: Int
    ) throws {
        try expectEqual(refreshes(RefreshPolicy(lead: .seconds(-300), jitter: .zero), atAge: age), count)
    }

    @Test func `An extreme policy of refresh with a negative jitter does not refresh all the time`() throws {
        let policy = RefreshPolicy(lead: .seconds(60), jitter: .seconds(-1_000_000))
        try expectEqual(refreshes(policy, atAge: 10, asking: 20), 0)
        try expectEqual(refreshes(policy, atAge: 880, asking: 20), 1)
    }

    @Test func `An extreme policy of refresh with an endless jitter refreshes before the expiry`() throws {
        try expectEqual(refreshes(RefreshPolicy(jitter: .seconds(Int64.max)), atAge: 899), 1)
    }

    @Test(arguments: [Duration.zero, .seconds(-60)])
    func `An extreme policy of refresh without a pause after a failure still does not loop in the background`(
        pause: Duration
    ) throws {
        let policy = RefreshPolicy(jitter: .zero, pauseAfterFailure: pause, refreshesInBackground: true)
        let fixture = SessionFixture(policy: policy) { _, _ in throw AuthError.refreshFailed }
        let session = fixture.makeSession()
        try fixture.run { try await session.signIn(fixture.issue(0)) }
        try fixture.run { try await fixture.simulation.clock.sleep(for: .seconds(900)) }
        // The lead is a fifth of the life, 180 s, and no more than one attempt is made in a second.
        #expect((1...181).contains(fixture.refreshes))
    }

    /// An issuer may state any lifetime; none of them may end the program.
    @Test(arguments: [4e9, 1e12, 1e19, 1e25, 1e300, .infinity])
    func `An extreme policy of refresh can handle an expiry that no clock can count`(seconds: Double) throws {
        for refreshesInBackground in [false, true] {
            let policy = RefreshPolicy(refreshesInBackground: refreshesInBackground)
            let fixture = SessionFixture(policy: policy)
            let session = fixture.makeSession()
            let tokens = Tokens(access: "a", refresh: "r", expiry: Date(timeIntervalSince1970: seconds))
            try fixture.run {
                try await session.signIn(tokens)
                try await fixture.simulation.clock.sleep(for: .seconds(200_000))
            }
            expectEqual(session.currentState, .signedIn(tokens))
            try expectEqual(fixture.run { try await session.credential() }, tokens)
            expectEqual(fixture.refreshes, 0)
        }
    }
}
