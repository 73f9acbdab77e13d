// SPDX-License-Identifier: Apache-2.0

/// How two texts differ, line by line, as `diff -u` writes it.
///
/// The shortest way from one to the other, found as E. W. Myers describes it ("An O(ND) Difference Algorithm and Its
/// Variations", 1986). Texts that have little in common are shown as replaced, for the way is of no use then.
package struct LineDiff: Sendable {
    /// What happens to a line.
    private enum Edit { case keep(Int, Int), remove(Int), add(Int) }

    /// Lines around each change.
    private static let context = 3
    /// So many lines removed or added are a text replaced.
    private static let mostEdits = 2_000

    private let old: [Substring]
    private let new: [Substring]

    /// The difference of two texts; nil stands for a text that is not there.
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

    /// The difference as text, with the names of both; empty where there is none.
    package func unified(from oldName: String, to newName: String) -> String {
        let hunks = hunks(of: edits())
        guard !hunks.isEmpty else { return "" }
        return "--- \(oldName)\n+++ \(newName)\n" + hunks.joined()
    }

    private func edits() -> [Edit] {
        let head = zip(old, new).prefix { $0 == $1 }.count
        let tail = zip(old[head...].reversed(), new[head...].reversed()).prefix { $0 == $1 }.count
        let (oldEnd, newEnd) = (old.count - tail, new.count - tail)
        let start = (0..<head).map { Edit.keep($0, $0) }
        let end = (0..<tail).map { Edit.keep(oldEnd + $0, newEnd + $0) }
        return start + middle(head..<oldEnd, head..<newEnd) + end
    }

    /// The shortest way through the part in which the texts differ.
    private func middle(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> [Edit] {
        let replaced = oldRange.map(Edit.remove) + newRange.map(Edit.add)
        guard !oldRange.isEmpty, !newRange.isEmpty else { return replaced }
        let most = min(oldRange.count + newRange.count, Self.mostEdits)
        // How far each diagonal was reached after so many edits, kept for the way back.
        var reached: [[Int: Int]] = []
        var furthest = [1: 0]
        for count in 0...most {
            reached.append(furthest)
            for diagonal in stride(from: -count, through: count, by: 2) {
                let goesDown =
                    diagonal == -count
                    || diagonal != count && furthest[diagonal - 1, default: -1] < furthest[diagonal + 1, default: -1]
                var x = goesDown ? furthest[diagonal + 1, default: 0] : furthest[diagonal - 1, default: 0] + 1
                while x < oldRange.count, x - diagonal < newRange.count,
                    old[oldRange.lowerBound + x] == new[newRange.lowerBound + x - diagonal]
                { x += 1 }
                furthest[diagonal] = x
                if x >= oldRange.count, x - diagonal >= newRange.count {
                    return way(back: reached, oldRange, newRange)
                }
            }
        }
        return replaced
    }

    private func way(back reached: [[Int: Int]], _ oldRange: Range<Int>, _ newRange: Range<Int>) -> [Edit] {
        var (x, y, edits) = (oldRange.count, newRange.count, [Edit]())
        for (count, furthest) in reached.enumerated().reversed() {
            let diagonal = x - y
            let goesDown =
                diagonal == -count
                || diagonal != count && furthest[diagonal - 1, default: -1] < furthest[diagonal + 1, default: -1]
            let before = goesDown ? diagonal + 1 : diagonal - 1
            let (startX, startY) = (furthest[before, default: 0], furthest[before, default: 0] - before)
            while x > max(startX, 0), y > max(startY, 0) {
                (x, y) = (x - 1, y - 1)
                edits.append(.keep(oldRange.lowerBound + x, newRange.lowerBound + y))
            }
            guard count > 0 else { break }
            edits.append(goesDown ? .add(newRange.lowerBound + startY) : .remove(oldRange.lowerBound + startX))
            (x, y) = (startX, startY)
        }
        return edits.reversed()
    }

    /// Changes that are near each other, with the lines around them.
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
            case .keep(let line, _): text += " \(old[line])\n"
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

    /// Lines are counted from one; an empty range names the line before it.
    private static func range(_ start: Int, _ count: Int) -> String {
        count == 1 ? "\(start + 1)" : "\(count == 0 ? start : start + 1),\(count)"
    }
}
