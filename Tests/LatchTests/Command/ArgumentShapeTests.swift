// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct ArgumentShapeTests {
    static let field = Option.values("field", "LINE", short: "H", "a field")
    static let file = Option.value("file", "FILE", short: "o", "a file")
    static let include = Option.flag("include", short: "i", "more")
    static let fail = Option.flag("fail", short: "f", "fails")
    static let send = Subcommand(
        name: "send", summary: "sends", options: [field, file, include, fail], combinesShortNames: true,
        arguments: [.init(name: "URL", summary: "where"), .init(name: "WORD", summary: "what", isOptional: true)],
        body: { _, _ in .success })
    static let root = Subcommand(
        name: "tool", summary: "a tool", subcommands: [send, SubcommandGroupTests.things])

    private func send(_ arguments: [String]) throws -> Invocation {
        guard case .run(_, let invocation) = try ArgumentParser.parse(["send"] + arguments, with: Self.root) else {
            throw CommandError.failed("no subcommand is run")
        }
        return invocation
    }

    private func refusal(_ arguments: [String]) -> CommandError? {
        do throws(CommandError) {
            _ = try ArgumentParser.parse(["send"] + arguments, with: Self.root)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (["-H", "a: 1", "-H", "b: 2", "u"], ["a: 1", "b: 2"]), (["-Ha: 1", "u", "--field=b"], ["a: 1", "b"]),
            (["-iHx", "u"], ["x"]), (["-H=x", "u"], ["x"]), (["-H", "-i", "u"], ["-i"]), (["u"], []),
        ] as [([String], [String])])
    func `A subcommand with curl's habits takes a flag several times, in order, joined to its letter or not`(
        arguments: [String], values: [String]
    )
        throws
    {
        let invocation = try send(arguments)
        expectEqual(invocation.all(Self.field), values)
        expectEqual(invocation[Self.field], values.last)
    }

    @Test(arguments: [["-if", "u"], ["-i", "-f", "u"], ["-ifofile", "u"], ["u", "-fi", "-o", "file"]])
    func `A subcommand with curl's habits takes letters one after another behind one dash`(arguments: [String]) throws {
        let invocation = try send(arguments)
        #expect(invocation.has(Self.include) && invocation.has(Self.fail))
        expectEqual(invocation.arguments, ["u"])
        #expect(invocation[Self.file].map { $0 == "file" } ?? true)
    }

    @Test(
        arguments: [
            (["-iz", "u"], "'tool send' has no option '-z'."), (["-ii", "u"], "'-i' is given twice."),
            (["-o", "a", "-ob", "u"], "'-o' is given twice."), (["-io"], "'-o' needs a value."),
            (["--i", "u"], "'tool send' has no option '--i'."), (["-i=x", "u"], "'-i' takes no value."),
        ] as [([String], String)])
    func `A subcommand with curl's habits refuses unknown letters, and repeated single ones`(
        arguments: [String], message: String
    ) {
        expectEqual(refusal(arguments)?.message, message)
        expectEqual(refusal(arguments)?.exitCode, .usage)
    }

    @Test func `A subcommand with curl's habits explains its letters among other letters too`() throws {
        guard case .help = try ArgumentParser.parse(["send", "-ih"], with: Self.root) else {
            Issue.record("it explains nothing")
            return
        }
    }

    @Test func `A subcommand with curl's habits needs only the words that cannot be left out`() throws {
        try expectNil(send(["u"]).argument(1))
        try expectEqual(send(["u", "w"]).argument(1), "w")
        try expectEqual(send(["u"]).argument(0), "u")
        expectEqual(refusal([])?.message, "'tool send' needs URL.")
        expectEqual(refusal(["u", "w", "x"])?.message, "'tool send' does not expect 'x'.")
        let help = HelpText([Self.root, Self.send]).text
        #expect(help.contains("usage: tool send URL [WORD] [--field LINE]… [--file FILE]"))
    }
}

