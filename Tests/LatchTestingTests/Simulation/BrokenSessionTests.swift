// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import SessionSimulation
import TestSupport
import Testing

/// The proof of the simulation: it finds no fault in a correct session, and the fault in each broken one.
@Suite struct `A session that leaves one rule out` {
    /// `simulate-session broken 1 2000` prints how many of the seeds see each.
    @Test(arguments: SessionRule.allCases)
    func `is caught within 2,000 seeds, by one that a whole session passes`(rule: SessionRule) async throws {
        let caught = try await offThePool {
            for seed in 1...2_000 as ClosedRange<UInt64> {
                let violations = SessionScenario.outcome(seed: seed, breaking: rule).violations
                if let first = violations.first {
                    return (seed: seed, violation: first) as (seed: UInt64, violation: String)?
                }
            }
            return nil
        }
        let (seed, violation) = try #require(caught, "nothing sees that \(rule) is left out")
        print("without \(rule): seed \(seed): \(violation)")
        #expect(SessionScenario.play(seed: seed) == [])
    }
}
