// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchTesting
import SessionSimulation

/// Plays many seeded lives of a session, on all processors, and prints the seeds that broke a rule and how often each
/// fault happened; of a single one it prints all that happens.
///
///     simulate-session 1 100000
///
/// With `defects` it looks for a life that notices each defect that is put into a session, or the one of a name.
///
/// With `explore` it enumerates every order of events instead, with all scenarios or those whose name contains a text.
///
///     simulate-session explore 5000000 "two processes"
@main struct SimulateSession {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "explore" { exit(explore(Array(arguments.dropFirst()))) }
        if arguments.first == "defects" { exit(showDefects(arguments.dropFirst().first)) }
        let numbers = arguments.compactMap { UInt64($0) }
        guard numbers.count == 2, arguments.count == 2, numbers[0] <= numbers[1] else {
            FileHandle.standardError.write(Data("usage: simulate-session FIRST LAST\n".utf8))
            exit(2)
        }
        exit(await play(numbers[0]...numbers[1]))
    }

    /// Every rule holds in every state.
    private static func explore(_ arguments: [String]) -> Int32 {
        let limit = arguments.first.flatMap { Int($0) } ?? 3_000_000
        var result: Int32 = 0
        for scenario in SessionExploration.scenarios
        where arguments.count < 2 || scenario.name.contains(arguments[1]) {
            let report = StateExplorer.explore(scenario.world, depth: 200, limit: limit)
            let end = report.isComplete ? "all of them" : "stopped there"
            print("\(scenario.name): \(report.states) states, \(report.steps) steps, depth \(report.depth), \(end)")
            guard let violation = report.violation else { continue }
            result = 1
            print("  violated: \(violation)")
            for (number, step) in report.counterexample.enumerated() { print("  \(number + 1). \(step)") }
        }
        guard arguments.count < 2 else { return result }
        for defect in SessionExploration.defects {
            let report = StateExplorer.explore(defect.world, depth: 60, limit: limit)
            guard report.violation == nil else {
                print("\(defect): \(report.violation ?? "") after \(report.counterexample.count) steps")
                continue
            }
            result = 1
            print("not noticed in \(report.states) states: \(defect)")
        }
        return result
    }

    /// Every defect is noticed in some life.
    private static func showDefects(_ name: String?) -> Int32 {
        var result: Int32 = 0
        for defect in SimulatedDefect.allCases where name == nil || name == "\(defect)" {
            let lives: ClosedRange<UInt64> = 1...20_000
            let rule = defect.evidence.rule
            let seed = lives.first { seed in
                SessionScenario.outcome(seed: seed, with: defect).violations.contains { $0.contains(rule) }
            }
            print("\(defect): \(seed.map { "noticed with seed \($0)" } ?? "not noticed")")
            if seed == nil { result = 1 }
        }
        return result
    }

    /// Every rule holds in every run, and every fault happens.
    private static func play(_ seeds: ClosedRange<UInt64>) async -> Int32 {
        if seeds.count == 1 { for line in SessionScenario.trace(seed: seeds.lowerBound) { print(line) } }
        // A lane that has seen ten failures has seen enough.
        let start = ContinuousClock.now
        let result = await Lanes.play(seeds, until: 10)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        for (seed, violations) in result.failures { print("seed \(seed): \(violations.joined(separator: "; "))") }
        if seeds.count > 1 {
            for fault in SimulatedFault.all { print("\(result.faults[fault, default: 0])\t\(fault)") }
        }
        let longest = result.longest
        print(
            "longest wait of a caller \(longest.wait) s, hold of the refresh lock \(longest.refreshHold) s, "
                + "of the record's \(longest.storeHold) s")
        let rate = Int(Double(result.count) / max(seconds, 0.001))
        print("\(result.count) seeds, \(result.failures.count) broke a rule, \(rate) lives/s")
        // Of a few seeds none can be expected to have all.
        let bound = seeds.count < 2_000 ? 0 : seeds.count / 500
        let rare = SimulatedFault.all.filter { result.faults[$0, default: 0] < bound }
        for fault in rare { print("hardly ever happens, and so is tested by nothing: \(fault)") }
        return result.failures.isEmpty && rare.isEmpty ? 0 : 1
    }
}
