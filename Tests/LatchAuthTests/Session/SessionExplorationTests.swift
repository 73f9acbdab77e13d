// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import SessionSimulation
import Testing

@Suite struct SessionExplorationTests {
    @Test(arguments: SessionExploration.scenarios)
    func `A session in every order of events keeps every rule`(scenario: SessionExploration.Scenario) {
        let report = StateExplorer.explore(scenario.world, depth: scenario.depth, limit: 1_000_000)
        expectNil(
            report.violation,
            "\(report.violation ?? ""), after: \(report.counterexample.joined(separator: "; "))")
        #expect(report.isComplete)
    }

    @Test(arguments: SessionExploration.defects)
    func `Every defect of a session is shown by a shortest order of events`(defect: SessionExploration.Defect) {
        let report = StateExplorer.explore(defect.world, depth: 40, limit: 100_000)
        #expect(report.violation != nil, "\(report.states) states, depth \(report.depth)")
    }
}
