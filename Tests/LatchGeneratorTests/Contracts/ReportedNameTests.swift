// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

/// The inputs that the generator could not turn into Swift that compiles.
@Suite struct ReportedNameTests {
    private func generate(
        _ texts: [String: String], _ names: [String]? = nil, _ change: (inout GenerationOptions) -> Void = { _ in }
    ) throws -> GenerationResult {
        let compilation = Compiler { texts[$0].map { Array($0.utf8) } }.compile(names ?? texts.keys.sorted())
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        var options = GenerationOptions()
        change(&options)
        return SwiftGenerator.generate(compilation.filesToGenerate, options)
    }

    private func types(_ result: GenerationResult) -> Set<String> {
        Set(
            result.files.flatMap { $0.text.split(separator: "\n") }.compactMap { line in
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(where: { ["struct", "enum", "actor", "class"].contains($0) }),
                    line.hasPrefix("public"), index + 1 < words.count
                else { return nil }
                return String(words[index + 1].prefix { $0 != ":" })
            })
    }

    @Test func `Names from real .proto files include those of public imports`() throws {
        let head = "syntax = \"proto3\"; package x; "
        let result = try generate(
            [
                "a.proto": head + "import \"b.proto\"; message A { B b = 1; C c = 2; }",
                "b.proto": head + "import public \"c.proto\"; message B { int32 v = 1; }",
                "c.proto": head + "message C { int32 v = 1; }",
            ], ["a.proto"])
        #expect(result.isComplete)
        expectEqual(types(result), ["A", "B", "C"])
    }

    private static let jobs = "syntax = \"proto3\"; package jobs.v1; message GetRequest { string id = 1; } "
    private static let service = """
        syntax = "proto3"; package jobs.v1; import "types.proto";
        service JobService { rpc Get(GetRequest) returns (Job); }
        """

    @Test func `Names of a client do not change if an imported file grows`() throws {
        let before = Self.jobs + "message Job { string s = 1; }"
        let after = Self.jobs + "message Job { JobState state = 1; } enum JobState { JOB_STATE_UNSPECIFIED = 0; }"
        let old = try generate(["service.proto": Self.service, "types.proto": before])
        #expect(types(old).isSuperset(of: ["JobClient", "JobState", "JobAction"]))
        let new = try generate(["service.proto": Self.service, "types.proto": after])
        #expect(!new.isComplete && new.files.allSatisfy { !$0.path.contains("/Clients/") })
        expectEqual(new.diagnostics.map(\.message), ["'JobState' would be both a type of the client and a message"])
        expectEqual(new.diagnostics.first?.hint?.contains("--keep-service-names"), true)
        for prefix in ["", "JobsV1"] {
            let whole = try generate(["service.proto": Self.service, "types.proto": after]) {
                $0.keepsServiceNames = true
                $0.swift.prefixesPackages = !prefix.isEmpty
            }
            #expect(whole.isComplete, "\(whole.diagnostics)")
            let names = ["JobServiceClient", "JobServiceState", "JobState"].map { prefix + $0 }
            #expect(types(whole).isSuperset(of: names))
        }
    }

    @Test func `Names of files are numbered if a file system that ignores case would join them`() throws {
        let result = try generate([
            "a/local_ratelimit.proto": "syntax = \"proto3\"; package a; message First {}",
            "b/local_rate_limit.proto": "syntax = \"proto3\"; package b; message Second {}",
        ])
        #expect(result.isComplete)
        expectEqual(
            result.files.map(\.path),
            [
                "swift/Contracts/LocalRateLimitModels2.swift", "swift/Contracts/LocalRatelimitModels.swift",
            ])
    }

    @Test func `Names that two files of a package declare are numbered, regardless of the request`() throws {
        let texts = [
            "one.proto": "syntax = \"proto3\"; package m; message AS3935_config { int32 x = 1; }",
            "two.proto":
                "syntax = \"proto3\"; package m; import \"one.proto\"; message AS3935Config { AS3935_config y = 1; }",
        ]
        for names in [["one.proto", "two.proto"], ["two.proto", "one.proto"], ["two.proto"]] {
            let result = try generate(texts, names)
            expectEqual(types(result), ["AS3935Config", "AS3935Config_2"])
            expectEqual(result.diagnostics.map(\.severity), [.warning])
        }
    }

    @Test func `Names of extensions avoid nested types and each other`() throws {
        let nested = """
            syntax = "proto2"; package ne; message Foo { extensions 1 to 10; }
            message Outer { message Extensions { optional int32 x = 1; } extend Foo { optional int32 foo2 = 2; } }
            """
        let text = try generate(["a.proto": nested]).files.map(\.text).joined()
        #expect(
            text.contains("public enum MessageExtensions {") && text.contains("public struct Extensions: Message {"))
        let alike = """
            syntax = "proto2"; package en; message A { extensions 1 to 10; } message B { extensions 1 to 10; }
            message C { extensions 1 to 10; } extend A { optional int32 http = 1; } extend B { optional int32 HTTP = 1; }
            extend C { optional int32 Http = 1; }
            """
        let result = try generate(["a.proto": alike])
        #expect(result.files.map(\.text).joined().contains("[http, http_1, http_2]"))
    }

    @Test func `Names of cases avoid those of Optional`() throws {
        let text = """
            syntax = "proto3"; package nc; enum Kind { KIND_NONE = 0; KIND_SOME = 1; } message M { optional Kind kind = 1; }
            """
        let result = try generate(["a.proto": text]).files.map(\.text).joined()
        #expect(result.contains("case none_\n") && result.contains("case some_\n"))
    }

    @Test func `Names of Foundation's types are imported only if a declaration has one`() throws {
        let text = """
            syntax = "proto2"; package uf; import "google/protobuf/descriptor.proto"; message M { optional int32 x = 1; }
            extend google.protobuf.FileOptions { optional bytes raw = 50001; }
            """
        #expect(try !generate(["a.proto": text]).files.map(\.text).joined().contains("import Foundation"))
    }

    @Test func `Names from real .proto files do not begin with the digit of a package`() throws {
        let result = try generate(["a.proto": "syntax = \"proto3\"; package _3d.v1; message Mesh { int32 x = 1; }"]) {
            $0.swift.prefixesPackages = true
        }
        expectEqual(types(result), ["_3dV1Mesh"])
    }
}
