// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

/// The results of rules about a request with many kinds of fields.
struct RuleTexts {
    static let proto = """
        syntax = "proto3";
        package rules.v1;
        import "google/protobuf/timestamp.proto";
        import "google/protobuf/duration.proto";
        import "google/protobuf/descriptor.proto";
        message Options { repeated string validation_rules = 6; }
        extend google.protobuf.MethodOptions { Options method_options = 50012; }
        enum Role { ROLE_UNSPECIFIED = 0; ROLE_USER = 1; ROLE_ADMIN = 3; }
        message Profile { string bio = 1; optional int64 age = 2; google.protobuf.Timestamp born = 3; Profile twin = 4; }
        message Request {
          string email = 1;
          string password = 2;
          optional string nick_name = 3;
          string current_password = 4;
          int32 limit = 5;
          uint64 offset = 6;
          double rate = 7;
          float share = 8;
          bool accept_terms = 9;
          optional bool remember_me = 10;
          Role role = 11;
          Profile profile = 12;
          repeated string tags = 13;
          repeated Role roles = 14;
          map<string, string> labels = 15;
          bytes proof = 16;
          google.protobuf.Timestamp created_after = 17;
          google.protobuf.Timestamp created_before = 18;
          google.protobuf.Duration timeout = 19;
          oneof contact { string phone = 20; Profile person = 21; int32 room = 22; }
          int32 count = 23;
          string class = 24;
        }
        message Response {}
        """

    /// The proto with a service whose one method has the rules.
    static func source(_ rules: [String]) -> String {
        let quoted = rules.map { "\"" + $0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }
        return proto + """

            service Service {
              rpc Call(Request) returns (Response) {
                option (method_options) = {
                  validation_rules: [\(quoted.joined(separator: ", "))]
                };
              }
            }
            """
    }

    /// Returns the checks of rules, with the diagnostics as they are printed.
    static func check(_ rules: String...) throws -> (checks: [RuleCheck], errors: [Diagnostic]) {
        let text = source(rules)
        let bytes = Array(text.utf8)
        let compilation = Compiler(reading: { $0 == "rules.proto" ? bytes : nil }).compile(["rules.proto"])
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        let file = try #require(compilation.filesToGenerate.first)
        let method = try #require(file.services.first?.methods.first)
        var column = Int32("      validation_rules: [".utf8.count)
        let line = Int32(text.split(separator: "\n", omittingEmptySubsequences: false).count) - 4
        let placed = rules.map { rule in
            defer { column += Int32(rule.utf8.count) + 4 }
            return RuleText(text: rule, place: SourcePosition(line: line, column: column))
        }
        // The descriptors live as long as their file.
        let result = withExtendedLifetime(file) { RuleCompiler().checks(for: placed, of: method) }
        return (result.checks, result.diagnostics)
    }

    static func condition(_ rule: String) throws -> String { try only(rule).condition }

    static func message(_ rule: String) throws -> String { try only(rule).message }

    private static func only(_ rule: String) throws -> RuleCheck {
        let (checks, errors) = try check(rule)
        try #require(errors.isEmpty, "\(errors)")
        return try #require(checks.first)
    }

    /// Returns the column and the message of the error of a single rule.
    static func error(_ rule: String) throws -> (column: Int, message: String) {
        let (checks, errors) = try check(rule)
        #expect(checks.isEmpty)
        let error = try #require(errors.first)
        expectEqual(error.severity, .error)
        let place = try #require(error.position)
        return (Int(place.column) - "      validation_rules: [\"".utf8.count, error.message)
    }
}
