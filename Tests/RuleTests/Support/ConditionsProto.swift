// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler
import Testing

@testable import LatchGenerator

/// A request with fields of every kind, rules about it, and what the generator makes of them.
enum ConditionsProto {
    static let text = """
        syntax = "proto3";
        package conditions.v1;
        import "google/protobuf/timestamp.proto";
        import "google/protobuf/duration.proto";
        enum Role { ROLE_UNSPECIFIED = 0; ROLE_USER = 1; ROLE_ADMIN = 3; }
        message Profile { string bio = 1; optional int64 age = 2; google.protobuf.Timestamp born = 3; Profile twin = 4; }
        message AskRequest {
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
          google.protobuf.Duration least = 19;
          optional google.protobuf.Duration most = 20;
          oneof contact { string phone = 21; Profile person = 22; int32 room = 23; }
          string class = 24;
          optional bytes seal = 25;
          optional Role second_role = 26;
        }
        message AskResponse {}
        service AskService { rpc Ask(AskRequest) returns (AskResponse); }
        """

    /// The rules, each of which becomes the function of its number.
    static let rules = [
        "!request.email.isEmpty", "request.email.contains('@')", "request.password.length >= 8",
        "request.password != request.current_password", "request.email.isEmpty || request.email.contains('@')",
        "request.nick_name.isEmpty || request.nickName.count < 5", "request.limit >= 1 && request.limit <= 100",
        "request.limit < request.offset", "request.rate <= 0.5", "request.limit > 2.5", "request.share < request.rate",
        "request.accept_terms", "!request.remember_me", "request.role != ROLE_UNSPECIFIED",
        "request.role in [ROLE_USER, 3]", "request.profile.age >= 18", "request.profile.twin.bio.hasPrefix('a')",
        "has(request.profile)", "request.profile == null || !request.profile.bio.isEmpty", "request.tags.contains('x')",
        "request.roles.contains(ROLE_ADMIN)", "request.labels.count <= 1", "request.proof.size() == 2",
        "request.created_after < request.created_before", "request.least <= request.most",
        "request.phone.matches('^[0-9]+$')", "request.room > 3", "has(request.person)", "has(request.profile.born)",
        "request.class.endsWith('z')", "request.email matches '^\\\\w+@\\\\w+$'", "request.nick_name == 'Jo'",
        "request.seal.isEmpty", "request.second_role == ROLE_USER", "request.tags.length != request.roles.length",
        "!(request.email.isEmpty || request.limit == 0)", "request.profile != null && request.remember_me == true",
    ]

    /// The messages, and the conditions as functions.
    static func generate() throws -> String {
        let bytes = Array(text.utf8)
        let compilation = Compiler { $0 == "conditions.proto" ? bytes : nil }.compile(["conditions.proto"])
        return try withExtendedLifetime(compilation) {
            try #require(compilation.isComplete, "\(compilation.diagnostics)")
            var options = SwiftOptions()
            options.layout = .perFile
            options.visibility = .internal
            let output = SwiftWriter(files: compilation.filesToGenerate, options: options).write()
            let method = try #require(compilation.filesToGenerate.first?.services.first?.methods.first)
            let written = rules.map { RuleText(text: $0.replacing("\\\\", with: "\\"), place: nil) }
            let (checks, diagnostics) = RuleCompiler().checks(for: written, of: method)
            try #require(diagnostics.isEmpty, "\(diagnostics)")
            var text = try #require(output.files.first?.text)
            text +=
                "\n/// What the rules ask, each by its number.\nlet conditions: [@Sendable (AskRequest) -> Bool] = [\n"
            for (rule, check) in zip(written, checks) {
                text += "    // \(rule.text): \(check.message)\n    { request in \(check.condition) },\n"
            }
            return text + "]\n"
        }
    }
}
