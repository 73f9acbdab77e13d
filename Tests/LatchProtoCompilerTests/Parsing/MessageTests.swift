// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@Suite struct MessageTests {
    private func messages(_ text: String, with others: [String: String] = [:]) -> [String] {
        compile(text, with: others).diagnostics.filter { $0.severity == .error }.map(\.description)
    }

    @Test func `A diagnostic of the compiler has its caret below the position, after tabs and wide characters`() {
        let lines = messages("syntax = \"proto3\";\nmessage M {\n\t/* 漢字 é */ Gone a = 1;\n}")
        expectEqual(
            lines,
            [
                "test.proto:3:25: error: 'Gone' is not declared\n    \t/* 漢字 é */ Gone a = 1;\n    \t             ^"
            ])
    }

    @Test func `A diagnostic of the compiler shows the part of a long line around the position`() throws {
        let padding = String(repeating: "/* é */ ", count: 10_000)
        let text = try #require(messages("syntax = \"proto3\"; \(padding)message M { Gone a = 1; } \(padding)").first)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3 && lines[1].count < 200 && lines[1].contains("Gone a = 1;"))
        let caret = try #require(lines[2].firstIndex(of: "^"))
        let column = lines[2].distance(from: lines[2].startIndex, to: caret)
        #expect(lines[1].dropFirst(column).hasPrefix("Gone"))
    }

    @Test func `A diagnostic of the compiler contains no terminal control sequences`() {
        for text in [
            "edition = \"\u{1B}[31m\";", "syntax = \"proto3\"; // \u{1B}[31m\u{9B}\nimport \"\u{1B}c\"; nonsense",
        ] {
            for line in messages(text) {
                #expect(
                    line.unicodeScalars.allSatisfy {
                        $0 == "\n" || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value))
                    })
            }
        }
    }

    @Test(arguments: [
        ("message M { strin a = 1; }", "Is 'string' meant?"),
        ("message User {} message M { Usr a = 1; }", "Is 'User' meant?"),
        ("message M {\n  string a = 1\n  string b = 2;\n}", "It may belong to the end of line 2."),
        (
            "import \"gone.proto\";",
            "It is looked up from the folders of .proto files, not from the file that imports it."
        ),
        (
            "message M { required string a = 1; }",
            "Remove 'required'; the reader of the message checks whether the field is set."
        ),
    ]) func `A diagnostic of the compiler suggests a similar name`(text: String, hint: String) {
        expectEqual(compile("syntax = \"proto3\"; " + text).diagnostics.compactMap(\.hint), [hint])
    }

    @Test func `A diagnostic of the compiler suggests nothing without a similar name`() {
        #expect(compile("syntax = \"proto3\"; message M { Elephant a = 1; }").diagnostics.allSatisfy { $0.hint == nil })
    }

    @Test func `A diagnostic of the compiler distinguishes a missing file from one with errors`() {
        let text = "import \"other.proto\";"
        #expect(messages(text)[0].contains("was not found"))
        #expect(messages(text, with: ["other.proto": "nonsense"]).contains { $0.contains("it has errors") })
    }

    @Test(arguments: ["../other.proto", "./other.proto", "a//other.proto", "/other.proto", "a/../other.proto"])
    func `A diagnostic of the compiler rejects an import path that is not canonical or leaves the includes`(
        path: String
    ) {
        expectEqual(errorPositions("import \"\(path)\";", with: [path: "syntax = \"proto3\";"]), ["1:1"])
    }

    @Test func `A diagnostic of the compiler suggests a syntax statement in a file that looks like proto3`() {
        expectEqual(
            compile("message M { string a = 1; }").diagnostics.first?.hint,
            "A file of proto3 begins with: syntax = \"proto3\";")
    }

    @Test func `A diagnostic of the compiler is reported once per non-ASCII character, in the order of the text`() {
        expectEqual(
            errorPositions("syntax = \"proto3\";\nnonsense;\nmessage M { string a = 1; } é"), ["2:1", "3:29", "3:29"])
    }

    @Test(arguments: [
        ("string a = 1 [default = \"\\xff\"]", "1:65"), ("string a = 1 [default = \"a\" '\\303']", "1:65"),
        ("string a = 1 [json_name = \"\\xff\"]", "1:55"), ("bytes a = 1 [default = \"\\xff\"]", nil),
        ("string a = 1 [default = \"\\303\" \"\\251\"]", nil),
    ])
    func `A diagnostic of the compiler for a text that is not UTF-8 is at the text`(field: String, position: String?) {
        expectEqual(
            errorPositions("syntax = \"proto2\"; message M { optional \(field); }"), [position].compactMap(\.self))
    }

    @Test(arguments: [200, 20_000])
    func `A diagnostic of the compiler for deeply nested options is an error instead of a stack overflow`(
        depth: Int
    ) {
        let head = """
            syntax = "proto3"; import "google/protobuf/descriptor.proto"; message O { O o = 1; int32 n = 2; }
            extend google.protobuf.FileOptions { O o = 50001; }
            """
        let (open, close) = (String(repeating: "{ o ", count: depth), String(repeating: "}", count: depth))
        expectEqual(errorPositions(head + "\noption (o) = \(open){ n: 1 }\(close);"), ["3:14"])
        let name = String(repeating: ".o", count: depth)
        expectEqual(errorPositions(head + "\noption (o)\(name).n = 1;"), ["3:8"])
        #expect(errorPositions(head + "\noption (o) = { o { o { n: 1 } } };").isEmpty)
    }

    @Test func `A diagnostic of the compiler for names beyond protoc's limits is an error`() {
        let package = Array(repeating: "a", count: 102).joined(separator: ".")
        expectEqual(errorPositions("syntax = \"proto3\"; package \(package); message M {}"), ["1:20"])
        let name = String(repeating: "a", count: 65_536)
        expectEqual(errorPositions("syntax = \"proto3\"; message \(name) {}"), ["1:28"])
        #expect(errorPositions("syntax = \"proto3\"; message \(name.dropLast()) {}").isEmpty)
    }

    @Test func `A diagnostic of the compiler about ranges also works for many ranges`() {
        let ranges = (0..<2_000).map { "\(10 * $0 + 1) to \(10 * $0 + 5)" }.joined(separator: ", ")
        let head = "syntax = \"proto2\"; message M { extensions \(ranges);\n"
        #expect(errorPositions(head + "reserved 7; optional int32 a = 8; }").isEmpty)
        expectEqual(errorPositions(head + "reserved 15010; optional int32 a = 15011; }").count, 1)
        expectEqual(errorPositions(head + "extensions 15005 to 15010; }").count, 1)
        expectEqual(errorPositions(head + "reserved 15005 to 15010; }").count, 1)
    }
}
