// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchTesting

/// The explorations of the session's machine, and the defects that they are to find.
package enum SessionExploration {
    /// A world, and how far it is explored.
    package struct Scenario: Sendable, CustomStringConvertible {
        package let name: String
        package let world: ExploredWorld
        /// The greatest number of steps in a test run, and at night.
        package let depth: Int, nightlyDepth: Int

        package var description: String { name }
    }

    /// The explored worlds.
    package static let scenarios: [Scenario] = [
        scenario("two processes refresh", 2, 9, 60) { ($0.uses, $0.refusals, $0.ticks) = (2, 2, 2) },
        scenario("two processes, one failure", 2, 7, 60) { ($0.faults, $0.ticks) = (1, 1) },
        scenario("two processes, one killed", 2, 7, 60) { ($0.kills, $0.ticks) = (1, 1) },
        scenario("two processes, one killed, one failure", 2, 7, 60) { ($0.kills, $0.faults) = (1, 1) },
        scenario("one process, two failures", 1, 12, 60) { ($0.uses, $0.refusals, $0.faults, $0.ticks) = (3, 2, 2, 3) },
        scenario("one process, one failure, time passes", 1, 12, 60) { ($0.faults, $0.ticks) = (1, 5) },
        scenario("one process is suspended", 1, 12, 60) { ($0.suspensions, $0.faults, $0.ticks) = (1, 1, 1) },
        scenario("two processes, one is suspended", 2, 7, 60) { $0.suspensions = 1 },
        scenario("the user signs out", 2, 7, 60) { ($0.signOuts, $0.ticks) = (1, 1) },
        scenario("another user signs in", 2, 7, 60) { $0.signIns = 1 },
        scenario("the user signs out and in, one failure", 1, 9, 60) {
            ($0.signOuts, $0.signIns, $0.faults) = (1, 1, 1)
        },
        scenario("no replay window, one failure", 1, 12, 60, repeats: false) { ($0.faults, $0.ticks) = (2, 2) },
        scenario("no replay window, two processes", 2, 8, 60, repeats: false) { $0.ticks = 2 },
        scenario("three processes refresh", 3, 6, 60) { $0.uses = 1 },
    ]

    /// A defect, and the scenario in which it breaks a rule.
    package struct Defect: Sendable, CustomStringConvertible {
        package let mutation: ExploredWorld.Mutation
        package let world: ExploredWorld

        package var description: String { mutation.name }
    }

    static func defect(
        _ mutation: ExploredWorld.Mutation, processes: Int = 2, repeats: Bool = true,
        _ change: (inout ExploredWorld.Budget) -> Void = { _ in }
    ) -> Defect {
        Defect(
            mutation: mutation,
            world: ExploredWorld(
                processes: processes, repeats: repeats, budget: ExploredWorld.Budget(change), mutation: mutation))
    }

    private static func scenario(
        _ name: String, _ processes: Int, _ depth: Int, _ nightlyDepth: Int, repeats: Bool = true,
        _ change: (inout ExploredWorld.Budget) -> Void
    ) -> Scenario {
        Scenario(
            name: name,
            world: ExploredWorld(processes: processes, repeats: repeats, budget: ExploredWorld.Budget(change)),
            depth: depth, nightlyDepth: nightlyDepth)
    }
}
