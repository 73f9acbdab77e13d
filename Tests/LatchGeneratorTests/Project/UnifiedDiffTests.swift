// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchGenerator

@Suite struct UnifiedDiffTests {
    @Test func `A diff of two texts is shown as diff -u shows it`() {
        let old = (1...12).map { "line \($0)\n" }.joined()
        let new = old.replacing("line 2\n", with: "two\n").replacing("line 12\n", with: "line 12\nline 13\n")
        expectEqual(
            UnifiedDiff(old, new).unified(from: "a", to: "b"),
            """
            --- a
            +++ b
            @@ -1,5 +1,5 @@
             line 1
            -line 2
            +two
             line 3
             line 4
             line 5
            @@ -10,3 +10,4 @@
             line 10
             line 11
             line 12
            +line 13

            """)
    }

    @Test func `A diff of two texts shows new and removed files as a whole`() {
        expectEqual(
            UnifiedDiff(nil, "a\nb\n").unified(from: "/dev/null", to: "b"),
            "--- /dev/null\n+++ b\n@@ -0,0 +1,2 @@\n+a\n+b\n")
        expectEqual(
            UnifiedDiff("a\n", nil).unified(from: "a", to: "/dev/null"), "--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")
    }

    @Test(arguments: ["", "a\n", "a\nb\nc\n"]) func `A diff of two equal texts is empty`(text: String) {
        expectEqual(UnifiedDiff(text, text).unified(from: "a", to: "b"), "")
    }

    @Test(arguments: 0..<60) func `A diff of two texts leads from one to the other`(seed: Int) throws {
        var random = SmallRandom(state: UInt64(seed) &* 7919 &+ 1)
        let old = (0..<Int(random.next() % 40)).map { _ in "l\(random.next() % 6)" }
        var new = old
        for _ in 0..<(random.next() % 8) {
            let place = new.isEmpty ? 0 : Int(random.next() % UInt64(new.count + 1))
            if random.next() % 2 == 0 || place >= new.count {
                new.insert("n\(random.next() % 4)", at: place)
            } else {
                new.remove(at: place)
            }
        }
        let diff = UnifiedDiff(Self.text(old), Self.text(new)).unified(from: "a", to: "b")
        try expectEqual(Self.apply(diff, to: old), new)
    }

    @Test func `A diff of texts with nothing in common is a replacement, found quickly`() throws {
        let old = (0..<3_000).map { "old \($0)" }
        let new = (0..<3_000).map { "new \($0)" }
        let diff = UnifiedDiff(Self.text(old), Self.text(new)).unified(from: "a", to: "b")
        try expectEqual(Self.apply(diff, to: old), new)
    }

    private static func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    /// Returns the result of applying a difference to a text, like `patch`.
    private static func apply(_ diff: String, to old: [String]) throws -> [String] {
        var (new, at) = ([String](), 0)
        for line in diff.split(separator: "\n").dropFirst(2) {
            if line.hasPrefix("@@") {
                let range = try #require(line.split(separator: " ").dropFirst().first).dropFirst().split(separator: ",")
                let first = try #require(Int(range[0]))
                let start = range.count > 1 && range[1] == "0" ? first : first - 1
                new += old[at..<start]
                at = start
                continue
            }
            let text = String(line.dropFirst())
            if line.hasPrefix("+") { new.append(text) } else { expectEqual(old[at], text) }
            if line.hasPrefix(" ") { new.append(text) }
            if !line.hasPrefix("+") { at += 1 }
        }
        return new + old[at...]
    }
}

/// Numbers that are the same in each run.
private struct SmallRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
