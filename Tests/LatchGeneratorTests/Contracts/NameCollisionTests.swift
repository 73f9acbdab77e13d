// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import TestTags
import Testing

@testable import LatchGenerator

@Suite struct NameCollisionTests {
    @Test(arguments: ["A {}\\nimport B", "1A", "A-", "A {}", "var "])
    func `A swift_prefix that cannot begin a name is refused`(prefix: String) throws {
        let found = try problems("option swift_prefix = \"\(prefix)\";\nmessage M {}")
        #expect(found.count == 1 && found[0].contains("swift_prefix"), "\(found)")
    }

    @Test(.tags(.nameCollisions))
    func `Names that collide in Swift are distinguished by the number of the field`() throws {
        let text = try swift("message M {\n  string userID = 2;\n  string user_id = 1;\n  int32 USER_ID = 3;\n}")
        #expect(text.contains("var userId: String {"))
        #expect(text.contains("var userId_2: String {"))
        #expect(text.contains("var userId_3: Int32 {"))
    }

    @Test(.tags(.nameCollisions)) func `Names that collide in Swift are reported at the second one`() throws {
        let output = try written("syntax = \"proto3\";\nmessage M {\n  string user_id = 1;\n  string userID = 2;\n}")
        #expect(!output.files.isEmpty)
        let told = try #require(output.diagnostics.first)
        #expect(told.severity == .warning && told.hint != nil && told.file == "test.proto")
        #expect(
            "\(told)".hasPrefix(
                "test.proto:4:10: warning: 'userID' is userId_2 in Swift, where something else is userId"))
        expectEqual(output.diagnostics.count, 1)
    }

    @Test(.tags(.nameCollisions)) func `Names that collide in Swift are distinguished in each scope`() throws {
        let text = try swift(
            """
            import "google/protobuf/timestamp.proto";
            message M { google.protobuf.Timestamp at = 1; bool has_at = 2; }
            service S { rpc GetURL(M) returns (M); rpc GetUrl(M) returns (M); }
            message N { message A {} oneof a { string b_cd = 1; string b_CD = 2; } message aOneof {} message a_oneof {} }
            message o_p {} message OP {}
            """)
        #expect(text.contains("var hasAt: Bool { storage.has(0) }"))
        #expect(text.contains("var hasAt_2: Bool {"))
        #expect(text.contains("func getUrl_2(_ request: M, options: CallOptions) async throws -> M"))
        #expect(text.contains("var onGetUrl_2:"))
        #expect(text.contains("enum AOneof_1: Hashable, Sendable {"))
        #expect(text.contains("case bCd(String)") && text.contains("case bCd_2(String)"))
        #expect(text.contains("struct AOneof: Message") && text.contains("struct AOneof_3: Message"))
        #expect(text.contains("struct OP: Message") && text.contains("struct OP_4: Message"))
    }

    @Test func `Names that collide in Swift are reported across files, unless a file has a prefix`() throws {
        let other = "syntax = \"proto3\"; package other; message User {}"
        try expectEqual(
            problems("package one; message User {}", with: ["b.proto": other], all: true),
            [
                "2:22: one.User and other.User would both be User in Swift"
            ])
        let prefixed = "syntax = \"proto3\"; package other; option swift_prefix = \"Other\"; message User {}"
        try expectEqual(problems("package one; message User {}", with: ["b.proto": prefixed], all: true), [])
    }

    @Test func `Names that collide in Swift are distinguished by their packages on request`() throws {
        let other = "syntax = \"proto3\"; package other.v1; message User {}"
        let output = try written(
            "syntax = \"proto3\"; package one; message User { User next = 1; }", with: ["b.proto": other], all: true
        ) {
            $0.layout = .perFile
            $0.prefixesPackages = true
        }
        #expect(output.diagnostics.isEmpty)
        let heads = output.files.flatMap { $0.text.split(separator: "\n").filter { $0.hasPrefix("public struct") } }
        expectEqual(heads, ["public struct OtherV1User: Message {", "public struct OneUser: Message {"])
    }

    @Test func `Names of values that collide in Swift are distinguished by their numbers as a last resort`() throws {
        let text = try swift(
            "enum Foo { option allow_alias = true; FOO_A_B = 0; FOO_AB = 1; FOO_ab = 1; BAR = -7; bar = -7; }")
        #expect(text.contains("case fooAB\n    case fooAb\n    case bar\n"))
    }

    @Test func `Names of values that collide in Swift are distinguished by the enum's name`() throws {
        let text = try swift("enum Foo { FOO_A = 0; FOO_B = 1; FOO_1 = 2; }")
        #expect(text.contains("case a\n    case b\n    case foo1\n"))
    }

    @Test func `Names of Swift's own types do not change a reference`() throws {
        let text = try swift(
            "message String { string a = 1; } message M { String a = 1; bytes b = 2; } message Data {}")
        #expect(text.contains("var a: Swift.String {"))
        #expect(text.contains("var a: String? {"))
        #expect(text.contains("var b: LatchRPC.ProtoBytes {"))
        #expect(text.contains("init(a: Swift.String = \"\")"))
    }

    @Test func `Names of nested types hide others only if the module is not known`() throws {
        let text = "message A {} message M { message A {} .A outer = 1; A inner = 2; }"
        try expectEqual(problems(text), ["2:39: A is shadowed in M by a type of the same name"])
        let output = try written("syntax = \"proto3\"; \(text)") {
            $0.layout = .perFile
            $0.moduleName = "Models"
        }
        let written = try #require(output.files.first).text
        #expect(written.contains("var outer: Models.A? {"))
        #expect(written.contains("var inner: M.A? {"))
    }

    @Test func `Names of oneofs and of types are different`() throws {
        let text = try swift(
            "message Kind { oneof kind { string a = 1; Kind b = 2; } } message M { oneof kind { Kind a = 1; } }")
        #expect(text.contains("var kind: KindOneof? {"))
        #expect(text.contains("case b(Kind)\n"))
    }
}
