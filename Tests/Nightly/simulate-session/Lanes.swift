// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import SessionSimulation

/// The results of many seeds, run on all processors.
struct Lanes: Sendable {
    /// The failures by seed, in order.
    var failures: [(seed: UInt64, violations: [String])] = []
    /// The number of times that each fault happened.
    var faults: [SimulatedFault: Int] = [:]

    /// The number of lives.
    var count = 0
    /// The longest times.
    var longest = SessionScenario.Longest()

    /// Plays the seeds; each processor stops after so many failures.
    static func play(_ seeds: ClosedRange<UInt64>, until limit: Int) async -> Lanes {
        let count = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        var all = await withTaskGroup(of: Lanes.self) { group in
            for lane in 0..<count {
                group.addTask { play(seeds, from: seeds.lowerBound + lane, by: Int(count), until: limit) }
            }
            var all = Lanes()
            for await lane in group { all.add(lane) }
            return all
        }
        all.failures.sort { $0.seed < $1.seed }
        return all
    }

    /// Every seed whose turn it is.
    private static func play(
        _ seeds: ClosedRange<UInt64>, from first: UInt64, by step: Int, until limit: Int
    ) -> Lanes {
        var lane = Lanes()
        for seed in stride(from: first, through: seeds.upperBound, by: step) where lane.failures.count < limit {
            let outcome = SessionScenario.outcome(seed: seed)
            lane.faults.merge(outcome.faults, uniquingKeysWith: +)
            lane.count += 1
            lane.longest.merge(outcome.longest)
            if !outcome.violations.isEmpty { lane.failures.append((seed, outcome.violations)) }
        }
        return lane
    }

    private mutating func add(_ other: Lanes) {
        failures += other.failures
        faults.merge(other.faults, uniquingKeysWith: +)
        count += other.count
        longest.merge(other.longest)
    }
}
