// SPDX-License-Identifier: Apache-2.0

/// The difference of two texts by lines, in the unified format of `diff -u`.
package struct UnifiedDiff: Sendable {
    /// A line of the difference, by its index in the old or the new text.
    private enum Edit { case keep(Int), remove(Int), add(Int) }

    /// The number of context lines around each change.
    private static let context = 3
    /// The largest product of the numbers of differing lines for which a shortest difference is computed.
    private static let limit = 4_000_000

    private let old: [Substring]
    private let new: [Substring]

    /// Creates the difference of two texts; nil stands for a missing file.
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
        var edits = (0..<head).map(Edit.keep)
        // Long texts with little in common are shown as replaced.
        if (oldEnd - head) * (newEnd - head) > Self.limit {
            edits += (head..<oldEnd).map(Edit.remove) + (head..<newEnd).map(Edit.add)
        } else {
            let difference = new[head..<newEnd].difference(from: old[head..<oldEnd])
            let removed = Set(difference.removals.map(\.offset)), added = Set(difference.insertions.map(\.offset))
            var (oldOffset, newOffset) = (0, 0)
            while oldOffset < oldEnd - head || newOffset < newEnd - head {
                if removed.contains(oldOffset) {
                    edits.append(.remove(head + oldOffset))
                    oldOffset += 1
                } else if added.contains(newOffset) {
                    edits.append(.add(head + newOffset))
                    newOffset += 1
                } else {
                    edits.append(.keep(head + oldOffset))
                    (oldOffset, newOffset) = (oldOffset + 1, newOffset + 1)
                }
            }
        }
        return edits + (oldEnd..<old.count).map(Edit.keep)
    }

    /// Groups nearby changes with their context lines.
    private func hunks(of edits: [Edit]) -> [String] {
        let changed = edits.indices.filter { if case .keep = edits[$0] { false } else { true } }
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
        var (text, oldCount, newCount) = ("", 0, 0)
        for edit in edits {
            switch edit {
            case .keep(let line): text += " \(old[line])\n"
            case .remove(let line): text += "-\(old[line])\n"
            case .add(let line): text += "+\(new[line])\n"
            }
            if case .add = edit {} else { oldCount += 1 }
            if case .remove = edit {} else { newCount += 1 }
        }
        let oldStart = before.count { if case .add = $0 { false } else { true } }
        let newStart = before.count { if case .remove = $0 { false } else { true } }
        return "@@ -\(Self.range(oldStart, oldCount)) +\(Self.range(newStart, newCount)) @@\n" + text
    }

    /// Returns a range of lines, counted from one; an empty range has the line before it.
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
