// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@Suite struct OptionTests {
    private let declarations = """
        syntax = "proto2";
        package opt;
        import "google/protobuf/descriptor.proto";
        import "google/protobuf/any.proto";
        message Rule {
          optional string name = 1; repeated int32 sizes = 2; optional Rule inner = 3; optional Level level = 4;
          optional double ratio = 5; optional sint64 offset = 6; optional google.protobuf.Any any = 7;
          optional group Part = 8 { optional bool on = 1; }
          map<string, int32> counts = 9;
          extensions 100 to 200;
        }
        enum Level { LOW = 0; HIGH = 5; }
        extend Rule { optional string extra = 100; }
        extend google.protobuf.FieldOptions { optional Rule rule = 50001; repeated string tags = 50002; }
        extend google.protobuf.MethodOptions { optional Level level = 50003; }
        """

    private func options(_ text: String) throws -> OptionMessage {
        let file = try file(
            "syntax = \"proto3\"; import \"opt.proto\"; message M { string a = 1 [\(text)]; }",
            with: ["opt.proto": declarations])
        return try #require(file.messages.first?.fields.first).options.message
    }

    @Test(arguments: [
        ("go", "api_level = API_OPAQUE"), ("java", "utf8_validation = VERIFY"), ("cpp", "string_type = VIEW"),
    ])
    func `Options can be the features of another language, whose files need not exist`(
        language: String, feature: String
    )
        throws
    {
        _ = try file(
            """
            edition = "2023";
            package gf;
            import "google/protobuf/\(language)_features.proto";
            option features.(pb.\(language)).\(feature);
            message M { int32 x = 1; }
            """)
    }

    @Test func `Options skip the comments of the text format`() throws {
        let file = try file(
            """
            import "google/protobuf/descriptor.proto";
            message Opt { optional int32 a = 1; optional int32 b = 2; }
            extend google.protobuf.FileOptions { optional Opt opt = 50000; }
            option (opt) = {
              # a: 2 is what it was
              a: 1 # one // and more
              b: 2
            };
            """)
        let option = try #require(file.options.message.message(50000))
        expectEqual(option.integer(1), 1)
        expectEqual(option.integer(2), 2)
    }

    @Test func `Options of descriptor.proto are interpreted`() throws {
        let file = try file(
            "syntax = \"proto3\"; option java_package = \"a.b\"; option optimize_for = CODE_SIZE; message M { option deprecated = true; }"
        )
        expectEqual(file.options.message.string(1), "a.b")
        expectEqual(file.options.message.integer(9), 2)
        expectEqual(file.messages.first?.options.message.bool(3), true)
    }

    @Test func `Options that are custom are set field by field`() throws {
        let rule = try #require(
            try options(
                "(opt.rule).name = \"x\", (opt.rule).inner.level = HIGH, (opt.rule).ratio = -1.5, (opt.rule).(opt.extra) = \"e\""
            ).message(50001))
        expectEqual(rule.string(1), "x")
        expectEqual(rule.message(3)?.integer(4), 5)
        expectEqual(rule.string(100), "e")
    }

    @Test func `Options are set as a whole in the text format`() throws {
        let rule = try #require(
            try options(
                """
                (opt.rule) = {
                  name: "a" 'b'  # not a comment of this language
                """.replacing("  # not a comment of this language", with: "") + """
                      sizes: [1, 2] sizes: 3, inner < level: HIGH >;
                      offset: -7 Part { on: true } [opt.extra]: "e" counts { key: "k" value: 2 }
                    }
                    """
            ).message(50001))
        expectEqual(rule.string(1), "ab")
        expectEqual(rule.fields[2]?.values, [.number(1), .number(2), .number(3)])
        expectEqual(rule.message(3)?.integer(4), 5)
        expectEqual(rule.integer(6), -7)
        expectEqual(rule.message(8)?.bool(1), true)
        expectEqual(rule.string(100), "e")
        expectEqual(rule.messages(9).first?.integer(2), 2)
    }

    @Test func `Options hold an expanded Any by its type URL`() throws {
        let rule = try #require(
            try options("(opt.rule) = { any { [type.googleapis.com/opt.Rule] { name: \"n\" } } }").message(50001))
        expectEqual(rule.message(7)?.string(1), "type.googleapis.com/opt.Rule")
        expectEqual(rule.message(7)?.fields[2]?.values, [.bytes([0x0A, 0x01, 0x6E])])
    }

    @Test func `Options that are repeated are set one by one`() throws {
        try expectEqual(options("(opt.tags) = \"a\", (opt.tags) = \"b\"").strings(50002), ["a", "b"])
    }

    @Test(arguments: [
        "(opt.rule) = 1", "(opt.rule) = { nothing: 1 }", "(opt.rule) = { name: 1 }", "(opt.rule) = { level: NONE }",
        "(opt.rule) = { sizes: 99999999999 }", "(opt.rule).name.x = 1", "(opt.rule).sizes.x = 1",
        "(opt.rule).name = \"a\", (opt.rule).name = \"b\"", "(opt.rule) = { name: \"a\" name: \"b\" }",
        "(opt.level) = HIGH", "(opt.nothing) = 1", "(opt.rule) = { inner { }", "uninterpreted_option = 1",
        "(opt.rule) = { any { [type.googleapis.com/opt.None] { } } }",
    ])
    func `Options that are invalid are rejected`(text: String) {
        let positions = errorPositions(
            "syntax = \"proto3\"; import \"opt.proto\"; message M { string a = 1 [\(text)]; }",
            with: ["opt.proto": declarations])
        #expect(!positions.isEmpty)
    }

    @Test func `Options with source retention are not in descriptor sets`() throws {
        let other = """
            syntax = "proto2";
            import "google/protobuf/descriptor.proto";
            extend google.protobuf.MessageOptions {
              optional string kept = 50001; optional string gone = 50002 [retention = RETENTION_SOURCE];
            }
            """
        let file = try file(
            "syntax = \"proto3\"; import \"o.proto\"; message M { option (kept) = \"k\"; option (gone) = \"secret\"; }",
            with: ["o.proto": other])
        expectEqual(file.messages.first?.options.message.string(50002), "secret")
        let text = String(decoding: file.serialized(), as: UTF8.self)
        #expect(text.contains("k") && !text.contains("secret"))
    }
}

