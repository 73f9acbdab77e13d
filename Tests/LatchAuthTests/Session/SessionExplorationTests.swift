// SPDX-License-Identifier: Apache-2.0

import LatchTesting
import SessionSimulation
import Testing

@Suite struct `A session in every order of events` {
    @Test(arguments: SessionExploration.scenarios)
    func `keeps every rule`(scenario: SessionExploration.Scenario) {
        let report = StateExplorer.explore(scenario.world, depth: scenario.depth, limit: 60_000)
        print("explored", scenario.name, report.states, report.steps, report.depth, report.isComplete)
        #expect(
            report.violation == nil,
            "\(report.violation ?? ""), after: \(report.counterexample.joined(separator: "; "))")
    }
}
