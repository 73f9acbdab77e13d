// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct ArgumentParserTests {
    static let name = Option.value("name", "NAME", short: "n", "a name")
    static let loud = Option.flag("loud", "shouts")
    static let greet = Subcommand(
        name: "greet", summary: "greets a user", options: [name, loud],
        arguments: [.init(name: "WORD", summary: "what to say")], body: { _, _ in .success })
    static let nothing = Subcommand(name: "nothing", summary: "does nothing", body: { _, _ in .success })
    static let group = Subcommand(name: "group", summary: "holds others", subcommands: [greet])
    static let root = Subcommand(name: "tool", summary: "a tool", subcommands: [greet, nothing, group])

    static func run(_ arguments: String...) throws -> (Subcommand, Invocation) {
        guard case .run(let subcommand, let invocation) = try ArgumentParser.parse(arguments, with: root) else {
            throw CommandError.failed("does not run a subcommand")
        }
        return (subcommand, invocation)
    }

    static func refusal(_ arguments: [String]) -> CommandError? {
        do throws(CommandError) {
            _ = try ArgumentParser.parse(arguments, with: root)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ["greet", "--name", "Ada", "hello"], ["greet", "--name=Ada", "hello"], ["greet", "hello", "-n", "Ada"],
        ["greet", "-n", "Ada", "--", "hello"], ["group", "greet", "hello", "--name=Ada"],
    ])
    func `The argument parser reads flags before and after words`(arguments: [String]) throws {
        guard case .run(let subcommand, let invocation) = try ArgumentParser.parse(arguments, with: Self.root) else {
            Issue.record("no subcommand is run")
            return
        }
        expectEqual(subcommand.name, "greet")
        expectEqual(invocation[Self.name], "Ada")
        expectEqual(invocation.arguments, ["hello"])
        #expect(!invocation.has(Self.loud))
    }

    @Test func `The argument parser takes arguments after two dashes as words`() throws {
        let (_, invocation) = try Self.run("greet", "--loud", "--", "--name")
        expectEqual(invocation.arguments, ["--name"])
        #expect(invocation.has(Self.loud))
        expectNil(invocation[Self.name])
    }

    @Test func `The argument parser takes an empty value and one with equals signs unchanged`() throws {
        try expectEqual(Self.run("greet", "--name=", "x").1[Self.name], "")
        try expectEqual(Self.run("greet", "--name=a=b", "x").1[Self.name], "a=b")
        try expectEqual(Self.run("greet", "--name=--loud", "x").1[Self.name], "--loud")
        try expectEqual(Self.run("greet", "-").1.arguments, ["-"])
    }

    @Test(
        arguments: [
            ([], "'tool' needs a subcommand: 'greet'", "'tool --help'"),
            (["gret"], "'tool' has no subcommand 'gret'", "Did you mean 'tool greet'?"),
            (["frobnicate"], "'tool' has no subcommand 'frobnicate'", "'tool --help'"),
            (["greet", "--nmae", "Ada", "x"], "'tool greet' has no option '--nmae'", "Did you mean '--name'?"),
            (["greet", "-x", "y"], "has no option '-x'", "'tool greet --help'"),
            (["greet", "--name"], "'--name' needs a value", "'--name NAME'"),
            (["greet", "--name", "--loud"], "'--name' needs a value", "'--name NAME'"),
            (["greet", "--loud=yes", "x"], "'--loud' takes no value", "'--loud' alone"),
            (["greet", "-n", "a", "--name", "b", "x"], "'--name' is given twice", "once"),
            (["greet"], "needs WORD", "'tool greet --help'"),
            (["nothing", "x"], "does not expect 'x'", "'tool nothing --help'"),
            (["group"], "needs a subcommand: 'greet'", "'tool group --help'"),
            (["group", "--version"], "has no option '--version'", "--help"),
            (["help", "gret"], "has no subcommand 'gret'", "Did you mean"),
            (["--verison"], "has no option '--verison'", "Did you mean '--version'?"),
            (["--version=2"], "'--version' takes no value", "'--version' alone"),
            (["greet", "--help=yes"], "'--help' takes no value", "'--help' alone"),
        ] as [([String], String, String)])
    func `The argument parser refuses unknown arguments, with a hint`(
        arguments: [String], message: String, hint: String
    ) throws {
        let error = try #require(Self.refusal(arguments))
        expectEqual(error.exitCode, .usage)
        #expect(error.message.contains(message), "\(error.message)")
        expectEqual(error.hint?.contains(hint), true, "\(error.hint ?? "no hint")")
    }

    @Test(arguments: [
        (["--help"], ["tool"]), (["-h"], ["tool"]), (["help"], ["tool"]), (["greet", "--help"], ["tool", "greet"]),
        (["greet", "--name", "x", "-h"], ["tool", "greet"]), (["help", "group", "greet"], ["tool", "group", "greet"]),
        (["group", "--help", "--nonsense"], ["tool", "group"]),
    ])
    func `The argument parser finds the subcommand whose help is requested`(arguments: [String], path: [String]) throws
    {
        guard case .help(let found) = try ArgumentParser.parse(arguments, with: Self.root) else {
            Issue.record("nothing is explained")
            return
        }
        expectEqual(found.map(\.name), path)
    }

    @Test func `The argument parser knows the version's flag at the top`() throws {
        guard case .version = try ArgumentParser.parse(["--version"], with: Self.root) else {
            Issue.record("it asks for something else")
            return
        }
    }
}