@Suite struct FeatureTests {
    @Test func `Features of editions are inherited from the file and can be overridden`() throws {
        let file = try file(
            """
            edition = "2023";
            option features.field_presence = IMPLICIT;
            message M {
              int32 a = 1;
              int32 b = 2 [features.field_presence = EXPLICIT];
              int32 c = 3 [features.field_presence = LEGACY_REQUIRED];
              repeated int32 d = 4;
              repeated int32 e = 5 [features.repeated_field_encoding = EXPANDED];
              M f = 6 [features.message_encoding = DELIMITED];
            }
            enum E { option features.enum_type = CLOSED; X = 1; }
            """)
        let fields = try #require(file.messages.first).fields
        expectEqual(fields.map(\.hasPresence), [false, true, true, false, false, true])
        expectEqual(fields.map(\.isRequired), [false, false, true, false, false, false])
        expectEqual(fields.map(\.isPacked), [false, false, false, true, false, false])
        expectEqual(fields.map(\.isDelimited), [false, false, false, false, false, true])
        expectEqual(file.enums.first?.isClosed, true)
    }

    @Test(arguments: [
        ("edition = \"2023\"; option features.field_presence = LEGACY_REQUIRED;", "1:1"),
        ("edition = \"2023\"; message M { repeated int32 a = 1 [features.field_presence = EXPLICIT]; }", "1:46"),
        ("edition = \"2023\"; message M { int32 a = 1 [features.repeated_field_encoding = PACKED]; }", "1:37"),
        ("edition = \"2023\"; message M { int32 a = 1 [packed = true]; }", "1:37"),
        ("syntax = \"proto3\"; message M { int32 a = 1 [features.field_presence = EXPLICIT]; }", "1:38"),
        ("edition = \"2023\"; enum E { A = 1; }", "1:32"),
    ])
    func `Features of editions are rejected if they have no effect`(text: String, position: String) {
        #expect(errorPositions(text).contains(position))
    }

    @Test func `Features of editions apply to the key and the value of a map`() throws {
        let file = try file(
            "edition = \"2023\"; message M { map<string, string> a = 1 [features.utf8_validation = NONE]; }")
        let entry = try #require(file.messages.first?.messages.first)
        expectEqual(entry.fields.map(\.features.utf8Validation), [.none, .none])
    }
}
