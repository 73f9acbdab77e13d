// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchProcess
import TestTags
import Testing

@Suite struct GenerateTests {
    @Test(arguments: GeneratorCall.programs)
    func `The subcommand generate works as Axiom documents it, in both programs`(program: String) async throws {
        try await GeneratorCall.with { call async throws in
            let outcome = try await call.run(
                program, "generate", "--proto-path", "shop/v1/shop.proto", "--output-path", "generated", "--languages",
                "swift", "--validate", "--skip-compilation", "--verbose")
            expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            expectEqual(outcome.output.first?.hasPrefix("Successfully generated "), true)
            #expect(outcome.output.contains { $0.contains("created   ./generated/swift/Contracts/ShopService.swift") })
            let files = try call.content("generated/swift")
            #expect(files["Clients/ShopClient.swift"] != nil && files["Clients/AxiomErrors.swift"] != nil)
            expectEqual(files["Contracts/ShopTypes.swift"]?.contains("struct GetItemsRequest: Message"), true)
        }
    }

    @Test(.tags(.reproducibleOutput))
    func `The subcommand generate makes the same bytes in both programs and in each run`() async throws {
        try await GeneratorCall.with { call async throws in
            for program in GeneratorCall.programs {
                let outcome = try await call.run(program, "generate", "-p", "shop", "-o", program)
                expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            }
            let (first, second) = (try call.content("latch"), try call.content("axiom-client-generator"))
            #expect(first == second && first.count > 5)
            let again = try await call.run("latch", "generate", "-p", "shop", "-o", "latch")
            expectEqual(again.output.first?.hasSuffix("(none has changed)"), true)
            try expectEqual(call.content("latch"), first)
        }
    }

    @Test(.tags(.reproducibleOutput))
    func `The subcommand generate is refused before any write over a foreign file`()
        async throws
    {
        try await GeneratorCall.with([
            "out/swift/Contracts/ShopService.swift": "mine\n", "out/swift/Contracts/Mine.swift": "mine\n",
        ]) { call async throws in
            let before = try call.content("out")
            let refused = try await call.run("latch", "generate", "-p", "shop", "-o", "out")
            expectEqual(refused.ending, .exited(1))
            expectEqual(refused.error.first?.contains("swift/Contracts/ShopService.swift"), true, "\(refused.error)")
            expectEqual(refused.error.last?.contains("--force-overwrite"), true)
            try expectEqual(call.content("out"), before)
            let forced = try await call.run("latch", "generate", "-p", "shop", "-o", "out", "--force-overwrite")
            expectEqual(forced.ending, .exited(0), "\(forced.error)")
            expectNotEqual(call.text("out/swift/Contracts/ShopService.swift"), "mine\n")
            expectEqual(call.text("out/swift/Contracts/Mine.swift"), "mine\n")
        }
    }

    @Test(.tags(.commandExitCodes))
    func `The subcommand generate generates only the requested services`() async throws {
        try await GeneratorCall.with { call async throws in
            let outcome = try await call.run(
                "latch", "generate", "-p", "shop", "-o", "out", "--services", "StockService")
            expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            let files = try call.content("out/swift")
            #expect(files.keys.contains("Clients/StockClient.swift"))
            #expect(!files.values.contains { $0.contains("ShopService") || $0.contains("GetItemsRequest") })
        }
    }

    @Test(
        .tags(.commandExitCodes),
        arguments: [
            (["-s", "CatService"], 1, "'CatService'", "ShopService, StockService"),
            (["-l", "kotlin"], 1, "'kotlin'", "Supported: swift."),
            (["--proto-path", "missing.proto"], 1, "'missing.proto' does not exist", "Give a .proto file"),
            (["--client-suffix", "1x"], 1, "--client-suffix: '1x'", ""),
            (["--swift-framework-version", "9.1"], 1, "'9.1'", "generates for"),
            (["--kotlin-framework-version", "1"], 2, "is not supported yet", "Swift"),
            (["--dry-run", "--diff"], 2, "exclude each other", "Give one"),
            (["--log-level", "loud"], 2, "'loud' is not a log level", "error, warn, info"),
            (["--visibility", "open"], 1, "'open' must be one of", ""),
        ] as [([String], Int32, String, String)])
    func `The subcommand generate fails with a reason, and lists alternatives`(
        flags: [String], code: Int32, says: String, hints: String
    ) async throws {
        try await GeneratorCall.with { call async throws in
            let paths = flags.contains("--proto-path") ? [] : ["-p", "shop"]
            let process = try call.start("latch", ["generate", "-o", "out"] + paths + flags)
            let outcome = await BuiltProgram.outcome(of: process, in: call.folder)
            expectEqual(outcome.ending, .exited(code), "\(outcome.error)")
            expectEqual(outcome.error.first?.contains(says), true, "\(outcome.error)")
            #expect(hints.isEmpty || outcome.error.last?.contains(hints) == true, "\(outcome.error)")
            #expect(outcome.output.isEmpty)
            #expect(try call.content("out").isEmpty)
        }
    }

