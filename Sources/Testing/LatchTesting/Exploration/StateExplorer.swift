// SPDX-License-Identifier: Apache-2.0

/// A model whose states an explorer enumerates.
package protocol ExploredModel: Hashable, Sendable {
    /// A step to another state, with all data that determines the result.
    associatedtype Step: Sendable, CustomStringConvertible

    /// The possible next steps, in an order that depends only on the state.
    var steps: [Step] { get }

    /// Returns the state after a step.
    func after(_ step: Step) -> Self

    /// The description of a violated rule; nil in a correct state.
    var violation: String? { get }
}

/// An enumeration of all states that a model reaches within a number of steps, the nearest ones first.
///
/// The search is breadth first, so a counterexample is as short as possible. States are distinguished by 64 bits of
/// their hash. Among ten million states, two are confused with a probability of three in a million.
package struct StateExplorer<Model: ExploredModel> {
    /// The result of an exploration.
    package struct Report: Sendable {
        /// The number of different states.
        package var states = 0
        /// The number of steps that were tried.
        package var steps = 0
        /// The maximum number of steps from the first state.
        package var depth = 0
        /// Whether the exploration contains all states within the depth.
        package var isComplete = true
        /// The violated rule, if there is one.
        package var violation: String?
        /// The shortest path to the violation.
        package var counterexample: [String] = []
    }

    /// The path to a state: the previous state, and the number of the step from there.
    private struct Node {
        var parent: Int32
        var step: UInt16
    }

    private let first: Model
    private var nodes: [Node] = [Node(parent: -1, step: 0)]
    private var seen: Set<UInt64>

    private init(_ first: Model) {
        self.first = first
        seen = [Self.fingerprint(first)]
    }

    /// Explores the states that are at most `depth` steps away from `first`.
    ///
    /// - Parameters:
    ///   - depth: The maximum number of steps.
    ///   - limit: The maximum number of states; the report says whether it was reached.
    package static func explore(_ first: Model, depth: Int, limit: Int = .max) -> Report {
        var explorer = StateExplorer(first)
        return explorer.run(depth: depth, limit: limit)
    }

    private mutating func run(depth: Int, limit: Int) -> Report {
        var report = Report(states: 1)
        report.violation = first.violation
        var frontier: [(model: Model, node: Int)] = [(first, 0)]
        while !frontier.isEmpty, report.depth < depth, report.violation == nil {
            report.depth += 1
            var next: [(model: Model, node: Int)] = []
            for (model, node) in frontier {
                for (number, step) in model.steps.enumerated() {
                    report.steps += 1
                    let state = model.after(step)
                    guard seen.insert(Self.fingerprint(state)).inserted else { continue }
                    nodes.append(Node(parent: Int32(node), step: UInt16(number)))
                    report.states += 1
                    if let violation = state.violation {
                        report.violation = violation
                        report.counterexample = way(to: nodes.count - 1)
                        return report
                    }
                    guard report.states < limit else {
                        report.isComplete = false
                        return report
                    }
                    next.append((state, nodes.count - 1))
                }
            }
            frontier = next
        }
        report.isComplete = frontier.isEmpty || report.depth == depth
        return report
    }

    private static func fingerprint(_ model: Model) -> UInt64 {
        var hasher = Hasher()
        model.hash(into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Replays the steps from the first state.
    private func way(to node: Int) -> [String] {
        var numbers: [UInt16] = []
        var node = node
        while nodes[node].parent >= 0 {
            numbers.append(nodes[node].step)
            node = Int(nodes[node].parent)
        }
        var model = first
        return numbers.reversed().map { number in
            let step = model.steps[Int(number)]
            model = model.after(step)
            return step.description
        }
    }
}
