// SPDX-License-Identifier: Apache-2.0

/// The difference between two texts by lines, in the unified format of `diff -u`.
package struct UnifiedDiff: Sendable {
    /// A line, and its mark in the output: a space, `-` or `+`.
    private typealias Edit = (mark: Character, line: Substring)

    /// The number of context lines around each change.
    private static let context = 3
    /// The maximum product of the numbers of differing lines for which the shortest difference is computed.
    private static let limit = 4_000_000

    private let old: [Substring]
    private let new: [Substring]

    /// Creates the difference between two texts; nil stands for a missing file.
    package init(_ old: String?, _ new: String?) {
        self.old = Self.lines(old)
        self.new = Self.lines(new)
    }

    private static func lines(_ text: String?) -> [Substring] {
        guard let text, !text.isEmpty else { return [] }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Returns the difference as text, with the names of both files; empty for equal texts.
    package func unified(from oldName: String, to newName: String) -> String {
        let hunks = hunks(of: edits())
        guard !hunks.isEmpty else { return "" }
        return "--- \(oldName)\n+++ \(newName)\n" + hunks.joined()
    }

    private func edits() -> [Edit] {
        let head = zip(old, new).prefix { $0 == $1 }.count
        let tail = zip(old[head...].reversed(), new[head...].reversed()).prefix { $0 == $1 }.count
        let (oldEnd, newEnd) = (old.count - tail, new.count - tail)
        var edits = old[..<head].map { Edit(" ", $0) }
        // Long texts with little in common are shown as completely replaced.
        if (oldEnd - head) * (newEnd - head) > Self.limit {
            edits += old[head..<oldEnd].map { ("-", $0) } + new[head..<newEnd].map { ("+", $0) }
        } else {
            let difference = new[head..<newEnd].difference(from: old[head..<oldEnd])
            let removed = Set(difference.removals.map(\.offset)), added = Set(difference.insertions.map(\.offset))
            var (oldIndex, newIndex) = (head, head)
            while oldIndex < oldEnd || newIndex < newEnd {
                if removed.contains(oldIndex - head) {
                    edits.append(("-", old[oldIndex]))
                    oldIndex += 1
                } else if added.contains(newIndex - head) {
                    edits.append(("+", new[newIndex]))
                    newIndex += 1
                } else {
                    edits.append((" ", old[oldIndex]))
                    (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
                }
            }
        }
        return edits + old[oldEnd...].map { (" ", $0) }
    }

    /// Groups nearby changes with their context lines.
    private func hunks(of edits: [Edit]) -> [String] {
        let changed = edits.indices.filter { edits[$0].mark != " " }
        var (hunks, rest) = ([String](), changed[...])
        while let first = rest.popFirst() {
            var last = first
            while let next = rest.first, next - last <= 2 * Self.context {
                last = next
                rest = rest.dropFirst()
            }
            let range = max(first - Self.context, 0)..<min(last + Self.context + 1, edits.count)
            hunks.append(hunk(edits[range], before: edits[..<range.lowerBound]))
        }
        return hunks
    }

    private func hunk(_ edits: ArraySlice<Edit>, before: ArraySlice<Edit>) -> String {
        func range(excluding mark: Character) -> String {
            Self.range(before.count { $0.mark != mark }, edits.count { $0.mark != mark })
        }
        let text = edits.map { "\($0.mark)\($0.line)\n" }.joined()
        return "@@ -\(range(excluding: "+")) +\(range(excluding: "-")) @@\n" + text
    }

    /// Returns a range of lines, counted from one; an empty range is shown as the line before it.
    private static func range(_ start: Int, _ count: Int) -> String {
        count == 1 ? "\(start + 1)" : "\(count == 0 ? start : start + 1),\(count)"
    }
}

extension CollectionDifference.Change {
    /// The offset of the change.
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
