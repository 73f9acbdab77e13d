// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("ｱ", 1), ("한", 2), ("👍", 2), ("👩‍👩‍👧", 2), ("❤️", 2),
        ("✓", 1), ("…", 1), ("\u{301}", 0), ("Ａ", 2), ("×", 1),
    ])
    func `The width of a text counts the columns of a terminal`(text: String, width: Int) {
        expectEqual(text.displayWidth, width)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字漢", 5, "漢字…"), ("漢字漢", 4, "漢…"), ("abc", 1, "…"),
        ("e\u{301}e\u{301}e", 2, "e\u{301}…"),
    ])
    func `A shortened text fits its width, and ends with an ellipsis`(text: String, width: Int, shown: String) {
        expectEqual(text.shortened(to: width), shown)
        #expect(text.shortened(to: width).displayWidth <= width)
    }

    @Test(arguments: [(0, "0 entries"), (1, "1 entry"), (2, "2 entries")])
    func `A count has the noun in its number`(number: Int, text: String) {
        expectEqual(number.counted("entry", plural: "entries"), text)
    }
}

@Suite struct TextTableTests {
    @Test func `A table lines up wide characters`() {
        expectEqual(TextTable.text([["漢字", "x"], ["abc", "y"]]), "漢字  x\nabc   y\n")
    }

    @Test func `A table shortens its widest column until it fits`() {
        let wide = String(repeating: "a", count: 40)
        let rows = [["short", wide, "end"], ["b", "c", "d"]]
        expectEqual(TextTable.text(rows).split(separator: "\n").first?.count, 52)
        let lines = TextTable.text(rows, width: 30).split(separator: "\n").map(String.init)
        expectEqual(lines.first, "short  aaaaaaaaaaaaaaaaa…  end")
        expectEqual(lines.first?.displayWidth, 30)
        // A column that must stay whole does.
        #expect(TextTable.text(rows, width: 30, whole: [1]).contains(wide))
    }

    @Test func `A table without a width shortens nothing`() {
        let wide = String(repeating: "a", count: 400)
        expectEqual(TextTable.text([[wide, "b"]]), wide + "  b\n")
    }
}

@Suite struct TextStyleTests {
    @Test(
        arguments: [
            (["TERM": "xterm"], true, true), (["TERM": "xterm"], false, false), ([:], true, false),
            (["TERM": ""], true, false), (["TERM": "dumb"], true, false),
            (["TERM": "xterm", "NO_COLOR": "1"], true, false),
            (["TERM": "xterm", "NO_COLOR": ""], true, true), (["TERM": "xterm", "CLICOLOR": "0"], true, false),
            (["TERM": "xterm", "CLICOLOR": "1"], true, true), (["CLICOLOR_FORCE": "1"], false, true),
            (["CLICOLOR_FORCE": "0"], false, false), (["CLICOLOR_FORCE": ""], false, false),
            (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], true, false),
        ] as [([String: String], Bool, Bool)])
    func `Colors follow the environment and the stream`(variables: [String: String], isTerminal: Bool, isColored: Bool)
    {
        let style = TextStyle(variables, isTerminal: isTerminal)
        expectEqual(style.isColored, isColored)
        expectEqual(style.failure("no"), isColored ? "\u{1B}[31mno\u{1B}[0m" : "no")
    }

    @Test func `An error on a terminal has a red name and a dim hint`() {
        let kept = RecordingEnvironment(["TERM": "xterm"], isTerminal: true)
        kept.environment.report(.failed("It failed.", hint: "Try again."))
        expectEqual(kept.error, "\u{1B}[31mlatch:\u{1B}[0m It failed.\n\u{1B}[2mhint: Try again.\u{1B}[0m\n")
    }

    @Test func `An error in a file has no colors`() {
        let kept = RecordingEnvironment(["TERM": "xterm"])
        kept.environment.report(.failed("It failed.", hint: "Try again."))
        expectEqual(kept.error, "latch: It failed.\nhint: Try again.\n")
    }
}

@Suite struct TerminalWidthTests {
    private func width(_ variables: [String: String], columns: Int?, isTerminal: Bool = true) -> Int? {
        let stream = Environment.Output(isTerminal: isTerminal, columns: { columns }, writeBytes: { _ in })
        let environment = Environment(variables: variables, output: stream, error: stream, signals: .disconnected)
        return environment.width(of: stream)
    }

    @Test func `The width of a terminal is that of its window, unless a variable has another one`() {
        expectEqual(width([:], columns: 120), 120)
        expectEqual(width(["COLUMNS": "60"], columns: 120), 60)
        for unusable in ["", "0", "-5", "wide"] { expectEqual(width(["COLUMNS": unusable], columns: 120), 120) }
        expectEqual(width([:], columns: nil), 80)
    }

    @Test func `A file has no width`() {
        expectNil(width(["COLUMNS": "60"], columns: 120, isTerminal: false))
    }
}
