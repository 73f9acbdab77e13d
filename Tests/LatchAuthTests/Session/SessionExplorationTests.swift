// SPDX-License-Identifier: Apache-2.0

import LatchTesting
import SessionSimulation
import Testing

@Suite struct `A session in every order of events` {
    @Test(arguments: SessionExploration.scenarios)
    func `keeps every rule`(scenario: SessionExploration.Scenario) {
        let report = StateExplorer.explore(scenario.world, depth: scenario.depth, limit: 1_000_000)
        #expect(
            report.violation == nil,
            "\(report.violation ?? ""), after: \(report.counterexample.joined(separator: "; "))")
        #expect(report.isComplete)
    }

    @Test(arguments: SessionExploration.defects)
    func `shows each defect by a shortest way to it`(defect: SessionExploration.Defect) {
        let report = StateExplorer.explore(defect.world, depth: 40, limit: 100_000)
        #expect(report.violation != nil, "\(report.states) states, depth \(report.depth)")
    }
}
