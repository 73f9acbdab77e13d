// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@Suite struct DeclarationTests {
    private static let declarations = """
        declaration = { number: 10, full_name: ".ten", type: "string" },
        declaration = { number: 11, reserved: true },
        declaration = { number: 12, full_name: ".twelve", type: ".M", repeated: true }
        """

    private func positions(_ extension: String, _ range: String = "10 to 20 [\(declarations)]") -> [String] {
        errorPositions("syntax = \"proto2\"; message M { extensions \(range); }\nextend M { \(`extension`) }")
    }

    @Test(arguments: ["optional string ten = 10;", "repeated M twelve = 12;"])
    func `A message that declares its extensions accepts the declared extensions`(field: String) {
        #expect(positions(field).isEmpty)
    }

    @Test(arguments: [
        "optional string other = 10;", "optional int32 ten = 10;", "repeated string ten = 10;",
        "optional int32 eleven = 11;", "optional M twelve = 12;", "optional int32 free = 13;",
    ])
    func `A message that declares its extensions rejects all others at the name of the extended message`(field: String)
    {
        expectEqual(positions(field), ["4:8"])
    }

    @Test
    func `A message that declares its extensions accepts no extension if it requires declarations and has none`() {
        expectEqual(positions("optional int32 a = 10;", "10 to 20 [verification = DECLARATION]"), ["2:8"])
        #expect(positions("optional int32 a = 10;", "10 to 20 [verification = UNVERIFIED]").isEmpty)
        #expect(positions("optional int32 a = 10;", "10 to 20").isEmpty)
    }

    @Test(arguments: [
        "declaration = { number: 9, full_name: \".a\", type: \"int32\" }",
        "declaration = { number: 10, full_name: \".a\" }", "declaration = { number: 10 }",
        "declaration = { number: 10, full_name: \"a\", type: \"int32\" }",
        "declaration = { number: 10, full_name: \".a\", type: \"a.B\" }",
        "declaration = { number: 10, full_name: \".a-b\", type: \"int32\" }",
        "declaration = { number: 10, reserved: true }, declaration = { number: 10, reserved: true }",
        "verification = UNVERIFIED, declaration = { number: 10, reserved: true }",
    ]) func `A message that declares its extensions is rejected if its declarations are inconsistent`(options: String) {
        #expect(!errorPositions("syntax = \"proto2\"; message M { extensions 10 to 20 [\(options)]; }").isEmpty)
    }

    @Test func `A message that declares its extensions declares a name once`() {
        let one = "declaration = { number: 10, full_name: \".a\", type: \"int32\" }"
        let other = one.replacing("10", with: "30")
        let text = "syntax = \"proto2\"; message M { extensions 10 to 20 [\(one)]; extensions 30 [\(other)]; }"
        #expect(!errorPositions(text).isEmpty)
        #expect(
            errorPositions(text.replacing("number: 30, full_name: \".a\"", with: "number: 30, full_name: \".b\""))
                .isEmpty)
    }
}

@Suite struct OptionTargetTests {
    private func positions(_ text: String, edition: String = "2023") -> [String] {
        errorPositions(
            """
            edition = "\(edition)";
            import "google/protobuf/descriptor.proto";
            enum Level { LEVEL_NONE = 0; NEW = 1 [feature_support = { edition_introduced: EDITION_2024 }]; }
            extend google.protobuf.MessageOptions {
              int32 late = 50001 [feature_support = { edition_introduced: EDITION_2024 }];
              int32 old = 50002 [feature_support = {
                edition_introduced: EDITION_2023 edition_removed: EDITION_2024 removal_error: "use late"
              }];
              Level level = 50003;
              int32 for_fields = 50004 [targets = TARGET_TYPE_FIELD];
            }
            \(text)
            """)
    }

    @Test func `An option with targets and editions is rejected before its first edition and after its last`() {
        expectEqual(positions("message M { option (late) = 1; }"), ["12:9"])
        #expect(positions("message M { option (late) = 1; }", edition: "2024").isEmpty)
        #expect(positions("message M { option (old) = 1; }").isEmpty)
        expectEqual(positions("message M { option (old) = 1; }", edition: "2024"), ["12:9"])
        expectEqual(positions("message M { option (level) = NEW; }"), ["12:9"])
    }

    @Test func `An option with targets and editions is rejected on other targets`() {
        expectEqual(positions("message M { option (for_fields) = 1; }"), ["12:9"])
        expectEqual(errorPositions("edition = \"2023\"; message M { option features.enum_type = OPEN; }"), ["1:27"])
    }

    @Test func `An option with targets and editions of descriptor.proto is rejected after its removal`() {
        #expect(errorPositions("edition = \"2023\"; package a; option java_multiple_files = true;").isEmpty)
        #expect(!errorPositions("edition = \"2024\"; package a; option java_multiple_files = true;").isEmpty)
        expectEqual(errorPositions("edition = \"2024\"; message M { string a = 1 [ctype = CORD]; }"), ["1:31"])
    }
}
