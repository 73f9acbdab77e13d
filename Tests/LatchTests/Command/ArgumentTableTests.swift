// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct ArgumentTableTests {
    private typealias Tool = ArgumentParserTests

    private func greet(_ arguments: [String]) throws -> Invocation {
        let request = try ArgumentParser.parse(["greet"] + arguments, with: Tool.root)
        guard case .run(_, let invocation) = request else { throw CommandError.failed("no subcommand is run") }
        return invocation
    }

    @Test(
        arguments: [
            (["--name=a b", "w"], "a b"), (["--name", "a=b", "w"], "a=b"), (["--name==", "w"], "="),
            (["--name= ", "w"], " "), (["-n=Ada", "w"], "Ada"), (["-n", "-5", "w"], "-5"), (["-n", "-", "w"], "-"),
            (["w", "--name", ""], ""), (["--name=--", "w"], "--"), (["--name=-n", "w"], "-n"),
            (["--loud", "-n", "é\u{301}", "w"], "é\u{301}"), (["--name", "w", "w"], "w"),
            (["--name=x\ny", "w"], "x\ny"),
        ] as [([String], String)])
    func `A word of the command line is the value of the flag before it, exactly as it was typed`(
        arguments: [String], value: String
    ) throws {
        let invocation = try greet(arguments)
        expectEqual(invocation[Tool.name], value)
        expectEqual(invocation.arguments, ["w"])
    }

    @Test(
        arguments: [
            (["--", "--loud"], "--loud"), (["--", "-h"], "-h"), (["--", "--"], "--"), (["--", "--name=x"], "--name=x"),
            (["-"], "-"), ([""], ""), (["--", ""], ""), (["w", "--"], "w"), (["a=b"], "a=b"), (["help"], "help"),
        ] as [([String], String)])
    func `A word of the command line is an argument if no flag can be there`(arguments: [String], argument: String)
        throws
    {
        let invocation = try greet(arguments)
        expectEqual(invocation.arguments, [argument])
        #expect(!invocation.has(.flag("loud", "")) && !invocation.has(.value("name", "NAME", "")))
    }

    @Test(arguments: [
        ["--nam", "x", "w"], ["--nam=x", "w"], ["--lou", "w"], ["--l", "w"], ["-l", "w"], ["-nAda", "w"],
        ["--Name", "x", "w"], ["-N", "x", "w"], ["---name", "x", "w"], ["--=x", "w"], ["-name", "x", "w"],
        ["--loudly", "w"], ["--no-loud", "w"], ["--hel"], ["--version"], ["-hn", "w"],
    ])
    func `A word of the command line is refused as an option that is not spelled in full`(arguments: [String]) throws {
        let error = try #require(Tool.refusal(["greet"] + arguments))
        expectEqual(error.exitCode, .usage)
        let typed = arguments[0].split(separator: "=", omittingEmptySubsequences: false)[0]
        expectEqual(error.message, "'tool greet' has no option '\(typed)'.")
    }

    @Test(arguments: [
        ["--loud", "--loud", "w"], ["--name", "a", "--name", "a", "w"], ["--name=", "--name=", "w"],
        ["-n", "a", "-n", "b", "w"], ["--name=a", "w", "-n", "b"],
    ])
    func `A word of the command line is refused if an option is given twice, even with the same value`(
        arguments: [String]
    ) throws {
        let error = try #require(Tool.refusal(["greet"] + arguments))
        expectEqual(error.exitCode, .usage)
        #expect(error.message.hasSuffix("is given twice."))
    }

    @Test(arguments: [
        ["w", "--name"], ["w", "-n"], ["--name", "--", "w"], ["--name", "--help"], ["-n", "--loud", "w"],
    ])
    func `A word of the command line is reported missing if a flag needs a value`(arguments: [String]) throws {
        let error = try #require(Tool.refusal(["greet"] + arguments))
        #expect(error.message.hasSuffix("needs a value."))
        expectEqual(error.hint?.contains(" NAME"), true)
    }

    @Test(
        arguments: [
            (["--name", "Ada", "greet", "w"], "'tool' has no option '--name'."),
            (["--loud", "greet", "w"], "'tool' has no option '--loud'."),
            (["group", "-n", "Ada", "greet", "w"], "'tool group' has no option '-n'."),
            (["--", "greet", "w"], "'tool' does not expect 'greet'."),
            (["GREET", "w"], "'tool' has no subcommand 'GREET'."),
            (["gree", "w"], "'tool' has no subcommand 'gree'."), ([""], "'tool' has no subcommand ''."),
            (["-"], "'tool' has no subcommand '-'."), (["group", "greet"], "'tool group greet' needs WORD."),
            (["greet", "a", "b"], "'tool greet' does not expect 'b'."),
            (["greet", "a", "--", "-b"], "'tool greet' does not expect '-b'."),
            (["group", "help"], "'tool group' has no subcommand 'help'."),
        ] as [([String], String)])
    func `A word of the command line is judged by the subcommand before it, and no further`(
        arguments: [String], message: String
    ) throws {
        let error = try #require(Tool.refusal(arguments))
        expectEqual(error.exitCode, .usage)
        expectEqual(error.message, message)
    }
}

