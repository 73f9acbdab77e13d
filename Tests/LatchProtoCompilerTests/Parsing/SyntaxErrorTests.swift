// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

/// The positions at which a file is rejected, which are also those of protoc.
@Suite struct SyntaxErrorTests {
    @Test(arguments: [
        ("syntax = \"proto4\";", "1:10"),
        ("edition = \"2022\";", "1:11"),
        ("message M {}\nnonsense;", "2:1"),
        ("syntax = \"proto3\"; message {}", "1:28"),
        ("syntax = \"proto3\"; message M { int32 a; }", "1:39"),
        ("syntax = \"proto3\"; message M { int32 a = x; }", "1:42"),
        ("syntax = \"proto2\"; message M { int32 a = 1; }", "1:32"),
        ("syntax = \"proto3\"; message M { int32 a = 99999999999; }", "1:42"),
        ("syntax = \"proto3\"; message M { map<string> a = 1; }", "1:42"),
        ("syntax = \"proto3\"; message M { repeated map<string, string> a = 1; }", "1:44"),
        ("syntax = \"proto3\"; message M { oneof o { repeated int32 a = 1; } }", "1:42"),
        ("syntax = \"proto3\"; enum E { A = 0 }", "1:35"),
        ("syntax = \"proto3\"; enum E { A; }", "1:30"),
        ("syntax = \"proto3\"; service S { rpc A(M) returns M; }", "1:49"),
        ("syntax = \"proto3\"; message M { reserved a; }", "1:41"),
        ("edition = \"2023\"; message M { optional int32 a = 1; }", "1:31"),
        ("edition = \"2023\"; message M { reserved \"a\"; }", "1:40"),
        ("syntax = \"proto2\"; message M { optional group g = 1 {} }", "1:47"),
        ("syntax = \"proto3\"; option x = ;", "1:31"),
        ("syntax = \"proto3\"; option x = -\"a\";", "1:32"),
        ("syntax = \"proto3\"; message M { string a = 1 [json_name = 1]; }", "1:58"),
        ("syntax = \"proto3\"; message M {", "1:31"),
        ("syntax = \"proto3\"; }", "1:20"),
        ("syntax = \"proto3\"; package a; package b;", "1:31"),
        ("syntax = \"proto3\"; import 1;", "1:27"),
    ])
    func `A .proto file with a syntax error is rejected at the place where it leaves the grammar`(
        text: String, position: String
    ) {
        #expect(errorPositions(text).contains(position))
    }

    @Test(arguments: [
        ("syntax = \"proto3\"; message M { string a = 1 [default = \"x\n\"]; }", "1:58"),
        ("syntax = \"proto2\"; message M { optional int32 a = 1 [default = 0x]; }", "1:66"),
        ("syntax = \"proto2\"; message M { optional int32 a = 1 [default = 09]; }", "1:65"),
        ("syntax = \"proto2\"; message M { optional float a = 1 [default = 1e]; }", "1:66"),
        ("syntax = \"proto2\"; message M { optional float a = 1 [default = 1.2.3]; }", "1:67"),
        ("syntax = \"proto2\"; message M { optional int32 a = 1 [default = 1a]; }", "1:65"),
        ("syntax = \"proto3\"; option java_package = \"\\q\";", "1:44"),
        ("syntax = \"proto3\"; /* /* */", "1:24"),
        ("syntax = \"proto3\"; /* never", "1:28"),
        ("syntax = \"proto3\"; message Ä {}", "1:28"),
        ("syntax = \"proto3\"; \u{1} message M {}", "1:20"),
    ])
    func `A .proto file with a syntax error is rejected at a malformed token`(text: String, position: String) {
        #expect(errorPositions(text).contains(position))
    }

    @Test func `A .proto file with a syntax error has all its errors reported in one run`() {
        let text = """
            syntax = "proto3";
            message A { int32 = 1; string ok = 2; int32 b 3; }
            enum E { X = ; Y = 1; }
            """
        expectEqual(errorPositions(text), ["2:19", "2:47", "3:14"])
    }

    @Test func `A .proto file with a syntax error is reported with the line, a caret and a hint`() throws {
        let diagnostic = try #require(compile("syntax = \"proto3\";\n\tfoo = 1;").diagnostics.first)
        #expect(diagnostic.description.hasPrefix("test.proto:2:9: error: "))
        #expect(diagnostic.description.contains("    \tfoo = 1;\n    \t^"))
        let other = try #require(compile("edition = \"1999\";").diagnostics.first)
        #expect(other.description.contains("hint: The editions are 2023, 2024 and 2026."))
    }

    @Test func `A .proto file with a syntax error is rejected if it nests too deeply`() {
        let text =
            "syntax = \"proto3\";" + String(repeating: "message M {", count: 40) + String(repeating: "}", count: 40)
        #expect(!errorPositions(text).isEmpty)
        let deep = String(repeating: "{", count: 100_000)
        #expect(!errorPositions("syntax = \"proto3\"; option x = \(deep);").isEmpty)
    }

    @Test func `A .proto file with a syntax error is parsed without a trap, for any bytes`() {
        for bytes in [[], [0xEF], [0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0], Array("syntax".utf8), [0x22], [0x2F, 0x2A]] {
            let compilation = Compiler { $0 == "x" ? bytes : nil }.compile(["x"])
            #expect(compilation.files.count <= 1)
        }
        #expect(!Compiler { _ in nil }.compile(["missing.proto"]).isComplete)
    }
}