@Suite struct SubcommandGroupTests {
    static let json = Option.flag("json", "for a script")
    static let use = Subcommand(
        name: "use", summary: "uses one", arguments: [.init(name: "NAME", summary: "which")], body: { _, _ in .success }
    )
    static let things = Subcommand(
        name: "things", summary: "lists things", options: [json], plannedOptions: ["soon": "Wait."], subcommands: [use],
        body: { _, _ in .success })
    private static let root = Subcommand(name: "tool", summary: "a tool", subcommands: [things])

    private func subcommand(_ arguments: String...) throws -> String {
        guard case .run(let subcommand, _) = try ArgumentParser.parse(arguments, with: Self.root) else {
            throw CommandError.failed("no subcommand is run")
        }
        return subcommand.name
    }

    private func refusal(_ arguments: String...) -> CommandError? {
        do throws(CommandError) {
            _ = try ArgumentParser.parse(arguments, with: Self.root)
            return nil
        } catch {
            return error
        }
    }

    @Test func `A subcommand with subcommands is called by itself, or by one of them`() throws {
        try expectEqual(subcommand("things"), "things")
        try expectEqual(subcommand("things", "--json"), "things")
        try expectEqual(subcommand("things", "use", "x"), "use")
        expectEqual(refusal("things", "us")?.hint?.contains("Did you mean 'tool things use'?"), true)
        expectEqual(refusal("things", "use")?.message, "'tool things use' needs NAME.")
    }

    @Test func `A subcommand with subcommands keeps its flags to itself`() {
        expectEqual(refusal("things", "--json", "use", "x")?.message, "'use' follows options that are not its own.")
        expectEqual(refusal("things", "use", "x", "--json")?.message, "'tool things use' has no option '--json'.")
    }

    @Test func `A subcommand with subcommands shows both ways to call it`() {
        #expect(HelpText([Self.root, Self.things]).text.contains("usage: tool things [SUBCOMMAND] [OPTIONS]"))
    }

    @Test func `A subcommand with subcommands mentions a later flag only to its caller`() {
        expectEqual(refusal("things", "--soon")?.message, "'--soon' is not supported yet.")
        expectEqual(refusal("things", "--soon=x")?.hint, "Wait.")
        expectEqual(refusal("things", "--sooon")?.message, "'tool things' has no option '--sooon'.")
        #expect(!HelpText([Self.root, Self.things]).text.contains("soon"))
    }
}

@Suite struct DashIdentifierTests {
    private func arguments(_ words: String...) throws(CommandError) -> [String] {
        let request = try ArgumentParser.parse(["admin", "devices", "sign-out"] + words, with: Program.root)
        guard case .run(_, let invocation) = request else { return [] }
        return invocation.arguments
    }

    @Test(arguments: ["-mWxBrJ3xtEOK1WgP99hwQ", "--WxBrJ3xtEOK1WgP99hwQ", "-json_-json_-json_-json"])
    func `An identifier that begins with a dash is accepted as shown`(id: String) throws {
        try expectEqual(arguments("ada@example.com", id), ["ada@example.com", id])
        try expectEqual(arguments("ada@example.com", id, "--json"), ["ada@example.com", id])
        try expectEqual(arguments("ada@example.com", "--", id), ["ada@example.com", id])
    }

    @Test func `An identifier that begins with a dash is distinguished from an option, also an unknown one`() {
        for word in ["-x", "--jsn", "-mWxBrJ3xtEOK1WgP99hw=", "--configuration-of-x=y"] {
            #expect(throws: CommandError.self) { try arguments("ada@example.com", word) }
        }
        // Only where it is expected: not in the place of an address, and not behind the last argument.
        #expect(throws: CommandError.self) { try arguments("-mWxBrJ3xtEOK1WgP99hwQ", "x") }
        #expect(throws: CommandError.self) { try arguments("a@b.org", "id", "-mWxBrJ3xtEOK1WgP99hwQ") }
    }
}
