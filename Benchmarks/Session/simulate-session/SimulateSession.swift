// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchTesting

/// Plays many seeded lives of a session, on all processors, and prints the seeds that broke a rule; of a single one it
/// prints all that happens.
///
///     simulate-session 1 100000
@main struct SimulateSession {
    static func main() async {
        let numbers = CommandLine.arguments.dropFirst().compactMap(UInt64.init)
        guard numbers.count == 2, numbers[0] <= numbers[1] else {
            FileHandle.standardError.write(Data("usage: simulate-session FIRST LAST\n".utf8))
            exit(2)
        }
        let seeds = numbers[0]...numbers[1]
        if seeds.count == 1 { for line in SessionScenario.trace(seed: numbers[0]) { print(line) } }
        let lanes = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        let failures = await withTaskGroup(of: Int.self) { group in
            for lane in 0..<lanes { group.addTask { play(seeds, lane: lane, of: lanes) } }
            var sum = 0
            for await count in group { sum += count }
            return sum
        }
        print("\(seeds.count) seeds, \(failures) broke a rule")
        exit(failures == 0 ? 0 : 1)
    }

    /// Every seed whose turn it is; a lane that has seen ten failures has seen enough.
    private nonisolated static func play(_ seeds: ClosedRange<UInt64>, lane: UInt64, of lanes: UInt64) -> Int {
        var failures = 0
        for seed in stride(from: seeds.lowerBound + lane, through: seeds.upperBound, by: Int(lanes)) {
            let violations = SessionScenario.play(seed: seed)
            guard !violations.isEmpty else { continue }
            print("seed \(seed): \(violations.joined(separator: "; "))")
            failures += 1
            if failures == 10 { break }
        }
        return failures
    }
}
