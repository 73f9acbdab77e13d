// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@Suite struct NameStyleTests {
    private func isRefused(_ declaration: String, edition: String = "2024") -> Bool {
        !errorPositions("edition = \"\(edition)\";\n\(declaration)").isEmpty
    }

    @Test(arguments: [
        "message Good1 {}", "message URLParts {}", "message M { int32 good_name = 1; }",
        "message M { int32 v2name = 1; }", "enum Good { GOOD_UNKNOWN = 0; GOOD_V1 = 1; }",
        "message M { oneof one_of { int32 a = 1; } }", "package a.b_c;", "message M { map<int32, int32> foo_bar = 1; }",
    ])
    func `The names of edition 2024 are accepted in the style guide's spelling`(declaration: String) {
        #expect(!isRefused(declaration))
    }

    @Test(arguments: [
        "message bad {}", "message Bad_Name {}", "message M { int32 badName = 1; }", "message M { int32 bad_1 = 1; }",
        "message M { int32 _bad = 1; }", "message M { int32 bad_ = 1; }", "message M { int32 bad__name = 1; }",
        "enum Bad { bad = 0; }", "enum Bad { Bad_ZERO = 0; }", "enum Bad { BAD_0 = 0; }", "enum bad { ZERO = 0; }",
        "message M { oneof Bad { int32 a = 1; } }", "package Bad.name;", "service bad {}",
        "message M {} service S { rpc bad(M) returns (M); }",
    ])
    func `The names of edition 2024 are rejected in another spelling unless the file or the edition allows it`(
        declaration: String
    ) {
        #expect(isRefused(declaration))
        #expect(!isRefused("option features.enforce_naming_style = STYLE_LEGACY;\n" + declaration))
        #expect(!isRefused(declaration, edition: "2023"))
    }

    @Test func `The names of edition 2024 are rejected at the name, with a hint`() {
        let compilation = compile("edition = \"2024\";\nmessage M {\n  int32 badName = 1;\n}")
        expectEqual(errorPositions("edition = \"2024\";\nmessage M {\n  int32 badName = 1;\n}"), ["3:9"])
        expectEqual(compilation.diagnostics.first?.hint?.contains("STYLE_LEGACY"), true)
    }

    @Test(arguments: ["has_it", "get_it", "set_it", "clear_it", "it_value"])
    func `The names of edition 2024 do not collide with the accessors of another field in edition 2026`(name: String) {
        let declaration = "message M { int32 it = 1; int32 \(name) = 2; }"
        #expect(isRefused(declaration, edition: "2026"))
        #expect(!isRefused("message M { int32 \(name) = 2; }", edition: "2026"))
        #expect(!isRefused(declaration, edition: "2024"))
    }
}

@Suite struct EditionLimitTests {
    @Test(arguments: [(1_500, true), (1_501, false)])
    func `The limits of edition 2026 apply to the number of fields`(count: Int, isRight: Bool) {
        let fields = (1...count).map { "int32 f\($0) = \($0);" }.joined()
        expectEqual(errorPositions("edition = \"2026\"; message M { \(fields) }").isEmpty, isRight)
        #expect(errorPositions("edition = \"2024\"; message M { \(fields) }").isEmpty)
        let without = "option features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS;"
        #expect(errorPositions("edition = \"2026\"; message M { \(without) \(fields) }").isEmpty)
    }

    @Test(arguments: [(1_700, true), (1_701, false)])
    func `The limits of edition 2026 apply to the number of values`(count: Int, isRight: Bool) {
        let values = (0..<count).map { "V\($0) = \($0);" }.joined()
        expectEqual(errorPositions("edition = \"2026\"; enum E { \(values) }").isEmpty, isRight)
    }
}
