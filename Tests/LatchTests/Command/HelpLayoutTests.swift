// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct HelpLayoutTests {
    private func text(
        summary: String = "does it", options: [Option] = [], arguments: [Subcommand.Argument] = [],
        subcommands: [Subcommand] = []
    ) -> String {
        HelpText([
            Subcommand(name: "do", summary: summary, options: options, arguments: arguments, subcommands: subcommands)
        ]).text
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test
    func `The layout of a help text keeps every word of a long summary, in lines that end before column 88`() throws {
        let words = (1...60).map { "word\($0)" }
        let text = text(options: [.flag("loud", words.joined(separator: " "))])
        let table = try #require(text.firstRange(of: "options:\n")).upperBound
        let found = text[table...].split { $0.isWhitespace }.filter { $0.hasPrefix("word") }.map(String.init)
        expectEqual(found, words)
        #expect(lines(text).allSatisfy { $0.count <= 88 })
        // Lines that go on stand below the beginning of their column.
        let column = lines(text).first { $0.contains("word1 ") }.map { $0.count - $0.drop { $0 != "w" }.count }
        for line in lines(text) where line.hasPrefix("   ") { expectEqual(line.prefix { $0 == " " }.count, column) }
    }

    @Test(arguments: [1, 20, 60, 79, 80, 81, 120])
    func `The layout of a help text does not cut a word, however long`(length: Int) {
        let word = String(repeating: "x", count: length)
        let text = text(options: [.flag("loud", "a \(word) b")])
        #expect(text.contains(word))
        #expect(!lines(text).contains { $0.hasSuffix(" ") })
    }

    @Test func `The layout of a help text lines up all summaries of a table`() {
        let text = text(options: [.flag("a", "first"), .value("longer", "VALUE", short: "l", "second")])
        let places = ["first", "second", "shows"].compactMap { word in
            lines(text).first { $0.contains("  \(word)") }.flatMap { line in
                line.firstRange(of: word).map { line.distance(from: line.startIndex, to: $0.lowerBound) }
            }
        }
        expectEqual(places.count, 3)
        expectEqual(Set(places).count, 1)
        #expect(text.contains("--longer VALUE, -l"))
    }

    @Test func `The layout of a help text shows arguments before options in the call, and options as optional`() {
        let text = text(
            options: [.value("name", "NAME", "a name"), .flag("loud", "shouts")],
            arguments: [.init(name: "WORD", summary: "what to say")])
        #expect(text.contains("\nusage: do WORD [--name NAME] [--loud]\n"))
        #expect(text.contains("\narguments:\n"))
    }

    @Test func `The layout of a help text shows a group by its subcommands, and the version only at the root`() {
        let inner = Subcommand(name: "inner", summary: "is inside", body: { _, _ in .success })
        let group = Subcommand(name: "do", summary: "groups", subcommands: [inner])
        #expect(HelpText([group]).text.contains("usage: do SUBCOMMAND [OPTIONS]"))
        #expect(HelpText([group]).text.contains("  inner  is inside\n"))
        #expect(HelpText([group]).text.contains("--version"))
        #expect(!HelpText([group, inner]).text.contains("--version"))
        #expect(HelpText([group, inner]).text.hasPrefix("do inner: is inside\n"))
    }

    @Test func `The layout of a help text shows examples on one line, to be copied`() {
        for subcommand in [ServeSubcommand.subcommand, DemoSubcommand.subcommand, Program.root] {
            let text = HelpText(subcommand.name == "latch" ? [subcommand] : [Program.root, subcommand]).text
            for example in subcommand.examples {
                #expect(lines(text).contains("  \(example.key)"))
                #expect(lines(text).contains("  # \(example.value)"))
            }
        }
    }
}