    @Test(.tags(.commandExitCodes))
    func `The subcommand generate reports all errors of the .proto files with their place, and writes nothing`()
        async throws
    {
        try await GeneratorCall.with([
            "bad.proto": "syntax = \"proto3\";\nmessage A { B b = 1; }\nmessage C { D d = 1; }\n"
        ]) {
            call async throws in
            let outcome = try await call.run("latch", "generate", "-p", "bad.proto", "-o", "out")
            expectEqual(outcome.ending, .exited(1))
            #expect(outcome.error.contains { $0.contains("bad.proto:2:13: error: ") })
            #expect(outcome.error.contains { $0.contains("bad.proto:3:13: error: ") })
            #expect(outcome.error.contains { $0.contains("^") })
            #expect(outcome.error.contains("latch: 2 errors in the .proto files; nothing was written."))
            #expect(try call.content("out").isEmpty)
        }
    }

    @Test func `The subcommand generate shows a dry run, and does nothing of it`() async throws {
        try await GeneratorCall.with { call async throws in
            let dry = try await call.run("latch", "generate", "-p", "shop", "-o", "out", "--dry-run")
            #expect(
                dry.ending == .exited(0) && dry.output.contains("would create ./out/swift/Clients/ShopClient.swift"))
            let check = try await call.run("latch", "generate", "-p", "shop", "-o", "out", "--check")
            expectEqual(check.ending, .exited(1))
            #expect(try call.content("out").isEmpty)
            _ = try await call.run("latch", "generate", "-p", "shop", "-o", "out")
            let current = try await call.run("latch", "generate", "-p", "shop", "-o", "out", "--check")
            expectEqual(current.ending, .exited(0), "\(current.output)")
            try call.write(GeneratorCall.shop.replacing("string title", with: "string name"), to: "shop/v1/shop.proto")
            let before = try call.content("out")
            let diff = try await call.run("latch", "generate", "-p", "shop", "-o", "out", "--diff")
            expectEqual(diff.ending, .exited(0))
            #expect(diff.output.contains("--- a/swift/Contracts/ShopModels.swift"))
            #expect(diff.output.contains { $0.hasPrefix("-") && $0.contains("2 title string") })
            #expect(diff.output.contains { $0.hasPrefix("+") && $0.contains("2 name string") })
            let drift = try await call.run("latch", "generate", "-p", "shop", "-o", "out", "--check")
            expectEqual(drift.ending, .exited(1))
            try expectEqual(call.content("out"), before)
        }
    }

    @Test func `The subcommand generate prints no control character of an existing file or of its name`() async throws {
        let name = "swift/old\u{9B}31m.swift"
        try await GeneratorCall.with { call async throws in
            _ = try await call.run("latch", "generate", "-p", "shop", "-o", "out")
            try call.write("\u{1B}]0;pwned\u{7}\tx\r\u{9B}2J\n", to: "out/swift/Contracts/ShopService.swift")
            let diff = try await call.run("latch", "generate", "-p", "shop", "-o", "out", "--diff", "--force-overwrite")
            #expect(diff.output.contains(#"-\u{1b}]0;pwned\u{7}"# + "\tx" + #"\u{d}\u{9b}2J"#), "\(diff.output)")
            // A file that was generated once, as the manifest says.
            try call.write("old\n", to: "out/\(name)")
            // The SHA-256 of its text.
            let digest = "01d09d19c2139a46aebfb577780d123d7396e97201bc7ead210a2ebff8239dee"
            try call.write(
                try #require(call.text("out/.latchwork.json")).replacing(
                    "\"files\": {",
                    with: "\"files\": {\n\"\(name)\": {\"digests\": [\"\(digest)\"], \"from\": [\"../shop\"]},"),
                to: "out/.latchwork.json")
            for flags in [["--dry-run"], ["--diff"], ["--json", "--dry-run"], ["--verbose"]] {
                let outcome = try await call.run(
                    "latch", ["generate", "-p", "shop", "-o", "out", "--force-overwrite"] + flags)
                let text = (outcome.output + outcome.error).joined(separator: "\n")
                #expect(text.contains(flags[0] == "--json" ? #"\u009b31m"# : #"\u{9b}31m"#), "\(flags) \(text)")
                #expect(!text.unicodeScalars.contains { (0x7F...0x9F).contains($0.value) || $0.value == 0x1B })
            }
        }
    }

    @Test func `The subcommand generate reports to a script as one object`() async throws {
        try await GeneratorCall.with { call async throws in
            let outcome = try await call.run("latch", "generate", "-p", "shop", "-o", "out", "--json")
            #expect(outcome.ending == .exited(0) && outcome.error.isEmpty)
            let report = try JSONValue(parsing: outcome.output.joined())
            #expect(report["success"] == true && report["written"] == true)
            #expect(report["stats"]?["services_generated"] == 2 && report["stats"]?["messages_generated"] == 5)
            #expect((report["stats"]?["lines_of_code_generated"]?.intValue ?? 0) > 100)
            expectEqual(report["generated_files"]?.arrayValue?.contains("./out/swift/Clients/ShopClient.swift"), true)
            let failed = try await call.run("latch", "generate", "-p", "missing", "-o", "out", "--json")
            expectEqual(failed.ending, .exited(1))
            let failure = try JSONValue(parsing: failed.output.joined())
            #expect(failure["success"] == false && failure["error"]?["code"] == "missingInput")
        }
    }

    @Test
    func `The subcommand generate takes settings from latchwork.toml, and the environment and flags over it`()
        async throws
    {
        let file =
            "[generate]\nproto_path = \"shop\"\noutput_path = \"out\"\nclient_suffix = \"File\"\ninclude_documentation = false\n"
        try await GeneratorCall.with(["latchwork.toml": file]) { call async throws in
            let outcome = try await call.run("latch", "generate")
            expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            #expect(call.text("out/swift/Clients/ShopFile.swift") != nil)
            #expect(try !call.content("out").keys.contains { $0.contains("Documentation") })
            _ = try await call.run("latch", "generate", environment: ["AXIOM_CLIENT_SUFFIX": "World"])
            #expect(call.text("out/swift/Clients/ShopWorld.swift") != nil)
            expectNil(call.text("out/swift/Clients/ShopFile.swift"), "what is generated no more is removed")
            _ = try await call.run(
                "latch", "generate", "--client-suffix", "Flag", environment: ["AXIOM_CLIENT_SUFFIX": "World"])
            #expect(call.text("out/swift/Clients/ShopFlag.swift") != nil)
        }
    }
}

