// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import TestTags
import Testing

@testable import LatchGenerator

@Suite struct ConstraintTests {
    /// The checks of a request with fields, each as its condition and its sentence.
    private func checks(_ fields: String) throws -> (checks: [RuleCheck], errors: [Diagnostic]) {
        let text = """
            syntax = "proto3";
            package test.v1;
            import "axiom_options.proto";
            enum Role { ROLE_UNSPECIFIED = 0; }
            message Other {}
            message Request {
            \(fields)
            }
            service Service { rpc Call(Request) returns (Other); }
            """
        let compilation = Compiler.withOptionFiles { $0 == "test.proto" ? Array(text.utf8) : nil }.compile([
            "test.proto"
        ])
        // The descriptors live as long as their file.
        return try withExtendedLifetime(compilation) {
            let planning = ServicePlan.read(try #require(compilation.filesToGenerate.first))
            let plan = try #require(planning.plans.first?.methods.first)
            let (checks, errors) = RuleCompiler().checks(for: plan.requirements)
            return (checks, planning.diagnostics + errors)
        }
    }

    private func conditions(_ fields: String) throws -> [String] {
        let (checks, errors) = try checks(fields)
        #expect(errors.isEmpty)
        return checks.map(\.condition)
    }

    @Test func `The options of a request's fields are checked as the short list says`() throws {
        let (checks, errors) = try checks(
            """
            string email = 1 [(axiom.swift_validation) = "required,email"];
            string password = 2 [(axiom.swift_validation) = "required,min_length:8"];
            string id = 3 [(axiom.swift_validation) = "uuid"];
            """)
        #expect(errors.isEmpty)
        expectEqual(
            checks.map { [$0.condition, $0.message] },
            [
                ["!request.email.isEmpty", "email must not be empty"],
                ["TextForms.isEmail(request.email)", "email must be a valid email address"],
                ["!request.password.isEmpty", "password must not be empty"],
                ["request.password.unicodeScalars.count >= 8", "password must have at least 8 characters"],
                ["request.id.isEmpty || TextForms.isUUID(request.id)", "id must be empty or be a valid UUID"],
            ])
    }

    @Test func `The options of a request's fields are checked as axiom_field says`() throws {
        let conditions = try conditions(
            """
            string title = 1 [(axiom.field_options) = { required: true min_length: 1 max_length: 200 }];
            int32 limit = 2 [(axiom.field_options) = { min_value: 1 max_value: 99.5 }];
            optional int64 age = 3 [(axiom.field_options) = { min_value: 18 }];
            string code = 4 [(axiom.field_options) = { validation_pattern: "^[a-z]+$" }];
            repeated string tags = 5 [(axiom.field_options) = { max_length: 3 required: true }];
            """)
        expectEqual(
            conditions,
            [
                "!request.title.isEmpty", "request.title.unicodeScalars.count >= 1",
                "request.title.unicodeScalars.count <= 200", "request.limit >= 1", "Double(request.limit) <= 99.5",
                "!(request.age != nil) || ((request.age ?? 0) >= 18)",
                #"request.code.isEmpty || TextPattern("^[a-z]+$").matches(request.code)"#,
                "!request.tags.isEmpty", "request.tags.count <= 3",
            ])
    }

    @Test(arguments: [
        ("bool agreed = 1", "request.agreed"), ("int32 number = 1", "request.number != 0"),
        ("Role role = 1", "request.role.rawValue != 0"), ("Other other = 1", "(request.other != nil)"),
        ("bytes data = 1", "!request.data.isEmpty"), ("map<string, string> pairs = 1", "!request.pairs.isEmpty"),
        ("optional bool agreed = 1", "(request.agreed != nil)"),
        ("optional string name = 1", "!(request.name?.isEmpty ?? true)"),
    ])
    func `The options of a request's fields can require every kind of field`(field: String, condition: String) throws {
        try expectEqual(conditions("\(field) [(axiom.field_options) = { required: true }];"), [condition])
    }

    @Test func `The options of a request's fields are errors if the field can never satisfy them`() throws {
        for field in [
            "string code = 1 [(axiom.field_options) = { validation_pattern: \"(\" }];",
            "int32 code = 1 [(axiom.swift_validation) = \"email\"];",
            "Other code = 1 [(axiom.swift_validation) = \"min:1\"];",
        ] {
            let (checks, errors) = try checks(field)
            #expect(checks.isEmpty)
            #expect(errors.contains { $0.severity == .error })
        }
    }

    @Test func `The options of a request's fields hold in a message within the request, if it is set`() throws {
        let (checks, errors) = try checks(
            """
            string name = 1;
            Address home = 2;
            message Address { string city = 1 [(axiom.swift_validation) = "required"]; Geo geo = 2; }
            message Geo { double height = 1 [(axiom.field_options) = { min_value: 0 }]; }
            """)
        #expect(errors.isEmpty)
        expectEqual(
            checks.map { [$0.condition, $0.message, $0.path] },
            [
                [
                    "!(request.home != nil) || !(request.home?.city.isEmpty ?? true)",
                    "home.city must not be empty", "home.city",
                ],
                [
                    "!(request.home?.geo != nil) || ((request.home?.geo?.height ?? 0) >= 0)",
                    "home.geo.height must be at least 0", "home.geo.height",
                ],
            ])
    }

    @Test(arguments: ["repeated Part part = 1;", "map<string, Part> part = 1;", "oneof one { Part part = 1; }"])
    func `The options of a request's fields are an error within a list, a map or a oneof`(field: String) throws {
        let (checks, errors) = try checks(
            field + " message Part { string id = 1 [(axiom.swift_validation) = \"required\"]; }")
        #expect(checks.isEmpty)
        expectEqual(
            errors.map(\.message),
            [
                "the field rules of 'test.v1.Request.Part' are not checked within 'test.v1.Request.part'"
            ])
        #expect(errors.first?.severity == .error && errors.first?.hint?.contains("--allow-unenforced-rules") == true)
    }

    @Test func `The options of a request's fields are an error in a message that contains itself`()
        throws
    {
        let names = (0..<14).map { "M\($0)" }
        let web = names.map { name in
            let fields = names.enumerated().map { "\($1) f\($0) = \($0 + 1);" }.joined()
            return "message \(name) { \(fields) Request again = 99; }"
        }
        let (_, errors) = try checks(
            "string id = 1 [(axiom.swift_validation) = \"required\"]; M0 first = 2; \(web.joined(separator: "\n"))")
        #expect(errors.contains { $0.message.hasSuffix("are not checked within 'test.v1.Request.M0.again'") })
    }

    @Test(.tags(.validationRules))
    func `Every rule of the user service is understood, and its message names the field`() throws {
        let plan = try userServicePlan()
        let checked = plan.methods.filter { !$0.requirements.rules.isEmpty }
        #expect(checked.count >= 12)
        // The plan outlives its file here, by which names that are one would be told apart.
        let writer = RuleCompiler(property: { SwiftNames.property($0.name) })
        for method in checked {
            let (checks, errors) = writer.checks(for: method.requirements)
            #expect(errors.isEmpty)
            expectEqual(checks.count, method.requirements.rules.count + method.requirements.constraints.count)
            for check in checks {
                #expect(method.request.fields.contains { check.message.hasPrefix("\($0.name) must ") })
            }
        }
        let update = writer.checks(for: try plan.method("UpdateProfile").requirements).checks
        expectEqual(update.last?.condition.contains("||"), true)
    }
}
