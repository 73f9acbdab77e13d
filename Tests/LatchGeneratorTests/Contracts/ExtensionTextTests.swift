// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct ExtensionTextTests {
    private let text = """
        syntax = "proto2";
        package p;
        message M { extensions 100 to max; }
        // A name for friends.
        extend M {
          optional string nick = 100;
          repeated int32 sizes = 101;
          optional E kind = 102 [default = B];
          optional M inner = 103;
          optional string api_key = 104;
        }
        enum E { A = 0; B = 1; }
        message Holder { extend M { optional Holder holder = 110; } }
        """

    @Test func `Extensions in Swift are constants that a message takes as a subscript`() throws {
        let output = try written(text)
        let written = try #require(output.files.first).text
        #expect(
            written.contains(
                ##"""
                /// Extensions of messages.
                public enum TestExtensions {
                    public static let nick = Extension<M, String?>("100 p.nick string optional")
                    public static let sizes = Extension<M, [Int32]>("101 p.sizes int32 expanded")
                    public static let kind = Extension<M, E>(#"102 p.kind closed 0 optional default "B""#, types: [E.self])
                    public static let inner = Extension<M, M?>("103 p.inner message 0", types: [M.self])
                    public static let apiKey = Extension<M, String?>("104 p.api_key string optional secret")

                    public static var all: ExtensionSet { [nick, sizes, kind, inner, apiKey] }
                }
                """##))
    }

    @Test func `Extensions in Swift are nested in their message as in their file`() throws {
        let output = try written(text)
        let written = try #require(output.files.first).text
        #expect(
            written.contains(
                """
                    public enum Extensions {
                        public static let holder = Extension<M, Holder?>("110 p.Holder.holder message 0", types: [Holder.self])
                """))
    }

    @Test func `Extensions in Swift of one name are distinguished by their numbers`() throws {
        let output = try written(
            "syntax = \"proto2\"; message M { extensions 1 to 9; } extend M { optional int32 a_b = 1; optional int32 aB = 2; }"
        )
        expectEqual(output.diagnostics.map(\.message), ["'aB' is aB_2 in Swift, where something else is aB"])
        expectEqual(output.diagnostics.map(\.severity), [.warning])
        let text = try #require(output.files.first).text
        #expect(text.contains("static let aB = Extension<M, Int32?>"))
        #expect(text.contains("static let aB_2 = Extension<M, Int32?>"))
    }
}
