// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct HelpTests {
    /// Every subcommand that there is, with the subcommands above it.
    static let paths: [[Subcommand]] = paths(of: [Program.root])

    private static func paths(of path: [Subcommand]) -> [[Subcommand]] {
        [path] + (path.last?.subcommands ?? []).flatMap { paths(of: path + [$0]) }
    }

    @Test(arguments: paths.indices)
    func `The help explains every subcommand, with an example and all flags`(index: Int) throws {
        let path = Self.paths[index]
        let subcommand = try #require(path.last)
        let text = HelpText(path).text
        #expect(text.hasPrefix(path.map(\.name).joined(separator: " ") + ": \(subcommand.summary)\n"))
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
        #expect(!subcommand.examples.isEmpty, "\(subcommand.name) has no example")
        for example in subcommand.examples { #expect(text.contains(example.key)) }
        for option in subcommand.allOptions { #expect(text.contains(option.spelling)) }
        for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    }

    @Test(arguments: paths.indices) func `The help gives examples that the parser understands`(index: Int) throws {
        for example in Self.paths[index].last?.examples ?? [:] {
            for words in Self.calls(in: example.key) {
                expectEqual(words.first, "latch")
                let arguments = Array(words.dropFirst())
                #expect(throws: Never.self, "\(arguments)") {
                    try ArgumentParser.parse(arguments, with: Program.root)
                }
            }
        }
    }

    /// The calls of latch in a line as a shell would read it: without assignments, redirections and other programs.
    private static func calls(in line: String) -> [[String]] {
        if let start = line.firstRange(of: "$(")?.upperBound, let end = line.firstIndex(of: ")") {
            return calls(in: String(line[start..<end]))
        }
        var joined = ""
        for (number, part) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            joined += number % 2 == 1 ? String(part.map { $0 == " " ? "\u{0}" : $0 }) : String(part)
        }
        return joined.split(separator: " | ").map { call in
            let words = call.split(separator: " ").map { word in String(word.map { $0 == "\u{0}" ? " " : $0 }) }
            return Array(words.drop { $0.contains("=") }.prefix { $0 != "<" && $0 != ">" })
        }.filter { !$0.isEmpty }
    }

    @Test func `The help shows no flag for a secret`() {
        let names = Self.paths.flatMap { $0.last?.options ?? [] }.filter { $0.value != nil }.map(\.name)
        for word in ["password", "secret", "token", "pepper"] {
            #expect(!names.contains { $0.contains(word) && !$0.hasSuffix("-stdin") })
        }
    }
}

@Suite struct SuggestionTests {
    static let words = ["serve", "demo", "--listen", "--print-config"]

    @Test(arguments: [
        ("serv", "serve"), ("sreve", "serve"), ("SERVE", "serve"), ("dmeo", "demo"), ("--lisen", "--listen"),
        ("--print-cnofig", "--print-config"), ("--print", "--print-config"),
    ])
    func `A suggestion is a nearly typed word`(word: String, meant: String) {
        expectEqual(Suggestion.nearest(to: word, among: Self.words), meant)
    }

    @Test(arguments: ["x", "frobnicate", "", "--unrelated"])
    func `A suggestion is left out if nothing is near`(word: String) {
        expectNil(Suggestion.nearest(to: word, among: Self.words))
        expectEqual(Suggestion.sentence(for: word, among: Self.words) { $0 }, "")
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3),
        ("ca", "abc", 3),
    ])
    func `A suggestion counts insertions, removals, exchanges and swaps`(left: String, right: String, distance: Int) {
        expectEqual(Suggestion.distance(from: left, to: right), distance)
        expectEqual(Suggestion.distance(from: right, to: left), distance)
    }
}
