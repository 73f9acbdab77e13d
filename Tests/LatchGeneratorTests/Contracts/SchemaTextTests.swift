// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct SchemaTextTests {
    /// The lines between the quotes of the first schema.
    private func lines(_ text: String) throws -> [Substring] {
        let output = try written(text)
        try #require(output.diagnostics.isEmpty, "\(output.diagnostics)")
        let lines = try #require(output.files.first).text.split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasSuffix("\"\"\"") })
        return lines[(start + 1)...].prefix { !$0.drop { $0 == " " || $0 == "#" }.hasPrefix("\"\"\"") }
            .map { $0.drop { $0 == " " } }
    }

    @Test func `The schema of a message is a raw string if a reserved name has quotation marks`() throws {
        let text = try swift(#"message M { int32 a = 1; reserved "x\"\"\""; }"#)
        #expect(text.contains("\n        #\"\"\"\n") && text.contains("\n        \"\"\"#"))
    }

    @Test func `The schema of a message names the type of each field`() throws {
        let types = [
            "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64",
            "sfixed32",
            "sfixed64", "bool", "string", "bytes",
        ]
        let fields = types.enumerated().map { "\($0.element) f\($0.offset) = \($0.offset + 1);" }.joined()
        try expectEqual(
            lines("syntax = \"proto3\"; message M { \(fields) }"),
            types.enumerated().map { "\($0.offset + 1) f\($0.offset) \($0.element)" })
    }

    @Test func `The schema of a message states the presence of a field`() throws {
        try expectEqual(
            lines(
                """
                syntax = "proto3";
                message M {
                  optional int32 a = 1; repeated int32 b = 2; repeated int32 c = 3 [packed = false];
                  repeated string d = 4; M e = 5; optional M f = 6; oneof g { int32 h = 7; M i = 8; }
                  map<string, M> j = 9; map<int32, bytes> k = 10;
                  oneof l { string m = 11; }
                }
                """),
            [
                "1 a int32 optional", "2 b int32 repeated", "3 c int32 expanded", "4 d string repeated",
                "5 e message 0",
                "6 f message 0", "7 h int32 oneof 0", "8 i message 0 oneof 0", "9 j map string message 0",
                "10 k map int32 bytes", "11 m string oneof 1",
            ])
    }

    @Test func `The schema of a message states the properties that only proto2 has`() throws {
        try expectEqual(
            lines(
                """
                syntax = "proto2";
                message M {
                  required int32 a = 1; optional group B = 2 { } repeated int32 c = 3; repeated int32 d = 4 [packed = true];
                  optional E e = 5 [default = Y]; optional string f = 6 [default = "a\\"b\\\\c\\n\\001"];
                  optional bytes g = 7 [default = "\\377"]; optional double h = 8 [default = inf];
                  extensions 100 to 199, 1000 to max;
                }
                enum E { X = 1; Y = 2; }
                """),
            [
                "1 a int32 required", "2 b group 0", "3 c int32 expanded", "4 d int32 repeated",
                "5 e closed 1 optional default \"Y\"",
                #"6 f string optional default "a\"b\\c\n\001""#, #"7 g bytes optional default "\377""#,
                "8 h double optional default \"inf\"", "extensions 100 199", "extensions 1000 536870911",
            ])
    }

    @Test func `The schema of a message states the effects of features`() throws {
        try expectEqual(
            lines(
                """
                edition = "2023";
                message M {
                  string a = 1; string b = 2 [features.field_presence = IMPLICIT];
                  string c = 3 [features.field_presence = LEGACY_REQUIRED]; M d = 4 [features.message_encoding = DELIMITED];
                  repeated int32 e = 5 [features.repeated_field_encoding = EXPANDED];
                  string f = 6 [features.utf8_validation = NONE]; E g = 7;
                }
                enum E { option features.enum_type = CLOSED; X = 0; }
                """),
            [
                "1 a string optional", "2 b string", "3 c string required", "4 d group 0", "5 e int32 expanded",
                "6 f string optional", "7 g closed 1 optional",
            ])
    }

    @Test func `The schema of a message names a field in JSON if that differs from its own name`() throws {
        try expectEqual(
            lines(
                """
                syntax = "proto3";
                message M { string a_b = 1; string c_d = 2 [json_name = "CD"]; string e = 3 [json_name = "e"]; }
                """), ["1 a_b string", "2 c_d string json CD", "3 e string"])
    }

    @Test func `The schema of a message names a field in JSON for any name`() throws {
        try expectEqual(
            lines(
                """
                syntax = "proto3";
                message M { string a = 1 [json_name = "a b"]; string c = 2 [json_name = "\\"\\\\"]; }
                """), ["1 a string json a\\040b", "2 c string json \\\"\\\\"])
    }
}
