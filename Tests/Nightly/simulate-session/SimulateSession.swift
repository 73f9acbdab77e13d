// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import SessionSimulation

/// Plays many seeded lives of a session, on all processors, and prints the seeds that broke a rule and how often each
/// fault happened; of a single one it prints all that happens.
///
///     simulate-session 1 100000
@main struct SimulateSession {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.compactMap { UInt64($0) }
        guard numbers.count == 2, arguments.count == 2, numbers[0] <= numbers[1] else {
            FileHandle.standardError.write(Data("usage: simulate-session FIRST LAST\n".utf8))
            exit(2)
        }
        exit(await play(numbers[0]...numbers[1]))
    }

    /// Every rule holds in every run.
    private static func play(_ seeds: ClosedRange<UInt64>) async -> Int32 {
        if seeds.count == 1 { for line in SessionScenario.trace(seed: seeds.lowerBound) { print(line) } }
        // A lane that has seen ten failures has seen enough.
        let result = await Lanes.play(seeds, until: 10)
        for (seed, violations) in result.failures { print("seed \(seed): \(violations.joined(separator: "; "))") }
        if seeds.count > 1 {
            for fault in SimulatedFault.all { print("\(result.faults[fault, default: 0])\t\(fault)") }
        }
        print("\(seeds.count) seeds, \(result.failures.count) broke a rule")
        return result.failures.isEmpty ? 0 : 1
    }
}
