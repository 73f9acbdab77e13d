// SPDX-License-Identifier: Apache-2.0

/// Suggestions for misspelled words.
package enum Suggestion {
    /// Returns the nearest candidate, if it is near enough.
    ///
    /// Near enough means a distance of at most a third of the word's letters, but at least one. A word of two or more
    /// letters is also near if a candidate begins with it. Among equally near candidates the first one wins, so that
    /// the result is stable.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let limit = max(1, word.count / 3)
        return
            candidates
            .map { (text: $0, distance: distance(from: word.lowercased(), to: $0.lowercased())) }
            .filter { $0.distance <= limit || ($0.text.hasPrefix(word) && word.count > 1) }
            .min { $0.distance < $1.distance }?.text
    }

    /// Returns a question that suggests the nearest candidate; empty if none is near.
    package static func sentence(for word: String, among candidates: [String], spelled: (String) -> String) -> String {
        nearest(to: word, among: candidates).map { "Did you mean \(spelled($0))? " } ?? ""
    }

    /// Returns the candidate with the given name.
    ///
    /// - Parameter kind: The noun for a candidate: "role".
    /// - Throws: `CommandError.usage` with a suggestion and all names.
    package static func value<Value>(
        named name: String, among candidates: [Value], kind: String, name nameOf: (Value) -> String
    ) throws(CommandError) -> Value {
        if let value = candidates.first(where: { nameOf($0) == name }) { return value }
        let names = candidates.map(nameOf)
        throw .usage(
            "'\(name)' is not a \(kind).",
            hint: sentence(for: name, among: names) { "'\($0)'" } + "Choose one of \(names.joined(separator: ", ")).")
    }

    /// Returns the optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbors.
    ///
    /// The comparison is case-sensitive. The time grows with the product of the lengths.
    package static func distance(from left: String, to right: String) -> Int {
        let left = Array(left), right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in 0..<left.count {
            var row = [i + 1]
            for j in 0..<right.count {
                var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
