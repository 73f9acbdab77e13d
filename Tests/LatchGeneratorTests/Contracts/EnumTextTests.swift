// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct EnumTextTests {
    @Test func `An enum in Swift has cases, its schema and its numbers`() throws {
        let text = try swift(
            """
            // Like a rainbow.
            enum Color {
              COLOR_UNSPECIFIED = 0;
              // Like blood.
              COLOR_RED = 1;
              COLOR_COLD = -5 [deprecated = true];
            }
            """)
        expectEqual(
            text,
            #"""
            /// Like a rainbow.
            public enum Color: ProtoEnum {
                case unspecified
                /// Like blood.
                case red
                /// Deprecated.
                case cold
                /// A number without a name in the .proto file.
                case unrecognized(Int32)

                public static let schema = EnumSchema(
                    "Color",
                    """
                    0 COLOR_UNSPECIFIED
                    1 COLOR_RED
                    -5 COLOR_COLD
                    """)

                public init?(rawValue: Int32) {
                    switch rawValue {
                    case 0: self = .unspecified
                    case 1: self = .red
                    case -5: self = .cold
                    default: self = .unrecognized(rawValue)
                    }
                }

                public var rawValue: Int32 {
                    switch self {
                    case .unspecified: 0
                    case .red: 1
                    case .cold: -5
                    case .unrecognized(let number): number
                    }
                }

                public static var allCases: [Self] { [.unspecified, .red, .cold] }
            }

            """#)
    }

    @Test func `An enum in Swift that is closed refuses other numbers`() throws {
        let output = try written("syntax = \"proto2\"; enum Size { SMALL = 1; LARGE = 2; }")
        let text = try #require(output.files.first).text
        #expect(text.contains("        default: return nil\n"))
        #expect(!text.contains("unrecognized"))
    }

    @Test func `An enum in Swift has the aliases of a number as static members`() throws {
        let text = try swift(
            "enum E { option allow_alias = true; E_A = 0; E_B = 1; E_ALSO_B = 1; }")
        #expect(text.contains("    case a\n    case b\n"))
        #expect(text.contains("    public static var alsoB: Self { .b }\n"))
        #expect(text.contains("        1 E_B\n        1 E_ALSO_B\n"))
        #expect(text.contains("{ [.a, .b] }"))
    }

    @Test func `An enum in Swift keeps its name as a prefix if cases would collide`() throws {
        let text = try swift("enum Foo { option allow_alias = true; FOO_BAR = 0; BAR = 0; FOO_BAZ = 1; }")
        #expect(text.contains("    case fooBar\n    case fooBaz\n"))
        #expect(text.contains("    public static var bar: Self { .fooBar }\n"))
    }

    @Test func `An enum in Swift is nested in its message as in its file`() throws {
        let text = try swift("message M { enum Kind { KIND_A = 0; } Kind kind = 1; } message N { M.Kind kind = 1; }")
        #expect(text.contains("    public enum Kind: ProtoEnum {\n"))
        #expect(text.contains("types: [M.Kind.self])"))
        #expect(text.contains("var kind: M.Kind { get { storage[enum: 0] } set { storage[enum: 0] = newValue } }"))
        #expect(text.contains("init(kind: M.Kind = .a) {"))
    }
}
