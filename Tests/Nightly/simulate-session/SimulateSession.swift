// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import SessionSimulation

/// Plays many seeded lives of a session, on all processors, and prints the seeds that broke a rule and how often each
/// fault happened; of a single one it prints all that happens.
///
/// With `broken` it plays them once for each rule of a session, left out, and prints who saw that.
///
///     simulate-session 1 100000
///     simulate-session broken 1 2000
@main struct SimulateSession {
    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        let isBroken = arguments.first == "broken"
        if isBroken { arguments.removeFirst() }
        let numbers = arguments.compactMap { UInt64($0) }
        guard numbers.count == 2, arguments.count == 2, numbers[0] <= numbers[1] else {
            FileHandle.standardError.write(Data("usage: simulate-session [broken] FIRST LAST\n".utf8))
            exit(2)
        }
        let seeds = numbers[0]...numbers[1]
        exit(await isBroken ? showBreaches(seeds) : play(seeds))
    }

    /// Every rule holds in every run.
    private static func play(_ seeds: ClosedRange<UInt64>) async -> Int32 {
        if seeds.count == 1 { for line in SessionScenario.trace(seed: seeds.lowerBound) { print(line) } }
        // A lane that has seen ten failures has seen enough.
        let result = await Lanes.play(seeds, breaking: nil, until: 10)
        for (seed, violations) in result.failures { print("seed \(seed): \(violations.joined(separator: "; "))") }
        if seeds.count > 1 {
            for fault in SimulatedFault.all { print("\(result.faults[fault, default: 0])\t\(fault)") }
        }
        print("\(seeds.count) seeds, \(result.failures.count) broke a rule")
        return result.failures.isEmpty ? 0 : 1
    }

    /// Every rule that is left out is missed.
    private static func showBreaches(_ seeds: ClosedRange<UInt64>) async -> Int32 {
        var unseen = 0
        for rule in SessionRule.allCases {
            let failures = await Lanes.play(seeds, breaking: rule, until: .max).failures
            let first = failures.first.map { "first by seed \($0.seed): \($0.violations[0])" } ?? "UNSEEN"
            print("\(rule): seen by \(failures.count) of \(seeds.count) seeds, \(first)")
            if failures.isEmpty { unseen += 1 }
        }
        return unseen == 0 ? 0 : 1
    }
}
