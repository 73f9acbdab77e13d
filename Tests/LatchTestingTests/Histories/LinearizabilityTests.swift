// SPDX-License-Identifier: Apache-2.0

import Expectations
import SessionHistories
import Testing

@Suite struct LinearizabilityTests {
    private let checker = LinearizabilityChecker()

    private func token(_ generation: Int, text: Int = 0) -> IssuedToken {
        IssuedToken(generation: generation, text: text)
    }

    /// An operation between two milliseconds; nil for an answer that never came.
    private func operation(
        _ action: FamilyOperation.Action, _ outcome: FamilyOperation.Outcome, _ start: Int, _ end: Int? = nil
    ) -> FamilyOperation {
        FamilyOperation(action, outcome, from: .milliseconds(start), to: end.map { .milliseconds($0) })
    }

    private func refresh(
        _ generation: Int, _ outcome: FamilyOperation.Outcome, _ start: Int, _ end: Int? = nil, key: String? = nil
    ) -> FamilyOperation {
        operation(.refresh(token(generation), key: key), outcome, start, end)
    }

    private var signIn: FamilyOperation { operation(.signIn, .issued(token(0)), 0, 1) }

    private func isLinearizable(_ operations: FamilyOperation..., by checker: LinearizabilityChecker? = nil) -> Bool {
        (checker ?? self.checker).check([signIn] + operations) == .linearizable
    }

    @Test func `A history of a family can give concurrent refreshes the same successor`() {
        #expect(isLinearizable(refresh(0, .issued(token(1)), 2, 9), refresh(0, .issued(token(1)), 3, 8)))
    }

    @Test func `A history of a family must not give concurrent refreshes two successors`() throws {
        let both = [signIn, refresh(0, .issued(token(1)), 2, 9), refresh(0, .issued(token(1, text: 1)), 3, 10)]
        let explanation = try #require(Explanation(both, by: checker))
        expectEqual(
            explanation.description,
            """
            these answers have no order (2 of 3 operations; the others explain nothing):
            order  from ms  to ms  client  node  operation   answer
            1      2.0      9.0    0       0     refresh t0  t1
            none   3.0      10.0   0       0     refresh t0  t1'
            """)
    }

    @Test func `A history of a family can have a sign-out take effect between its invocation and its answer`() {
        #expect(isLinearizable(operation(.signOut, .accepted, 2, 9), operation(.read, .refused, 3, 4)))
        #expect(isLinearizable(operation(.signOut, .accepted, 2, 9), operation(.read, .accepted, 3, 4)))
        #expect(!isLinearizable(operation(.read, .refused, 2, 3), operation(.signOut, .accepted, 4, 9)))
    }