@Suite struct WordDistanceTests {
    /// The definition of the optimal string alignment distance, as it is written in books: slow, and hard to get wrong.
    private func defined(_ left: ArraySlice<Character>, _ right: ArraySlice<Character>) -> Int {
        guard let a = left.last, let b = right.last else { return max(left.count, right.count) }
        var least = min(
            defined(left.dropLast(), right) + 1, defined(left, right.dropLast()) + 1,
            defined(left.dropLast(), right.dropLast()) + (a == b ? 0 : 1))
        if left.count > 1, right.count > 1, a == right.dropLast().last, b == left.dropLast().last {
            least = min(least, defined(left.dropLast(2), right.dropLast(2)) + 1)
        }
        return least
    }

    /// Every word of at most three letters out of two, and some with a third letter.
    private static let words: [String] =
        (0...3).reduce(into: ([""], [] as [String])) { state, _ in
            state.1 += state.0
            state.0 = state.0.flatMap { [$0 + "a", $0 + "b"] }
        }.1 + ["abca", "bacb", "cab", "acbab"]

    @Test func `The distance of two words equals its definition, for all short words`() {
        for left in Self.words {
            for right in Self.words {
                let expected = defined(Array(left)[...], Array(right)[...])
                expectEqual(Suggestion.distance(from: left, to: right), expected, "\(left) to \(right)")
            }
        }
    }

    @Test func `The distance of two words is between the difference of the lengths and the longer length`() {
        for left in ["--listen", "serve", "é", "print-config"] {
            for right in ["--list", "demo", "", "--print-config"] {
                let distance = Suggestion.distance(from: left, to: right)
                #expect(distance >= abs(left.count - right.count))
                #expect(distance <= max(left.count, right.count))
            }
        }
    }

    @Test func `The distance of two words finds every option again after any one slip`() {
        for option in ServeSubcommand.subcommand.allOptions where option.name.count > 3 {
            let names = ServeSubcommand.subcommand.allOptions.map { "--\($0.name)" }
            let letters = Array("--\(option.name)")
            for place in 2..<letters.count {
                var missing = letters
                missing.remove(at: place)
                var doubled = letters
                doubled.insert(letters[place], at: place)
                for word in [missing, doubled] {
                    expectEqual(
                        Suggestion.nearest(to: String(word), among: names), "--\(option.name)", "\(String(word))")
                }
            }
        }
    }

    @Test func `The distance of two words returns the first of equally near ones`() {
        expectEqual(Suggestion.nearest(to: "bat", among: ["cat", "hat"]), "cat")
        expectEqual(Suggestion.nearest(to: "bat", among: ["hat", "cat"]), "hat")
        expectNil(Suggestion.nearest(to: "bat", among: []))
    }
}
