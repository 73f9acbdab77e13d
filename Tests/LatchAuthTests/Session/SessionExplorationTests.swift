// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import SessionSimulation
import Testing

@Suite struct SessionExplorationTests {
    @Test(arguments: SessionExploration.scenarios)
    func `A session in every order of the first events keeps every rule`(scenario: SessionExploration.Scenario) {
        // The nearest states; the nightly run explores ten million of each scenario.
        let report = StateExplorer.explore(scenario.world, depth: 200, limit: 6_000)
        expectNil(
            report.violation,
            "\(report.violation ?? ""), after: \(report.counterexample.joined(separator: "; "))")
        #expect(report.states == 6_000 || report.isComplete)
    }

    @Test(arguments: SessionExploration.defects)
    func `Every defect of a session is shown by a shortest order of events`(defect: SessionExploration.Defect) {
        let report = StateExplorer.explore(defect.world, depth: 40, limit: 100_000)
        #expect(report.violation != nil, "\(report.states) states, depth \(report.depth)")
    }
}
