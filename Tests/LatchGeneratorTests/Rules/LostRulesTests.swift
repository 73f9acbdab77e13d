// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct LostRulesTests {
    private static let validate = """
        syntax = "proto2"; package buf.validate; import "google/protobuf/descriptor.proto";
        message StringRules { optional uint64 min_len = 2; optional string later = 90; extensions 1000 to max; }
        message FieldRules { optional StringRules string = 14; }
        message OneofRules { optional bool required = 1; }
        message MessageRules { optional bool disabled = 1; }
        extend google.protobuf.FieldOptions { optional FieldRules field = 1159; }
        extend google.protobuf.OneofOptions { optional OneofRules oneof = 1159; }
        extend google.protobuf.MessageOptions { optional MessageRules message = 1159; }
        """
    private static let older = validate.replacing("optional string later = 90;", with: "")

    /// Returns the errors of protoc-gen-latch for a file whose options' declarations protoc has left out, or replaced.
    private func answer(_ text: String, declarations: String? = nil, parameter: String = "") throws -> String {
        let files = ["buf/validate/validate.proto": Self.validate, "a.proto": text]
        func compile(_ text: String, _ name: String) -> Compilation {
            Compiler.withOptionFiles { $0 == name ? Array(text.utf8) : files[$0].map { Array($0.utf8) } }
                .compile([name])
        }
        let compilation = compile(text, "a.proto")
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        let other = declarations.map { compile($0, "buf/validate/validate.proto") }
        var writer = WireWriter()
        writer.string(1, "a.proto")
        writer.string(2, parameter)
        let options = Set(OptionFiles.names + ["buf/validate/validate.proto"])
        let sent =
            (other?.files ?? [])
            + compilation.files.filter { one in
                !options.contains(one.name) && other?.files.contains { $0.name == one.name } != true
            }
        for file in sent { writer.bytes(15, file.serialized(sourceInfo: true)) }
        let message = try WireMessage(ProtocPlugin.response(to: writer.bytes))
        return message.string(1) ?? "\(message.strings(15).count) files"
    }

    private static func file(_ text: String) -> String {
        "edition = \"2024\"; package a; import option \"buf/validate/validate.proto\"; "
            + "import option \"axiom_options.proto\";\n" + text
    }

    @Test(arguments: [
        ("message M { string f = 1 [(buf.validate.field).string.min_len = 1]; }", "'a.M.f' sets the option 1159"),
        ("message M { option (buf.validate.message).disabled = true; string f = 1; }", "'a.M' sets the option 1159"),
        (
            "message M { oneof o { option (buf.validate.oneof).required = true; string f = 1; } }",
            "'a.M.o' sets the option 1159"
        ),
        ("message M { string f = 1 [(axiom.swift_validation) = \"required\"]; }", "'a.M.f' sets the option 50020"),
        (
            "message M { string f = 1 [(axiom.field_options).required = true]; }", "'a.M.f' sets the option 50013"
        ),
        (
            "message M { string f = 1 [(axiom.options.v1.axiom_field).required = true]; }",
            "'a.M.f' sets the option 50003"
        ),
        (
            """
            message M { string f = 1; }
            service S { rpc Do(M) returns (M) { option (axiom.method_options).validation_rules = "!request.f.isEmpty"; } }
            """, "'a.S.Do' sets the option 50012"
        ),
    ]) func `Rules that no check reaches are an error if the request lacks the declaration of their option`(
        text: String, complaint: String
    ) throws {
        let answer = try answer(Self.file(text))
        #expect(answer.contains(complaint), "\(answer)")
        #expect(answer.contains("no imported file declares it: its rules are not checked"))
        let allowed = try self.answer(Self.file(text), parameter: "allow_unenforced_rules=true")
        expectEqual(allowed, "1 files", "\(allowed)")
    }

    @Test func `Rules that no check reaches are an error if the declaration lacks their fields`() throws {
        let text = Self.file("message M { string f = 1 [(buf.validate.field).string.later = \"x\"]; }")
        let answer = try answer(text, declarations: Self.older)
        #expect(answer.contains("'a.M.f' sets fields of the option 1159"), "\(answer)")
        let known = Self.file("message M { string f = 1 [(buf.validate.field).string.min_len = 1]; }")
        try expectEqual(self.answer(known, declarations: Self.older), "1 files")
    }

    @Test func `Rules that no check reaches are an error if no imported file declares their option`() throws {
        // The declaration is in the request, and not among the imports.
        let text = Self.file("message M { string f = 1 [(buf.validate.field).string.min_len = 1]; }")
        var writer = WireWriter()
        writer.string(1, "a.proto")
        let files = ["buf/validate/validate.proto": Self.validate, "a.proto": text]
        let compilation = Compiler.withOptionFiles { files[$0].map { Array($0.utf8) } }.compile(["a.proto"])
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        for file in compilation.files where file.name != "a.proto" { writer.bytes(15, file.serialized()) }
        var cut = WireWriter()
        let whole = try WireMessage(try #require(compilation.filesToGenerate.first).serialized())
        for number in [1, 2, 12] as [Int32] { whole.string(number).map { cut.string(number, $0) } }
        whole.int32(14).map { cut.int32(14, $0) }
        for message in whole.serialized(4) { cut.bytes(4, message) }
        writer.bytes(15, cut.bytes)
        let answer = try WireMessage(ProtocPlugin.response(to: writer.bytes)).string(1)
        expectEqual(answer?.contains("'a.M.f' sets the option 1159"), true, "\(answer ?? "")")
    }

    @Test
    func `Rules of protoc-gen-validate that no check reaches are reported without their declaration too`() throws {
        var writer = WireWriter()
        writer.string(1, "a.proto")
        writer.message(15) { file in
            file.string(1, "a.proto")
            file.message(4) { message in
                message.string(1, "M")
                message.message(2) { field in
                    field.string(1, "f")
                    for (number, value) in [(3, 1), (4, 1), (5, 9)] as [(Int32, Int32)] { field.int32(number, value) }
                    field.message(8) { $0.message(1071) { $0.int32(1, 1) } }
                }
            }
        }
        let request = try #require(try WireMessage(writer.bytes).serialized(15).first)
        let compilation = Compiler.link([request], filesToGenerate: ["a.proto"])
        let output = SwiftWriter(files: compilation.filesToGenerate, options: SwiftOptions()).write()
        #expect(output.diagnostics.contains { $0.severity == .warning && $0.message.contains("validate.rules") })
    }

    @Test(arguments: [
        "(buf.validate.field).string.min_len = 1", "(axiom.swift_validation) = \"required\"",
        "(axiom.options.v1.axiom_field).required = true",
    ]) func `Rules that no check reaches are an error on an extension`(option: String) throws {
        for text in [
            "extend M { string f = 100 [\(option)]; }", "message N { extend M { string f = 100 [\(option)]; } }",
        ] {
            let files = [
                "buf/validate/validate.proto": Self.validate,
                "a.proto": Self.file("message M { extensions 100 to 200; }\n" + text),
            ]
            let compilation = Compiler.withOptionFiles { files[$0].map { Array($0.utf8) } }.compile(["a.proto"])
            try #require(compilation.isComplete, "\(compilation.diagnostics)")
            let output = SwiftGenerator.generate(compilation.filesToGenerate, GenerationOptions())
            let name = text.hasPrefix("extend") ? "a.f" : "a.N.f"
            expectEqual(output.diagnostics.map(\.message), ["the rules of the extension '\(name)' are not checked"])
            #expect(output.diagnostics.first?.severity == .error && output.files.isEmpty)
        }
    }

    @Test(arguments: [
        (validate.replacing("field = 1159", with: "field = 51160"), "'buf.validate.field', which has the number 51160"),
        (validate.replacing("package buf.validate", with: "package v.buf.validate"), "declares it"),
        (
            validate.replacing("package buf.validate", with: "package v.buf.validate").replacing(
                "field = 1159", with: "field = 51160"), "'v.buf.validate.field', which has the number 51160"
        ),
    ])
    func `Rules that no check reaches are an error if an option has only the name or number of buf.validate`(
        declarations: String, words: String
    ) throws {
        let text = """
            syntax = "proto3"; package v; import "other.proto";
            message M { string f = 1 [(buf.validate.field).string.min_len = 3]; }
            """
        let files = ["other.proto": declarations, "a.proto": text]
        let compilation = Compiler.withOptionFiles { files[$0].map { Array($0.utf8) } }.compile(["a.proto"])
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        let output = SwiftGenerator.generate(compilation.filesToGenerate, GenerationOptions())
        #expect(output.files.isEmpty && output.diagnostics.first?.severity == .error)
        expectEqual(output.diagnostics.first?.message.contains(words), true, "\(output.diagnostics)")
    }

    @Test func `Rules of streaming methods are reached: the server checks each message`() throws {
        let text = """
            syntax = "proto3"; package a; import "axiom_options.proto";
            message M { string f = 1 [(axiom.swift_validation) = "required"]; int32 n = 2; }
            service S {
              rpc Up(stream M) returns (M) { option (axiom.method_options).validation_rules = "request.n > 0"; }
              rpc Down(M) returns (stream M);
            }
            """
        let compilation = Compiler.withOptionFiles { $0 == "a.proto" ? Array(text.utf8) : nil }.compile(["a.proto"])
        for makesClients in [true, false] {
            var options = GenerationOptions()
            options.makesClients = makesClients
            let output = SwiftGenerator.generate(compilation.filesToGenerate, options)
            #expect(output.diagnostics.isEmpty, "\(output.diagnostics)")
            let service = output.files.first {
                $0.path.hasSuffix("SService.swift") || $0.text.contains("protocol SServer")
            }
            expectEqual(service?.text.ranges(of: ".requiring(\"f\", \"must not be empty\")").count, 2)
            expectEqual(service?.text.ranges(of: ".requiring(\"n\", \"must be more than 0\")").count, 1)
        }
        let wrong = text.replacing("request.n > 0", with: "request.m > 0")
        let broken = Compiler.withOptionFiles { $0 == "a.proto" ? Array(wrong.utf8) : nil }.compile(["a.proto"])
        let output = SwiftGenerator.generate(broken.filesToGenerate, GenerationOptions())
        expectEqual(output.diagnostics.map(\.severity), [.error])
    }
}
