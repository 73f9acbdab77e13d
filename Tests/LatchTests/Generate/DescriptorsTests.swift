// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import LatchProtoCompiler
import Testing

@Suite struct DescriptorsTests {
    @Test
    func `The subcommand descriptors writes a set that any reader understands, with imports on request`() async throws {
        try await GeneratorCall.with(["base.proto": "syntax = \"proto3\"; message Base {}"]) { call async throws in
            try call.write("syntax = \"proto3\"; import \"base.proto\"; message A { Base b = 1; }", to: "a.proto")
            for (flags, names) in [([], ["a.proto"]), (["--include-imports"], ["base.proto", "a.proto"])] {
                let process = try call.start("latch", ["descriptors", "-I.", "a.proto", "-o", "a.binpb"] + flags)
                let outcome = await BuiltProgram.outcome(of: process, in: call.folder)
                expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
                let bytes = Array(try #require(FileManager.default.contents(atPath: call.folder + "/a.binpb")))
                let files = try WireMessage(bytes).messages(1)
                expectEqual(files.compactMap { $0.string(1) }, names)
            }
        }
    }

    @Test func `The subcommand descriptors has comments and places only on request`() async throws {
        try await GeneratorCall.with { call async throws in
            for (flags, count) in [([], 0), (["--include-source-info"], 1)] {
                let process = try call.start("latch", ["descriptors", "shop/v1/shop.proto", "-o", "s.binpb"] + flags)
                await expectEqual(BuiltProgram.outcome(of: process, in: call.folder).ending, .exited(0))
                let bytes = Array(try #require(FileManager.default.contents(atPath: call.folder + "/s.binpb")))
                let file = try #require(try WireMessage(bytes).messages(1).first)
                expectEqual(file.serialized(9).count, count)
            }
        }
    }

    @Test func `The subcommand descriptors ends with 1 for mistakes, and with 2 for a usage error`()
        async throws
    {
        try await GeneratorCall.with([
            "a.proto": "syntax = \"proto3\";\nmessage A { B b = 1; }\nmessage C { D d = 1; }\n"
        ]) {
            call async throws in
            let wrong = try await call.run("latch", "descriptors", "a.proto", "-o", "a.binpb")
            #expect(wrong.ending == .exited(1) && wrong.error.count { $0.contains(": error: ") } == 2, "\(wrong.error)")
            expectNil(call.text("a.binpb"))
            try await expectEqual(call.run("latch", "descriptors", "a.proto").ending, .exited(2))
            try await expectEqual(call.run("latch", "descriptors", "-o", "x").ending, .exited(2))
        }
    }
}
