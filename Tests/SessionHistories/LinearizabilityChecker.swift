// SPDX-License-Identifier: Apache-2.0

/// A search for an order of the operations of one family in which each has the answer that the specification gives.
///
/// Each takes effect at one moment between its invocation and its answer (Herlihy and Wing 1990). The search is that of Wing
/// and Gong (1993); what is reached twice, by the same operations and in the same state, is searched once (Lowe 2017).
package struct LinearizabilityChecker: Sendable {
    /// The result of a search, with indices of operations.
    package enum Result: Sendable, Hashable {
        /// There is such an order.
        case linearizable
        /// There is none; the longest order of a part of them.
        case notLinearizable(longest: [Int])
        /// The search was given up at its limit.
        case undecided
    }

    let model: FamilyModel
    /// The time for which an access token may be accepted after its family is signed out.
    let staleness: Duration
    /// The greatest number of different configurations to visit.
    let limit: Int

    package init(_ model: FamilyModel = FamilyModel(), staleness: Duration = .zero, limit: Int = 1_000_000) {
        self.model = model
        self.staleness = staleness
        self.limit = limit
    }

    /// Searches an order of the operations of a family.
    package func check(_ operations: [FamilyOperation]) -> Result {
        var search = LinearizabilitySearch(operations, self)
        if search.completes(from: .absent) { return .linearizable }
        return search.isExhausted ? .undecided : .notLinearizable(longest: search.longest)
    }

    /// The time from which an operation may take effect: a read may see the state of some time ago.
    func earliest(of operation: FamilyOperation) -> Duration {
        operation.isRead && operation.outcome == .accepted ? operation.start - staleness : operation.start
    }
}

/// A search in depth, with the way that it has come.
private struct LinearizabilitySearch {
    /// The operations that have taken effect, and what they have made.
    private struct Configuration: Hashable {
        let placed: [UInt64]
        let state: FamilyState
    }

    private let operations: [FamilyOperation]
    private let earliest: [Duration]
    private let checker: LinearizabilityChecker
    /// The indices that are not placed: those with an answer by its time, and those without.
    private var answered: [Int]
    private var unanswered: [Int]
    private var placed: [UInt64]
    private var order: [Int] = []
    private var seen: Set<Configuration> = []
    private(set) var longest: [Int] = []
    /// Whether the limit was reached.
    private(set) var isExhausted = false

    init(_ operations: [FamilyOperation], _ checker: LinearizabilityChecker) {
        self.operations = operations
        self.checker = checker
        earliest = operations.map { checker.earliest(of: $0) }
        let ends = operations.map { $0.end ?? .zero }
        answered = operations.indices.filter { operations[$0].outcome != .unknown }.sorted { ends[$0] < ends[$1] }
        unanswered = operations.indices.filter { operations[$0].outcome == .unknown && !operations[$0].isRead }
        placed = Array(repeating: 0, count: operations.count / 64 + 1)
    }

    /// Returns whether all that was answered can be placed from here on.
    mutating func completes(from state: FamilyState) -> Bool {
        guard let first = answered.first else { return true }
        if order.count > longest.count { longest = order }
        guard seen.count < checker.limit else {
            isExhausted = true
            return false
        }
        guard seen.insert(Configuration(placed: placed, state: state)).inserted else { return false }
        // Nothing takes effect after an answer that came before its invocation.
        let deadline = operations[first].end ?? .zero
        let candidates = answered.filter { earliest[$0] <= deadline }
        for index in candidates where isSettled(index, in: state) {
            // An answer that is right here, and that nothing would need elsewhere, is placed without an alternative.
            return completes(placing: index, from: state)
        }
        for index in candidates {
            for next in checker.model.states(after: operations[index], from: state)
            where completes(placing: index, from: next) { return true }
        }
        for index in unanswered where earliest[index] <= deadline {
            for next in checker.model.states(after: operations[index], from: state)
            where next != state && completes(placing: index, from: next) { return true }
        }
        return false
    }

    /// Returns whether an operation fits here, and has no effect here or in any later state.
    private func isSettled(_ index: Int, in state: FamilyState) -> Bool {
        let operation = operations[index]
        guard checker.model.states(after: operation, from: state) == [state] else { return false }
        if case .issued = operation.outcome { return true }
        return operation.isRead || state == .revoked
    }

    private mutating func completes(placing index: Int, from state: FamilyState) -> Bool {
        let (before, beforeUnanswered) = (answered, unanswered)
        if operations[index].outcome == .unknown {
            unanswered.removeAll { $0 == index }
        } else {
            answered.removeAll { $0 == index }
        }
        placed[index / 64] |= 1 << (index % 64)
        order.append(index)
        if completes(from: state) { return true }
        order.removeLast()
        placed[index / 64] &= ~(1 << (index % 64))
        (answered, unanswered) = (before, beforeUnanswered)
        return false
    }
}