    @Test func `A history of a family must not accept a token after a sign-out by more than the bound`() {
        let late = operation(.read, .accepted, 9, 10)
        let bounded = { LinearizabilityChecker(staleness: .milliseconds($0)) }
        for action in [FamilyOperation.Action.signOut, .signOutEverywhere, .changePassword] {
            let end = operation(action, .accepted, 2, 4)
            #expect(!isLinearizable(end, late))
            #expect(!isLinearizable(end, late, by: bounded(4)))
            #expect(isLinearizable(end, late, by: bounded(5)))
        }
        #expect(
            !isLinearizable(operation(.signOut, .accepted, 2, 4), refresh(0, .issued(token(1)), 9, 10), by: bounded(5)))
    }

    @Test func `A history of a family must keep a rotation that was answered`() {
        #expect(!isLinearizable(refresh(0, .issued(token(1)), 2, 3), refresh(1, .refused, 4, 5)))
        #expect(!isLinearizable(refresh(0, .issued(token(1)), 2, 3), operation(.read, .refused, 4, 5)))
        #expect(!isLinearizable(refresh(0, .issued(token(1)), 2, 3), refresh(0, .issued(token(2)), 4, 5)))
    }

    @Test func `A history of a family can have an effect of an unanswered call, at any later time or never`() {
        let lost = refresh(0, .unknown, 2)
        #expect(isLinearizable(lost, refresh(0, .issued(token(1)), 4, 5), refresh(1, .issued(token(2)), 6, 7)))
        #expect(isLinearizable(operation(.signOut, .unknown, 2), operation(.read, .accepted, 8, 9)))
        #expect(
            isLinearizable(
                operation(.signOut, .unknown, 2), operation(.read, .accepted, 4, 5), operation(.read, .refused, 6, 7)))
        // A sign-out is not undone.
        #expect(
            !isLinearizable(
                operation(.signOut, .unknown, 2), operation(.read, .refused, 4, 5), operation(.read, .accepted, 6, 7)))
        // Nothing explains a refusal before the invocation.
        #expect(!isLinearizable(operation(.read, .refused, 2, 3), operation(.signOut, .unknown, 4)))
    }

    @Test func `A history of a family ends with the use of a token that was replaced twice`() {
        let rotations = [refresh(0, .issued(token(1)), 2, 3), refresh(1, .issued(token(2)), 4, 5)]
        let reuse = refresh(0, .refused, 6, 7)
        let check = { (last: FamilyOperation) in checker.check([signIn] + rotations + [reuse, last]) == .linearizable }
        #expect(check(operation(.read, .refused, 8, 9)))
        #expect(!check(operation(.read, .accepted, 8, 9)))
        #expect(!check(refresh(2, .issued(token(3)), 8, 9)))
        #expect(isLinearizable(rotations[0], rotations[1], refresh(0, .unknown, 6), operation(.read, .refused, 8, 9)))
    }

    @Test func `A history of a family repeats a successor within the window, and with the key within the longer one`() {
        let checker = LinearizabilityChecker(
            FamilyModel(replayWindow: .milliseconds(10), keyedReplayWindow: .milliseconds(100)))
        func check(_ key: String?, _ outcome: FamilyOperation.Outcome, _ start: Int, _ end: Int) -> Bool {
            isLinearizable(
                refresh(0, .issued(token(1)), 2, 4, key: "a"), refresh(0, outcome, start, end, key: key), by: checker)
        }
        for key in [nil, "a", "b"] { #expect(check(key, .issued(token(1)), 5, 6)) }
        #expect(!check(nil, .refused, 5, 6))
        // The age may be 9 milliseconds or 12.
        #expect(check(nil, .refused, 13, 14) && check(nil, .issued(token(1)), 13, 14))
        #expect(check("b", .refused, 20, 21) && !check("b", .issued(token(1)), 20, 21))
        #expect(!check("a", .refused, 20, 21) && check("a", .issued(token(1)), 20, 21))
        #expect(!check("a", .issued(token(1)), 200, 201))
    }

    @Test func `A history of a family is linearizable whenever the family has no defect`() {
        for seed in 1...400 as ClosedRange<UInt64> {
            let history = SimulatedFamily.history(seed: seed)
            expectEqual(
                checker.check(history), .linearizable, "seed \(seed):\n\(history.table.joined(separator: "\n"))")
        }
    }

    @Test func `A history of a family is linearizable within the bound of a read, and not without one`() {
        let bounded = LinearizabilityChecker(staleness: .milliseconds(5))
        let histories = (1...400 as ClosedRange<UInt64>).map { SimulatedFamily.history(seed: $0, staleness: 5) }
        for (seed, history) in histories.enumerated() {
            let result = bounded.check(history)
            expectEqual(result, .linearizable, "seed \(seed + 1):\n\(history.table.joined(separator: "\n"))")
        }
        #expect(histories.contains { checker.check($0) != .linearizable })
    }

    @Test(arguments: SimulatedFamily.Defect.allCases)
    func `A history of a family is found to have a defect, and explained by few of its operations`(
        _ defect: SimulatedFamily.Defect
    ) throws {
        let bounded = LinearizabilityChecker(staleness: .milliseconds(5))
        let found = (1...100 as ClosedRange<UInt64>).compactMap { seed in
            Explanation(SimulatedFamily.history(seed: seed, defect: defect, staleness: 5), by: bounded)
        }
        #expect(found.count >= 5, "found in \(found.count) of 100")
        let shortest = try #require(found.min { $0.operations.count < $1.operations.count })
        #expect(shortest.operations.count <= 4, "\(shortest)")
    }

    @Test func `A history of a family is not judged beyond the limit of the search`() {
        let history = SimulatedFamily.history(seed: 1)
        expectEqual(LinearizabilityChecker(limit: 1).check(history), .undecided)
        expectNil(Explanation(history, by: LinearizabilityChecker(limit: 1)))
    }
}
