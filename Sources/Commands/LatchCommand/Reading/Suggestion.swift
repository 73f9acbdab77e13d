// SPDX-License-Identifier: Apache-2.0

/// Finds what somebody may have meant to type.
package enum Suggestion {
    /// The nearest candidate, where it is near enough to be meant.
    ///
    /// Near enough is a third of the letters of what was typed, one at least, or a beginning of two letters and more.
    /// Of equally near ones the first wins, so that the answer does not change from call to call.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let limit = max(1, word.count / 3)
        return
            candidates
            .map { (text: $0, distance: distance(from: word.lowercased(), to: $0.lowercased())) }
            .filter { $0.distance <= limit || ($0.text.hasPrefix(word) && word.count > 1) }
            .min { $0.distance < $1.distance }?.text
    }

    /// `Did you mean …? ` with the nearest candidate, empty where none is near.
    package static func sentence(for word: String, among candidates: [String], spelled: (String) -> String) -> String {
        nearest(to: word, among: candidates).map { "Did you mean \(spelled($0))? " } ?? ""
    }

    /// How many letters must be put in, left out, exchanged, or swapped with their neighbour.
    ///
    /// The optimal string alignment distance: swapped neighbours, the commonest slip, count once.
    ///
    /// Characters are compared as they are, capitals included. It takes the product of the lengths in steps: words of a
    /// command line are short.
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
