// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@Suite struct VisibilityTests {
    private static let base = """
        edition = "2024";
        package base;
        message Top {
          message In {}
          export message Out {}
          enum Kind { KIND_UNKNOWN = 0; }
        }
        local message Own {}
        """

    @Test(arguments: [("base.Top", []), ("base.Top.Out", []), ("base.Top.In", ["4:13"]), ("base.Own", ["4:13"])])
    func `The exports of a file are its top-level declarations and those with 'export'`(
        type: String, positions: [String]
    ) {
        let text = """
            edition = "2024";
            package other;
            import "base.proto";
            message M { \(type) field = 1; }
            """
        expectEqual(errorPositions(text, with: ["base.proto": Self.base]), positions)
    }

    @Test(arguments: [
        ("EXPORT_ALL", true), ("EXPORT_TOP_LEVEL", false), ("LOCAL_ALL", false), ("STRICT", false),
    ])
    func `The exports of a file follow the default of the file without a keyword`(visibility: String, isVisible: Bool) {
        let option = "package base;\noption features.default_symbol_visibility = \(visibility);"
        let base = Self.base.replacing("package base;", with: option)
            .replacing("export message Out {}", with: "")
        let text = "edition = \"2024\"; import \"base.proto\"; message M { base.Top.In field = 1; }"
        expectEqual(errorPositions(text, with: ["base.proto": base]).isEmpty, isVisible)
    }

    @Test func `The exports of a file also restrict methods and extended messages`() {
        let base = "edition = \"2024\"; package base; local message Own { extensions 1 to 9; }"
        let text = """
            edition = "2024";
            import "base.proto";
            extend base.Own { int32 a = 1; }
            service S { rpc Get(base.Own) returns (base.Own); }
            """
        expectEqual(errorPositions(text, with: ["base.proto": base]), ["3:8", "4:21", "4:40"])
    }

    @Test func `The exports of a file are named in an error with a hint`() {
        let text = "edition = \"2024\"; import \"base.proto\"; message M { base.Top.In a = 1; base.Own b = 2; }"
        let hints = compile(text, with: ["base.proto": Self.base]).diagnostics.compactMap(\.hint)
        #expect(hints.contains { $0.contains("Write 'export'") } && hints.contains { $0.contains("marked 'local'") })
    }

    @Test func `The exports of a strict file exclude nested declarations, except enums of a namespace message`() {
        let text = """
            edition = "2024";
            option features.default_symbol_visibility = STRICT;
            local message Space { export enum Kind { KIND_UNKNOWN = 0; } reserved 1 to max; }
            message M {
              export message Inner {}
              export enum Kind { KIND_UNKNOWN = 0; }
              local enum Other { OTHER_UNKNOWN = 0; }
            }
            """
        expectEqual(errorPositions(text), ["5:18", "6:15"])
    }

    @Test func `The exports of a file are not keywords in earlier editions`() throws {
        let file = try file("syntax = \"proto3\"; message export {} message M { export local = 1; }")
        expectEqual(file.messages[1].fields[0].typeName, ".export")
    }
}

@Suite struct OptionImportTests {
    private static let options = """
        edition = "2023";
        import "google/protobuf/descriptor.proto";
        message Extra { int32 n = 1; }
        extend google.protobuf.MessageOptions { Extra extra = 50001; }
        """

    @Test func `An import for options makes options visible but no types`() {
        let text = """
            edition = "2024";
            import option "options.proto";
            message M { option (extra).n = 1; }
            message N { Extra extra = 1; }
            """
        let others = ["options.proto": Self.options]
        expectEqual(errorPositions(text, with: others), ["4:13"])
        let hint = compile(text, with: others).diagnostics.first?.hint
        expectEqual(hint, "Write: import \"options.proto\";")
        #expect(errorPositions(text.replacing("message N { Extra extra = 1; }", with: ""), with: others).isEmpty)
    }

    @Test func `An import for options can be missing in a file without options`() {
        #expect(errorPositions("edition = \"2024\"; import option \"gone.proto\"; message M {}").isEmpty)
        let used = "edition = \"2024\"; import option \"gone.proto\"; message M { option deprecated = true; }"
        expectEqual(errorPositions(used), ["1:19"])
    }

    @Test func `An import for options is rejected if its options mark redacted values`() {
        let redacted = """
            edition = "2023";
            import "google/protobuf/descriptor.proto";
            enum Level { OPEN = 0; SECRET = 1 [debug_redact = true]; }
            extend google.protobuf.FieldOptions { Level level = 50001; }
            """
        let text = "edition = \"2024\"; import option \"redacted.proto\"; message M {}"
        expectEqual(errorPositions(text, with: ["redacted.proto": redacted]), ["1:19"])
        #expect(
            errorPositions(text.replacing("import option", with: "import"), with: ["redacted.proto": redacted]).isEmpty)
    }
}
