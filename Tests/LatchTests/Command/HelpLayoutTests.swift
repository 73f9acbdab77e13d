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

@Suite struct TerminalHelpTests {
    private static let paths = HelpTests.paths

    private func lines(_ path: [Subcommand], width: Int) -> [String] {
        HelpText(path, terminalWidth: width).text.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [40, 50, 80, 100])
    func `The help on a terminal fits its width, apart from words that are longer`(width: Int) {
        for path in Self.paths {
            for line in lines(path, width: width) where line.count > width {
                // A long word with the backslash of its line, or a quotation.
                #expect(line.split(separator: " ").count <= 2 || line.contains("\""), "\(width): \(line)")
            }
        }
    }

    @Test(arguments: [(1, 40), (39, 40), (100, 100), (300, 100)])
    func `The help on a terminal is between 40 and 100 columns wide`(width: Int, used: Int) {
        let path = [Program.root, ServeSubcommand.subcommand]
        expectEqual(lines(path, width: width), lines(path, width: used))
    }

    @Test(arguments: paths.indices, [40, 80])
    func `The help on a terminal has all words of the help in a file`(index: Int, width: Int) {
        func words(_ text: String) -> [String] {
            text.split { $0.isWhitespace }.map(String.init).filter { $0 != "\\" && $0 != "#" }.sorted()
        }
        let path = Self.paths[index]
        expectEqual(words(HelpText(path, terminalWidth: width).text), words(HelpText(path).text))
    }

    @Test func `The help on a narrow terminal has a long option on a separate line`() {
        let options: [Option] = [
            .value("a-very-long-name-of-an-option", "VALUE", "does something"), .flag("short", "does another thing"),
        ]
        let found = lines([Subcommand(name: "do", summary: "does it", options: options)], width: 50)
        #expect(found.contains("  --a-very-long-name-of-an-option VALUE"))
        #expect(found.contains { $0.hasPrefix("  --short  ") && $0.hasSuffix("does another thing") }, "\(found)")
    }

    @Test func `The help on a narrow terminal breaks an example as a shell reads it`() async throws {
        let call = #"printf '%s ' one two "three and a half" four five six seven eight nine ten eleven"#
        let path = [Subcommand(name: "do", summary: "does it", examples: [call: "prints"])]
        let text = HelpText(path, terminalWidth: 40).text
        let begin = try #require(text.firstRange(of: "  # prints\n")).upperBound
        let broken = String(text[begin...])
        #expect(broken.split(separator: "\n").count > 1)
        try await expectEqual(CompletionTests.run("sh", broken), CompletionTests.run("sh", call))
    }

    @Test func `The help of the command lists its subcommands in groups`() {
        let text = HelpText([Program.root]).text
        for title in ["accounts", "tokens", "server", "generator", "shell"] { #expect(text.contains("\n\(title):\n")) }
        #expect(!text.contains("\nsubcommands:\n"))
        let page = ManualPage(Program.command).text
        #expect(page.contains("\n.SH GENERATOR\n"))
    }
}
