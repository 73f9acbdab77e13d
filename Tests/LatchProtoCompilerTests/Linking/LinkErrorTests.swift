// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@Suite struct LinkErrorTests {
    @Test(arguments: [
        ("message M { N n = 1; }", "1:31"),
        ("message M { int32 a = 1; int32 a = 2; }", "1:50"),
        ("message M { int32 a = 1; int32 b = 1; }", "1:54"),
        ("message M {} message M {}", "1:40"),
        ("message M {} enum M { A = 0; }", "1:37"),
        ("enum A { X = 0; } enum B { X = 0; }", "1:46"),
        ("enum E { A = 1; }", "1:32"),
        ("enum E { A = 0; B = 0; }", "1:39"),
        ("enum E { E_A = 0; A = 1; }", "1:37"),
        ("message M { reserved 1 to 3; int32 a = 2; }", "1:40"),
        ("message M { reserved \"a\"; int32 a = 2; }", "1:51"),
        ("message M { reserved 1 to 3, 2; }", "1:40"),
        ("message M { int32 a = 0; }", "1:41"),
        ("message M { int32 a = 536870912; }", "1:41"),
        ("message M { map<float, string> a = 1; }", "1:31"),
        ("message M { int32 a_b = 1; int32 aB = 2; }", "1:52"),
        ("message M { extensions 1 to 2; }", "1:42"),
        ("message M { string a = 1 [default = \"x\"]; }", "1:55"),
        ("message M { string a = 1 [packed = true]; }", "1:31"),
        ("message M { string a = 1 [jstype = JS_STRING]; }", "1:31"),
        ("message M { string a = 1 [nonsense = true]; }", "1:45"),
        ("message M { string a = 1 [deprecated = 1]; }", "1:58"),
        ("message M { string a = 1 [deprecated = true, deprecated = true]; }", "1:64"),
        ("message M { string a = 1 [(foo) = true]; }", "1:45"),
        ("service S { rpc A(N) returns (S); }", "1:37"),
        ("service S { rpc A(S) returns (S); }", "1:37"),
        ("import \"none.proto\";", "1:19"),
    ])
    func `A .proto file with a linking error is rejected at the position of the error`(text: String, position: String) {
        #expect(errorPositions("syntax=\"proto3\";  " + text).contains(position))
    }

    @Test func `A .proto file with a linking error receives a hint that names the missing import`() throws {
        let diagnostics = compile(
            "syntax = \"proto3\"; import \"b.proto\"; message M { c.C c = 1; B b = 2; }",
            with: [
                "b.proto": "syntax = \"proto3\"; import \"c.proto\"; message B { c.C c = 1; }",
                "c.proto": "syntax = \"proto3\"; package c; message C {}",
            ]
        ).diagnostics
        expectEqual(diagnostics.map(\.hint), ["Add: import \"c.proto\";"])
    }

    @Test func `A .proto file with a linking error resolves names from public imports`() throws {
        let file = try file(
            "syntax = \"proto3\"; import \"b.proto\"; message M { c.C c = 1; }",
            with: [
                "b.proto": "syntax = \"proto3\"; import public \"c.proto\";",
                "c.proto": "syntax = \"proto3\"; package c; message C {}",
            ])
        expectEqual(file.messages.first?.fields.first?.message?.fullName, "c.C")
    }

    @Test func `A .proto file with a linking error is rejected in a chain of imports, before the stack ends`() {
        let compilation = Compiler { name in
            guard let number = Int(name.dropLast(".proto".count)), number < 5_000 else { return nil }
            return Array("syntax = \"proto3\"; import public \"\(number + 1).proto\";".utf8)
        }.compile(["0.proto"])
        #expect(!compilation.isComplete)
        #expect(compilation.diagnostics.contains { $0.message.contains("1000 files import each other in a row") })
    }

    @Test func `A .proto file with a linking error is rejected in a chain with each file requested first`() {
        let names = (0..<5_000).map { "\($0).proto" }
        let compilation = Compiler { name in
            guard let number = Int(name.dropLast(".proto".count)) else { return nil }
            return Array("syntax = \"proto3\";\(number > 0 ? " import public \"\(number - 1).proto\";" : "")".utf8)
        }.compile(names)
        #expect(!compilation.isComplete && compilation.files.count == 1_000)
        #expect(compilation.diagnostics.contains { $0.message.contains("1000 files import each other in a row") })
    }

    @Test func `A .proto file with a linking error is rejected at the import when it imports itself`() {
        let files = ["b.proto": "syntax = \"proto3\"; import \"test.proto\";"]
        let diagnostics = compile("syntax = \"proto3\"; import \"b.proto\";", with: files).diagnostics
        #expect(diagnostics.contains { $0.message.contains("test.proto → b.proto → test.proto") })
    }

    @Test func `A .proto file with a linking error resolves names from the innermost scope outwards`() throws {
        let file = try file(
            """
            syntax = "proto3";
            package a.b;
            message C { message D {} D inner = 1; C.D outer = 2; b.C whole = 3; .a.b.C.D rooted = 4; }
            message D {}
            """)
        expectEqual(
            file.messages.first?.fields.map { $0.typeName ?? "" }, [".a.b.C.D", ".a.b.C.D", ".a.b.C", ".a.b.C.D"])
    }

    @Test func `A .proto file with a linking error receives a warning for an unused import`() {
        let diagnostics = compile(
            "syntax = \"proto3\"; import \"google/protobuf/empty.proto\"; message M {}"
        ).diagnostics
        expectEqual(diagnostics.map(\.severity), [.warning])
    }

    @Test func `A .proto file with a linking error lists each file after its imports`() {
        let compilation = compile(
            "syntax = \"proto3\"; import \"b.proto\"; message M { B b = 1; }",
            with: [
                "b.proto":
                    "syntax = \"proto3\"; import \"google/protobuf/any.proto\"; message B { google.protobuf.Any a = 1; }"
            ])
        expectEqual(compilation.files.map(\.name), ["google/protobuf/any.proto", "b.proto", "test.proto"])
        expectEqual(compilation.filesToGenerate.map(\.name), ["test.proto"])
    }
}
