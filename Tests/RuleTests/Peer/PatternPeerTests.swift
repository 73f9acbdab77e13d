// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchRegex
import LatchTesting
import Testing

@Suite struct PatternPeerTests {
    @Test(.enabled(Comment(rawValue: Protovalidate.hint)) { await Protovalidate.install() })
    func `Random patterns match as in Python`() async throws {
        var random = SplitMix64(state: 1_987)
        let cases = (0..<4_000).map { _ in
            (Self.pattern(&random, depth: 0), Self.text(&random))
        }
        let answers = try await withTemporaryFolder { path in
            let lines = cases.map { "\(Self.digits($0.0)) \(Self.digits($0.1))" }
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: "\(path)/cases"))
            return try await Protovalidate.run("patterns.py", ["\(path)/cases"]).split(separator: "\n")
        }
        try #require(answers.count == cases.count)
        for ((pattern, text), answer) in zip(cases, answers) {
            try expectEqual(Pattern(pattern).matches(text), answer == "1", "\(pattern) in \(text)")
        }
        expectEqual(Set(answers), ["0", "1"])
    }

    /// The patterns that both engines accept.
    private static func pattern(_ random: inout SplitMix64, depth: Int) -> String {
        var text = ""
        for _ in 0..<(1 + random.below(4)) {
            var atom: String
            switch random.below(depth < 3 ? 12 : 8) {
            case 0..<4: atom = random.pick(["a", "b", "c", "1", "\\.", "é"])
            case 4: atom = random.pick([".", "[ab]", "[^a]", "[a-c1]", "[^\\d]", "[\\w.]", "[]a]", "[é-ü]"])
            case 5: atom = random.pick(["\\d", "\\D", "\\w", "\\W", "\\s", "\\S"])
            case 6, 7:
                // A boundary is no atom that is repeated.
                text += random.pick(["^", "\\b", "\\B", "\\A", ""])
                continue
            case 8: atom = "(\(pattern(&random, depth: depth + 1)))"
            case 9: atom = "(?:\(pattern(&random, depth: depth + 1))|\(pattern(&random, depth: depth + 1)))"
            case 10: atom = "(?i:\(pattern(&random, depth: depth + 1)))"
            default: atom = "(?P<n\(random.next())>\(pattern(&random, depth: depth + 1)))"
            }
            text += atom + random.pick(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", "+?"])
        }
        return text + (random.below(6) == 0 ? "$" : "")
    }

    /// Never an empty one: before 3.14 Python finds no `\B` there, and RE2 does.
    private static func text(_ random: inout SplitMix64) -> String {
        (0...random.below(8)).map { _ in random.pick(["a", "b", "c", "1", ".", " ", "A", "B", "é", "_"]) }.joined()
    }

    private static func digits(_ text: String) -> String {
        text.isEmpty ? "_" : text.utf8.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
}