@Suite struct GenerateWatchTests {
    @Test
    func `The subcommand generate with --watch generates again after each change, and ends with SIGTERM`() async throws
    {
        try await GeneratorCall.with { call async throws in
            let process = try call.start("latch", ["generate", "-p", "shop", "-o", "out", "--watch"])
            await expectEqual(process.line()?.hasPrefix("Successfully generated"), true)
            try call.write(GeneratorCall.shop.replacing("string title", with: "string name"), to: "shop/v1/shop.proto")
            await expectEqual(process.line()?.hasPrefix("Successfully generated"), true)
            expectEqual(call.text("out/swift/Contracts/ShopModels.swift")?.contains("2 name string"), true)
            // A mistake is told, and the watch goes on.
            try call.write("syntax = \"proto3\"; message A { B b = 1; }", to: "shop/v1/shop.proto")
            try call.write("syntax = \"proto3\"; message New { string id = 1; }", to: "shop/v1/new.proto")
            try call.write(GeneratorCall.shop, to: "shop/v1/shop.proto")
            while let line = await process.line() {
                #expect(line.hasPrefix("Successfully generated"))
                if try call.content("out").values.contains(where: { $0.contains("struct New: ") }) { break }
            }
            process.terminate()
            await expectEqual(process.end(), .exited(0))
        }
    }
}
