// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchTesting
import Testing

@Suite struct `A session in simulation` {
    /// One seed is replayed by `LATCH_SEED=n swift test --filter SimulationTests`; `LATCH_RUNS` asks for more runs.
    @Test func `keeps every rule in thousands of seeded runs`() throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["LATCH_SEED"].flatMap(UInt64.init) {
            let violations = SessionScenario.play(seed: seed, isTracing: true)
            for line in violations { print(line) }
            #expect(violations.isEmpty, "seed \(seed)")
            return
        }
        let runs = environment["LATCH_RUNS"].flatMap(UInt64.init) ?? 10_000
        var failures = 0
        for seed in 1...runs where failures < 5 {
            let violations = SessionScenario.play(seed: seed)
            guard !violations.isEmpty else { continue }
            failures += 1
            Issue.record("seed \(seed) (replay with LATCH_SEED=\(seed)): \(violations.joined(separator: "; "))")
        }
    }

    @Test func `is the same run each time for one seed`() {
        for seed in [3, 17, 99] as [UInt64] {
            #expect(SessionScenario.trace(seed: seed) == SessionScenario.trace(seed: seed))
        }
    }
}
