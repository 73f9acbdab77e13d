// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchTesting
import Testing

@Suite struct `A session in simulation` {
    /// One seed is replayed by `LATCH_SEED=n swift test --filter SimulationTests`; `LATCH_RUNS` asks for more runs.
    @Test func `keeps every rule in thousands of seeded runs`() async throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["LATCH_SEED"].flatMap(UInt64.init) {
            let violations = try await offThePool { SessionScenario.play(seed: seed, isTracing: true) }
            for line in violations { print(line) }
            #expect(violations.isEmpty, "seed \(seed)")
            return
        }
        let runs = environment["LATCH_RUNS"].flatMap(UInt64.init) ?? 10_000
        let failures = try await offThePool {
            var failures: [(seed: UInt64, violations: [String])] = []
            for seed in 1...runs where failures.count < 5 {
                let violations = SessionScenario.play(seed: seed)
                if !violations.isEmpty { failures.append((seed, violations)) }
            }
            return failures
        }
        for (seed, violations) in failures {
            Issue.record("seed \(seed) (replay with LATCH_SEED=\(seed)): \(violations.joined(separator: "; "))")
        }
    }

    @Test func `is the same run each time for one seed`() {
        for seed in [3, 17, 99] as [UInt64] {
            #expect(SessionScenario.trace(seed: seed) == SessionScenario.trace(seed: seed))
        }
    }
}
