// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchTesting

/// The explorations of the session's machine, and the defects that they are to find.
package enum SessionExploration {
    /// A world that is explored.
    package struct Scenario: Sendable, CustomStringConvertible {
        package let name: String
        package let world: ExploredWorld

        package var description: String { name }
    }

    /// The explored worlds.
    package static let scenarios: [Scenario] = [
        scenario("two processes refresh") { ($0.uses, $0.refusals, $0.ticks) = (2, 2, 2) },
        scenario("two processes, one failure") { ($0.faults, $0.ticks) = (1, 1) },
        scenario("two processes, one killed") { ($0.kills, $0.ticks) = (1, 1) },
        scenario("two processes, one killed, one failure") { ($0.kills, $0.faults) = (1, 1) },
        scenario("one process, two failures", { $0.processes = 1 }) {
            ($0.uses, $0.refusals, $0.faults, $0.ticks) = (3, 2, 2, 3)
        },
        scenario("one process, one failure, time passes", { $0.processes = 1 }) { ($0.faults, $0.ticks) = (1, 5) },
        scenario("one process is suspended", { $0.processes = 1 }) {
            ($0.suspensions, $0.faults, $0.ticks) = (1, 1, 1)
        },
        scenario("two processes, one is suspended") { $0.suspensions = 1 },
        scenario("two processes, one is suspended, one failure") {
            ($0.suspensions, $0.faults, $0.rests) = (1, 1, 1)
        },
        scenario("the user signs out") { ($0.signOuts, $0.ticks) = (1, 1) },
        scenario("another user signs in") { $0.signIns = 1 },
        scenario("the user signs out and in, one failure", { $0.processes = 1 }) {
            ($0.signOuts, $0.signIns, $0.faults) = (1, 1, 1)
        },
        scenario("the user signs out and in, two processes") {
            ($0.signOuts, $0.signIns, $0.uses) = (1, 1, 1)
        },
        scenario("no replay window, one failure", { ($0.processes, $0.issuer) = (1, .strict(replays: 0)) }) {
            ($0.faults, $0.ticks) = (2, 2)
        },
        scenario("no replay window, two processes", { $0.issuer = .strict(replays: 0) }) { $0.ticks = 2 },
        scenario("a short replay window, one failure", { $0.issuer = .strict(replays: 1) }) {
            ($0.uses, $0.faults, $0.ticks) = (1, 1, 2)
        },
        scenario("three processes refresh", { $0.processes = 3 }) { $0.uses = 1 },
        scenario("three processes, two refusals", { $0.processes = 3 }) { ($0.uses, $0.refusals) = (1, 2) },
        scenario("three processes, one failure", { $0.processes = 3 }) { ($0.uses, $0.faults) = (1, 1) },
        scenario("three processes, one killed", { $0.processes = 3 }) { ($0.uses, $0.kills) = (1, 1) },
        scenario("three processes, two requests each", { $0.processes = 3 }) { $0.refusals = 2 },
        scenario("three processes, two requests each, time passes", { $0.processes = 3 }) { $0.ticks = 1 },
        scenario("three processes, two refusals, one failure", { $0.processes = 3 }) {
            ($0.uses, $0.refusals, $0.faults) = (1, 2, 1)
        },
        scenario("three processes, two refusals, one killed", { $0.processes = 3 }) {
            ($0.uses, $0.refusals, $0.kills) = (1, 2, 1)
        },
        scenario("three processes, the user signs out", { $0.processes = 3 }) { ($0.uses, $0.signOuts) = (1, 1) },
        scenario("three processes, one is suspended", { $0.processes = 3 }) { ($0.uses, $0.suspensions) = (1, 1) },
        scenario(
            "three processes, a step-up without a refresh token",
            { ($0.processes, $0.stepUpsAreGrants) = (3, false) }
        ) {
            ($0.uses, $0.stepUps) = (1, 1)
        },
        scenario("a step-up") { ($0.stepUps, $0.ticks) = (1, 2) },
        scenario("a step-up without a refresh token", { $0.stepUpsAreGrants = false }) {
            ($0.stepUps, $0.ticks) = (1, 2)
        },
        scenario(
            "a step-up without a refresh token, a short replay window",
            { ($0.processes, $0.stepUpsAreGrants, $0.issuer) = (1, false, .strict(replays: 1)) }
        ) { ($0.stepUps, $0.ticks) = (1, 4) },
        scenario("a step-up, one failure", { $0.processes = 1 }) { ($0.stepUps, $0.faults, $0.ticks) = (1, 1, 2) },
        scenario(
            "a step-up without a refresh token, one failure",
            { ($0.processes, $0.stepUpsAreGrants) = (1, false) }
        ) { ($0.stepUps, $0.faults, $0.ticks) = (1, 1, 2) },
        scenario("a step-up while the user signs out", { $0.processes = 1 }) { ($0.stepUps, $0.signOuts) = (1, 1) },
        scenario("a resource of its own") { ($0.uses, $0.targets, $0.ticks) = (2, 2, 1) },
        scenario("a resource of its own, one failure", { $0.processes = 1 }) {
            ($0.uses, $0.targets, $0.faults, $0.ticks) = (3, 2, 1, 3)
        },
        scenario("a rotation by a response, one failure") { ($0.rotations, $0.faults) = (1, 1) },
        scenario("two rotations, two failures", { ($0.processes, $0.isShared) = (1, false) }) {
            ($0.rotations, $0.faults, $0.ticks) = (2, 2, 1)
        },
        scenario("a session that nobody shares", { ($0.processes, $0.isShared) = (1, false) }) {
            ($0.uses, $0.refusals, $0.faults, $0.ticks, $0.signOuts) = (2, 2, 2, 2, 1)
        },
        scenario(
            "a store of credentials only", { ($0.processes, $0.isShared, $0.keepsRecords) = (1, false, false) }
        ) {
            ($0.uses, $0.refusals, $0.faults, $0.ticks, $0.signIns) = (2, 2, 2, 2, 1)
        },
        scenario("the issuer ends the session") { ($0.revocations, $0.faults) = (1, 1) },
        scenario("callers leave") { ($0.leavers, $0.faults) = (2, 1) },
        scenario(
            "an issuer that detects reuse and repeats nothing, time passes",
            {
                ($0.processes, $0.issuer, $0.recoveries) = (1, .strict(replays: 0), 40)
            }
        ) { ($0.faults, $0.ticks, $0.refusals) = (1, 5, 2) },
        scenario(
            "an issuer that rotates and detects no reuse, two processes",
            {
                ($0.issuer, $0.recoveries) = (.rotating, 80)
            }
        ) { ($0.faults, $0.ticks) = (1, 2) },
        scenario(
            "an issuer that names no refresh token",
            { ($0.processes, $0.issuer, $0.recoveries) = (1, .lasting, 40) }
        ) {
            ($0.faults, $0.ticks, $0.refusals) = (2, 3, 2)
        },
        scenario(
            "an issuer that names no refresh token, a step-up",
            {
                ($0.processes, $0.issuer, $0.stepUpsAreGrants, $0.recoveries) = (1, .lasting, false, 40)
            }
        ) { ($0.faults, $0.ticks, $0.stepUps, $0.targets) = (1, 2, 1, 1) },
        scenario(
            "a resource that always fails",
            {
                ($0.processes, $0.issuer, $0.failing, $0.recoveries) = (1, .strict(replays: 0), [0], 40)
                $0.failures = [.refused, .userRequired, .rejected, .failed, .unanswered, .doubted]
            }
        ) { ($0.uses, $0.targets, $0.ticks) = (3, 2, 2) },
        scenario(
            "a resource that never answers, two processes",
            {
                ($0.issuer, $0.failing, $0.recoveries) = (.strict(replays: 0), [0], 40)
                $0.failures = [.unanswered]
            }
        ) { ($0.uses, $0.targets, $0.ticks) = (2, 2, 1) },
        scenario(
            "two resources that are refused, two processes",
            {
                ($0.issuer, $0.failing, $0.recoveries) = (.strict(replays: 1), [0, 1], 40)
                $0.failures = [.refused, .failed]
            }
        ) { ($0.uses, $0.targets, $0.ticks) = (2, 2, 1) },
        scenario("a process ends at rest", { ($0.issuer, $0.recoveries) = (.strict(replays: 0), 80) }) {
            ($0.rests, $0.refusals, $0.ticks, $0.faults) = (2, 1, 2, 1)
        },
        scenario("the user signs out while a request is in flight", { $0.issuer = .rotating }) {
            ($0.signOuts, $0.refusals, $0.ticks) = (1, 1, 1)
        },
        scenario("a gateway refuses twice", { ($0.processes, $0.recoveries) = (1, 40) }) {
            ($0.uses, $0.refusals, $0.faults, $0.ticks) = (3, 2, 2, 3)
        },
        scenario("the date moves") { ($0.jumps, $0.ticks) = (2, 1) },
    ]

    /// A defect, and the scenario in which it breaks a rule.
    package struct Defect: Sendable, CustomStringConvertible {
        package let mutation: ExploredWorld.Mutation
        package let world: ExploredWorld

        package var description: String { mutation.name }
    }

    static func defect(
        _ mutation: ExploredWorld.Mutation, _ set: (inout ExploredWorld.Setting) -> Void = { _ in },
        _ change: (inout ExploredWorld.Budget) -> Void
    ) -> Defect {
        let world = ExploredWorld(
            ExploredWorld.Setting(set), budget: ExploredWorld.Budget(change), mutation: mutation)
        return Defect(mutation: mutation, world: world)
    }

    private static func scenario(
        _ name: String, _ set: (inout ExploredWorld.Setting) -> Void = { _ in },
        _ change: (inout ExploredWorld.Budget) -> Void
    ) -> Scenario {
        Scenario(name: name, world: ExploredWorld(ExploredWorld.Setting(set), budget: ExploredWorld.Budget(change)))
    }
}
