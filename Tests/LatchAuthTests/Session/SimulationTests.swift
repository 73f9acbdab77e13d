// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import SessionSimulation
import TestSupport
import Testing

@Suite struct SimulationTests {
    /// `LATCH_RUNS` asks for more runs; `LATCH_SEED=n swift test --filter SimulationTests` prints all of one.
    ///
    /// The nightly run plays 100,000.
    @Test func `A session in simulation keeps every rule in 1,000 seeded runs, in which every fault happens`()
        async throws
    {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["LATCH_SEED"].flatMap(UInt64.init) {
            for line in try await offThePool({ SessionScenario.trace(seed: seed) }) { print(line) }
        }
        let runs = environment["LATCH_RUNS"].flatMap(UInt64.init) ?? 1_000
        let (failures, faults) = try await offThePool {
            var failures: [(seed: UInt64, violations: [String])] = []
            var faults: [SimulatedFault: Int] = [:]
            for seed in 1...runs where failures.count < 5 {
                let outcome = SessionScenario.outcome(seed: seed)
                faults.merge(outcome.faults, uniquingKeysWith: +)
                if !outcome.violations.isEmpty { failures.append((seed, outcome.violations)) }
            }
            return (failures, faults)
        }
        for (seed, violations) in failures {
            Issue.record("seed \(seed) (replay with LATCH_SEED=\(seed)): \(violations.joined(separator: "; "))")
        }
        let dead = SimulatedFault.all.filter { faults[$0] == nil }
        #expect(dead.isEmpty, "a fault that hardly ever happens is tested by nothing")
    }

    @Test(arguments: SimulatedDefect.allCases)
    func `A session in simulation shows each defect that is put into it`(defect: SimulatedDefect) async throws {
        let (rule, seed) = defect.evidence
        let violations = try await offThePool { SessionScenario.outcome(seed: seed, with: defect).violations }
        #expect(violations.contains { $0.contains(rule) }, "seed \(seed): \(violations)")
    }

    @Test func `A session in simulation is the same run each time for one seed`() {
        for seed in [3, 17, 99] as [UInt64] {
            expectEqual(SessionScenario.trace(seed: seed), SessionScenario.trace(seed: seed))
        }
    }
}
