// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import SessionSimulation
import TestSupport
import Testing

@Suite struct SimulationTests {
    /// Split, so that all processors have a share.
    static let lanes = 4

    /// `LATCH_RUNS` asks for more runs; `LATCH_SEED=n swift test --filter SimulationTests` prints all of one.
    ///
    /// `Scripts/check-release` plays 20,000.
    @Test(arguments: 0..<lanes)
    func `A session in simulation keeps every rule in 4,000 seeded runs, in which every fault happens`(lane: Int)
        async throws
    {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["LATCH_SEED"].flatMap(UInt64.init) {
            let lines = try await offThePool { lane == 0 ? SessionScenario.trace(seed: seed) : [] }
            for line in lines { print(line) }
        }
        let runs = environment["LATCH_RUNS"].flatMap(Int.init) ?? 4_000
        let (failures, faults) = try await offThePool {
            var failures: [(seed: UInt64, violations: [String])] = []
            var faults: [SimulatedFault: Int] = [:]
            for seed in stride(from: 1 + lane, through: runs, by: Self.lanes) where failures.count < 5 {
                let outcome = SessionScenario.outcome(seed: UInt64(seed))
                faults.merge(outcome.faults, uniquingKeysWith: +)
                if !outcome.violations.isEmpty { failures.append((UInt64(seed), outcome.violations)) }
            }
            return (failures, faults)
        }
        for (seed, violations) in failures {
            Issue.record("seed \(seed) (replay with LATCH_SEED=\(seed)): \(violations.joined(separator: "; "))")
        }
        let dead = SimulatedFault.all.filter { faults[$0, default: 0] < runs / 4_000 }
        #expect(dead.isEmpty, "a fault that hardly ever happens is tested by nothing")
    }

    @Test(arguments: SimulatedDefect.allCases)
    func `A session in simulation shows each defect that is put into it`(defect: SimulatedDefect) async throws {
        let seed = try await offThePool {
            (1...20_000 as ClosedRange<UInt64>).first { seed in
                SessionScenario.outcome(seed: seed, with: defect).violations.contains { $0.contains(defect.rule) }
            }
        }
        #expect(seed != nil, "no life breaks the rule '\(defect.rule)'")
    }

    @Test func `A session in simulation is the same run each time for one seed`() {
        for seed in [3, 17, 99] as [UInt64] {
            expectEqual(SessionScenario.trace(seed: seed), SessionScenario.trace(seed: seed))
        }
    }
}
