// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchGenerator
import LatchProtoCompiler
import Testing

@Suite struct RuleDiagnosticsTests {
    @Test(arguments: [
        (
            "string a = 1 [(buf.validate.field).cel = { id: 'x', message: 'm', expression: 'true' }];",
            "the rules of 'Test.a': the rule 'x' in CEL, which is not checked"
        ),
        (
            "string a = 1 [(buf.validate.field).cel_expression = 'this.a', (buf.validate.field).cel_expression = 'b'];",
            "the rules of 'Test.a': the rules 'this.a', 'b' in CEL, which are not checked"
        ),
        (
            "option (buf.validate.message).cel = { id: 'x', expression: 'true' }; string a = 1;",
            "'Test' has the rule 'x' in CEL, which is not checked"
        ),
        (
            "repeated string a = 1 [(buf.validate.field).repeated.items.cel_expression = 'this.a'];",
            "the rules of 'Test.a': the rule 'this.a' in CEL, which is not checked"
        ),
    ])
    func `Rules that cannot be checked are errors that name them, or warnings on request`(
        fields: String, message: String
    ) throws {
        for isAllowed in [false, true] {
            let output = try generate(test(fields), allowingUnenforcedRules: isAllowed)
            expectEqual(output.diagnostics.map(\.message), [message])
            expectEqual(output.diagnostics.map(\.severity), [isAllowed ? .warning : .error])
            expectEqual(output.diagnostics.first?.position?.line, 2)
            expectEqual(output.diagnostics.first?.hint?.contains("--allow-unenforced-rules"), true)
            expectEqual(output.files.isEmpty, !isAllowed)
        }
    }

    @Test func `Rules that cannot be checked of protoc-gen-validate are a warning for each file`() throws {
        let rules = """
            syntax = "proto2"; package validate; import "google/protobuf/descriptor.proto";
            message FieldRules { optional bool email = 1; }
            extend google.protobuf.FieldOptions { optional FieldRules rules = 1071; }
            """
        let user = """
            syntax = "proto3"; import "validate/validate.proto";
            message User { string email = 1 [(validate.rules).email = true]; string other = 2 [(validate.rules).email = true]; }
            """
        let texts = ["user.proto": user, "validate/validate.proto": rules]
        let compilation = Compiler { texts[$0].map { Array($0.utf8) } }.compile(["user.proto"])
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        let output = SwiftWriter(files: compilation.filesToGenerate, options: perFile).write()
        expectEqual(output.diagnostics.map(\.severity), [.warning])
        expectEqual(output.diagnostics.first?.message.contains("validate.rules"), true)
    }

    @Test(arguments: [
        (
            "int32 a = 1 [(buf.validate.field).string.len = 1];",
            "the rules of 'Test.a': rules for 'string' do not suit it; those for 'int32' would"
        ),
        (
            "repeated string a = 1 [(buf.validate.field).string.len = 1];",
            "the rules of 'Test.a': rules for 'string' do not suit it; those for 'repeated' would"
        ),
        (
            "map<string, int32> a = 1 [(buf.validate.field).map.values.int64.gt = 1];",
            "the rules of 'Test.a': rules for 'int64' do not suit it; those for 'int32' would"
        ),
        (
            "string a = 1 [(buf.validate.field).string.pattern = '(?=a)'];",
            "the rules of 'Test.a': the pattern '(?=a)' cannot be used: lookaround is not supported (character 3)"
        ),
        (
            "string a = 1 [(buf.validate.field).string.const = 'a\\xff'];",
            "the rules of 'Test.a': a text in them is not UTF-8"
        ),
        (
            "repeated string a = 1 [(buf.validate.field).repeated.items.string = { in: ['a', '\\xc3'] }];",
            "the rules of 'Test.a': a text in them is not UTF-8"
        ),
        (
            "option (buf.validate.message).oneof = { fields: ['a', 'b'] }; string a = 1;",
            "'Test' has no field 'b' that could exclude others"
        ),
    ]) func `Rules that cannot be checked are errors if they make no sense`(fields: String, message: String) throws {
        let diagnostics = try complaints(fields)
        expectEqual(diagnostics.map(\.message), [message])
        expectEqual(diagnostics.map(\.severity), [.error])
        expectEqual(diagnostics.first?.excerpt.contains("message Test"), true)
    }

    @Test func `Rules that cannot be checked do not affect messages without rules`() throws {
        let output = try generate(
            """
            syntax = "proto3";
            import "buf/validate/validate.proto";
            message Free { Free next = 1; }
            message Holder { Ruled one = 1; Free two = 2; }
            message Ruled { int32 number = 1 [(buf.validate.field).int32.gt = 0]; Ring ring = 2; }
            message Ring { Holder holder = 1; }
            """)
        let text = try #require(output.files.first?.text)
        #expect(text.contains("struct Free: Message {"))
        #expect(text.contains("struct Holder: RuledMessage {"))
        #expect(text.contains("struct Ring: RuledMessage {"))
        #expect(text.contains("number int32.gt=0"))
    }
}
