// SPDX-License-Identifier: Apache-2.0

/// The operations of a family whose answers contradict each other, as few as possible.
///
/// Answers are forgotten, one after the other, as long as the rest still has no order: what could have been answered in any
/// way, or not at all, explains nothing.
package struct Explanation: Sendable {
    /// The operations whose answers matter, by the time of their invocation.
    package let operations: [FamilyOperation]
    /// The number of all operations of the family.
    package let count: Int
    /// The places of `operations` in the longest order that they have, from 1 on; nil for those that do not fit.
    let places: [Int?]

    /// Explains why operations have no order; nil if they have one, or the search was given up.
    package init?(_ all: [FamilyOperation], by checker: LinearizabilityChecker) {
        let fails = { (operations: [FamilyOperation]) -> Bool in
            if case .notLinearizable = checker.check(operations) { true } else { false }
        }
        guard fails(all) else { return nil }
        var known = Self.shortest(all, where: fails)
        for index in known.indices where known[index].outcome != .unknown {
            var fewer = known
            fewer[index] = known[index].withoutAnswer()
            if fails(fewer) { known = fewer }
        }
        guard case .notLinearizable(let longest) = checker.check(known) else { return nil }
        let order = longest.filter { known[$0].outcome != .unknown }
        let shown = known.indices.filter { known[$0].outcome != .unknown }.sorted { known[$0].start < known[$1].start }
        operations = shown.map { known[$0] }
        places = shown.map { index in order.firstIndex(of: index).map { $0 + 1 } }
        count = all.count
    }

    /// Returns what was known at the earliest time at which the answers contradicted each other.
    private static func shortest(_ all: [FamilyOperation], where fails: ([FamilyOperation]) -> Bool)
        -> [FamilyOperation]
    {
        let times = all.compactMap(\.end).sorted()
        var (low, high) = (0, times.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if fails(known(at: times[middle], of: all)) { high = middle } else { low = middle + 1 }
        }
        return times.isEmpty ? all : known(at: times[low], of: all)
    }

    /// Returns the operations that had begun at a time, with the answers that had come.
    private static func known(at time: Duration, of all: [FamilyOperation]) -> [FamilyOperation] {
        all.filter { $0.start <= time }.map { operation in
            operation.end.map { $0 <= time } == true ? operation : operation.withoutAnswer()
        }
    }
}

extension Explanation: CustomStringConvertible {
    package var description: String {
        let head =
            "these answers have no order (\(operations.count) of \(count) operations; the others explain nothing):"
        return ([head] + operations.table(places: places)).joined(separator: "\n")
    }
}

extension [FamilyOperation] {
    /// The lines of a table of the operations, by the time of their invocation.
    package var table: [String] { sorted { $0.start < $1.start }.table(places: nil) }

    /// Returns the lines of a table, with the place of each operation in an order if there is one.
    fileprivate func table(places: [Int?]?) -> [String] {
        let head = [places == nil ? "" : "order", "from ms", "to ms", "client", "node", "operation", "answer"]
        var rows = [head]
        for (index, operation) in enumerated() {
            let place = places.map { $0[index].map { "\($0)" } ?? "none" } ?? ""
            rows.append([
                place, operation.start.inMilliseconds, operation.end?.inMilliseconds ?? "…", "\(operation.client)",
                "\(operation.node)", "\(operation.action)", "\(operation.outcome)",
            ])
        }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells: [String] = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return cells.joined(separator: "  ").trimmingSuffix(" ")
        }
    }
}

extension FamilyOperation.Action: CustomStringConvertible {
    package var description: String {
        switch self {
        case .signIn: "sign in"
        case .refresh(let token, let key): "refresh \(token)" + (key.map { ", key \($0)" } ?? "")
        case .read: "read"
        case .signOut: "sign out"
        case .signOutEverywhere: "sign out everywhere"
        case .changePassword: "change password"
        }
    }
}

extension FamilyOperation.Outcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .accepted: "accepted"
        case .issued(let token): "\(token)"
        case .refused: "refused"
        case .unknown: "none"
        }
    }
}

extension Duration {
    /// The milliseconds with one place.
    fileprivate var inMilliseconds: String {
        let tenths = Int((self / .microseconds(100)).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}

extension String {
    /// Returns the text without the spaces at its end.
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}
