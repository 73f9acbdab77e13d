// SPDX-License-Identifier: Apache-2.0

import LatchGenerator
import LatchProto
import Testing

@Suite struct `Names that are one in Swift` {
    @Test func `G10: are reported where the second one stands`() throws {
        #expect(
            try problems("message M {\n  string user_id = 1;\n  string userID = 2;\n}") == [
                "4:10: the members of M user_id and userID would both be userId in Swift"
            ])
    }

    @Test func `are reported all in one run, with a hint`() throws {
        let output = try written(
            """
            syntax = "proto3";
            import "google/protobuf/timestamp.proto";
            message M { google.protobuf.Timestamp at = 1; bool has_at = 2; }
            service S { rpc GetURL(M) returns (M); rpc GetUrl(M) returns (M); }
            message N { message A {} oneof a { string b_cd = 1; string b_CD = 2; } message aOneof {} }
            """)
        #expect(output.files.isEmpty)
        #expect(
            output.diagnostics.map(\.message) == [
                "the methods of S GetURL and GetUrl would both be getUrl in Swift",
                "the members of M at and has_at would both be hasAt in Swift",
                "the fields of the oneof a b_cd and b_CD would both be bCd in Swift",
                "the types in N aOneof and a would both be AOneof in Swift",
            ])
        #expect(output.diagnostics.allSatisfy { $0.hint != nil && !$0.excerpt.isEmpty && $0.file == "test.proto" })
    }

    @Test func `are reported across files, unless a file has a prefix`() throws {
        let other = "syntax = \"proto3\"; package other; message User {}"
        #expect(
            try problems("package one; message User {}", with: ["b.proto": other], all: true) == [
                "2:22: one.User and other.User would both be User in Swift"
            ])
        let prefixed = "syntax = \"proto3\"; package other; option swift_prefix = \"Other\"; message User {}"
        #expect(try problems("package one; message User {}", with: ["b.proto": prefixed], all: true) == [])
    }

    @Test func `are told apart by their packages, if that is wanted`() throws {
        let other = "syntax = \"proto3\"; package other.v1; message User {}"
        let output = try written(
            "syntax = \"proto3\"; package one; message User { User next = 1; }", with: ["b.proto": other], all: true
        ) {
            $0.layout = .perFile
            $0.prefixesPackages = true
        }
        #expect(output.diagnostics.isEmpty)
        let heads = output.files.flatMap { $0.text.split(separator: "\n").filter { $0.hasPrefix("public struct") } }
        #expect(heads == ["public struct OtherV1User: Message {", "public struct OneUser: Message {"])
    }

    @Test func `of values are told apart by the enum's name`() throws {
        let text = try swift("enum Foo { FOO_A = 0; FOO_B = 1; FOO_1 = 2; }")
        #expect(text.contains("case a\n    case b\n    case foo1\n"))
    }

    @Test func `of types that Swift has do not change what is meant`() throws {
        let text = try swift(
            "message String { string a = 1; } message M { String a = 1; bytes b = 2; } message Data {}")
        #expect(text.contains("var a: Swift.String {"))
        #expect(text.contains("var a: String? {"))
        #expect(text.contains("var b: LatchRPC.ProtoBytes {"))
        #expect(text.contains("init(a: Swift.String = \"\")"))
    }

    @Test func `of nested types hide others only where the module is not known`() throws {
        let text = "message A {} message M { message A {} .A outer = 1; A inner = 2; }"
        #expect(
            try problems(text) == ["2:39: A is hidden in M by a type of the same name"])
        let output = try written("syntax = \"proto3\"; \(text)") {
            $0.layout = .perFile
            $0.moduleName = "Models"
        }
        let written = try #require(output.files.first).text
        #expect(written.contains("var outer: Models.A? {"))
        #expect(written.contains("var inner: M.A? {"))
    }

    @Test func `of oneofs and of types are different`() throws {
        let text = try swift(
            "message Kind { oneof kind { string a = 1; Kind b = 2; } } message M { oneof kind { Kind a = 1; } }")
        #expect(text.contains("var kind: KindOneof? {"))
        #expect(text.contains("case b(Kind)\n"))
    }
}
