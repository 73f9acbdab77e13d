// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import Testing

/// protoc, which Scripts/fetch-peers installs.
private enum Protoc {
    static let hint: Comment = "Scripts/fetch-peers proto could not install protoc: no network, no python3, or no pip"

    static func isPresent() async -> Bool { await path.value != nil }

    private static let path = Task<String?, Never> {
        let script = URL(filePath: #filePath).appending(path: "../../../../Scripts/fetch-peers").standardized.path
        do {
            let (ending, output) = try await ChildProcess.run("/usr/bin/env", ["bash", script, "proto"])
            guard ending == .exited(0) else { return nil }
            let folder = String(decoding: output, as: UTF8.self).split(separator: "\n").last ?? ""
            let path = "\(folder)/bin/protoc"
            return FileManager.default.fileExists(atPath: path) ? path : nil
        } catch {
            return nil
        }
    }

    /// Runs it in the folder of a call.
    static func run(_ call: GeneratorCall, _ arguments: [String]) async throws -> BuiltProgram.Outcome {
        let errors = call.folder + "/protoc-error"
        if FileManager.default.fileExists(atPath: errors) { try FileManager.default.removeItem(atPath: errors) }
        let process = try ChildProcess.start(
            try #require(await path.value), arguments, in: call.folder, errors: .file(errors))
        let ending = await process.end()
        return BuiltProgram.Outcome(output: [], error: BuiltProgram.lines(of: errors), ending: ending)
    }
}

@Suite(.enabled(Protoc.hint) { await Protoc.isPresent() }) struct ProtocTests {
    private static let plugin = "--plugin=protoc-gen-latch=\(BuiltProgram.folder)/protoc-gen-latch"

    private static let files = [
        "two.proto": """
        syntax = "proto2";
        package two;
        // Kept for long.
        message Old {
          required string id = 1; optional group Part = 2 { optional int32 n = 1; }
          optional Kind kind = 3 [default = LAST];
          extensions 100 to 199;
          enum Kind { FIRST = 1; LAST = 2; }
        }
        extend Old { optional string note = 100; }
        """,
        "modern.proto": """
        edition = "2023";
        package modern;
        import "google/protobuf/timestamp.proto";
        option features.field_presence = IMPLICIT;
        message Now {
          string name = 1 [features.field_presence = EXPLICIT];
          Now inner = 2 [features.message_encoding = DELIMITED];
          map<string, bytes> parts = 3;
          google.protobuf.Timestamp at = 4;
          oneof one { int64 a = 5; bool b = 6; }
        }
        """,
    ]

    @Test(arguments: ["shop/v1/shop.proto", "two.proto", "modern.proto"])
    func `The plugin writes the same as the generator`(name: String) async throws {
        try await GeneratorCall.with(Self.files) { call async throws in
            try FileManager.default.createDirectory(atPath: call.folder + "/theirs", withIntermediateDirectories: true)
            let called = try await Protoc.run(call, [Self.plugin, "--latch_out=theirs", "-I.", name])
            expectEqual(called.ending, .exited(0), "\(called.error)")
            let own = try await call.run(
                "latch", "generate", "-I.", "-p", name, "-o", "own", "--layout", "perFile", "--no-clients")
            expectEqual(own.ending, .exited(0), "\(own.error)")
            var files = try call.content("own")
            files[".latchwork.json"] = nil
            #expect(try call.content("theirs") == files && files.count == 1)
        }
    }

    @Test(arguments: ["shop/v1/shop.proto", "two.proto", "modern.proto"])
    func `Descriptors are the same bytes as protoc's`(name: String) async throws {
        try await GeneratorCall.with(Self.files) { call async throws in
            for flags in [[], ["--include_imports"], ["--include_source_info"]] {
                let theirs = try await Protoc.run(call, ["--descriptor_set_out=theirs", "-I.", name] + flags)
                expectEqual(theirs.ending, .exited(0), "\(theirs.error)")
                let own = try await call.run(
                    "latch", ["descriptors", "-I.", name, "-o", "own"] + flags.map { $0.replacing("_", with: "-") })
                expectEqual(own.ending, .exited(0), "\(own.error)")
                let both = ["own", "theirs"].map { FileManager.default.contents(atPath: "\(call.folder)/\($0)") }
                #expect(both[0] == both[1] && both[0] != nil)
            }
        }
    }

    @Test(arguments: ["user-service", "task-manager", "comprehensive", "basic"])
    func `Examples compile in protoc with the shipped files of options`(name: String) async throws {
        try await GeneratorCall.with { call async throws in
            for written in [name, "options"] {
                let outcome = try await call.run("latch", "examples", written, "--write", "protos")
                expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            }
            let path = try #require(try call.content("protos").keys.first { !$0.contains("options") })
            let compiled = try await Protoc.run(call, [Self.plugin, "--latch_out=.", "-Iprotos", path])
            expectEqual(compiled.ending, .exited(0), "\(compiled.error)")
        }
    }

    @Test func `Errors of the plugin are shown by protoc, with their place`() async throws {
        try await GeneratorCall.with([
            "clash.proto":
                "syntax = \"proto3\"; message M { string user_id = 1; string userId = 2 [json_name = \"x\"]; }"
        ]) { call async throws in
            let outcome = try await Protoc.run(call, [Self.plugin, "--latch_out=.", "-I.", "clash.proto"])
            expectEqual(outcome.ending, .exited(1))
            #expect(outcome.error.contains { $0.contains("clash.proto:1:") }, "\(outcome.error)")
            let parameter = try await Protoc.run(
                call, [Self.plugin, "--latch_out=colour=red:.", "-I.", "shop/v1/shop.proto"])
            #expect(parameter.error.contains { $0.contains("'colour'") }, "\(parameter.error)")
        }
    }
}
