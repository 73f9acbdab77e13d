// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import TestTags
import Testing

@Suite struct GrammarTests {
    @Test(.tags(.protoGrammar))
    func `The grammar of .proto files reads fields of every type with their labels and numbers`() throws {
        let words = [
            "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64",
            "sfixed32", "sfixed64", "bool", "string", "bytes",
        ]
        let fields = words.enumerated().map { "repeated \($1) f\($0) = \($0 + 1);" }.joined(separator: "\n")
        let file = try file("syntax = \"proto3\"; message M { \(fields) }")
        let message = try #require(file.messages.first)
        expectEqual(message.fields.compactMap(\.type).map { "\($0)" }, words)
        expectEqual(message.fields.map(\.number), (1...15).map(Int32.init))
        #expect(message.fields.allSatisfy { $0.label == .repeated })
    }

    @Test(.tags(.protoGrammar))
    func `The grammar of .proto files gives an optional field of proto3 a synthetic oneof`() throws {
        let file = try file(
            """
            syntax = "proto3";
            message M { optional string name = 1; string plain = 2; optional int32 _x = 3; oneof a { int32 b = 4; } }
            """
        )
        let message = try #require(file.messages.first)
        expectEqual(message.fields.map(\.name), ["name", "plain", "_x", "b"])
        expectEqual(message.fields.map(\.isProto3Optional), [true, false, true, false])
        expectEqual(message.fields.map(\.hasPresence), [true, false, true, true])
        expectEqual(message.oneofs.map(\.name), ["a", "_name", "X_x"])
        expectEqual(message.oneofs.map(\.isSynthetic), [false, true, true])
    }

    @Test(.tags(.protoGrammar))
    func `The grammar of .proto files reads maps, nested types, reserved numbers and names`() throws {
        let file = try file(
            """
            syntax = "proto3";
            message M {
              map<string, Inner> by_name = 1;
              message Inner { int32 x = 1; enum E { A = 0; } }
              reserved 2, 4 to 6, 1000 to max;
              reserved "old", 'older';
            }
            """
        )
        let message = try #require(file.messages.first)
        let map = try #require(message.fields.first)
        #expect(map.isMap && map.message?.name == "ByNameEntry")
        expectEqual(map.message?.fields.last?.message?.fullName, "M.Inner")
        expectEqual(message.reservedRanges.map(\.first), [2, 4, 1000])
        expectEqual(message.reservedRanges.map(\.last), [2, 6, 536_870_911])
        expectEqual(message.reservedNames.map(\.name), ["old", "older"])
        expectEqual(message.messages.last?.enums.first?.values.first?.fullName, "M.Inner.A")
    }

    @Test(.tags(.protoGrammar))
    func `The grammar of .proto files reads methods over several lines, with streams on either side`() throws {
        let file = try file(
            """
            syntax = "proto3";
            package p;
            message A {} message B {}
            service S {
              rpc One(A) returns (B);
              rpc Two(
                stream A
              ) returns (
                stream .p.B
              ) {
                option deprecated = true;
              }
              rpc Three(p.A) returns (stream B) {}
            }
            """
        )
        let service = try #require(file.services.first)
        expectEqual(service.methods.map(\.fullName), ["p.S.One", "p.S.Two", "p.S.Three"])
        expectEqual(service.methods.map(\.isClientStreaming), [false, true, false])
        expectEqual(service.methods.map(\.isServerStreaming), [false, true, true])
        #expect(service.methods.allSatisfy { $0.input?.fullName == "p.A" && $0.output?.fullName == "p.B" })
        expectEqual(service.methods[1].options.message.bool(33), true)
    }

    @Test func `The grammar of .proto files reads groups, extensions and required fields of proto2`() throws {
        let file = try file(
            """
            syntax = "proto2";
            message M {
              required int32 id = 1 [default = -7];
              optional group Part = 2 { optional bytes b = 3 [default = "a\\001\\n"]; }
              extensions 100 to 199;
              extend M { optional string nested = 100; }
            }
            extend M { repeated M more = 101; }
            """)
        let message = try #require(file.messages.first)
        #expect(message.fields[0].isRequired && message.fields[0].defaultValue == "-7")
        #expect(message.fields[1].name == "part" && message.fields[1].isDelimited)
        expectEqual(message.messages.first?.fields.first?.defaultValue, "a\\001\\n")
        expectEqual(message.extensions.first?.extendee?.fullName, "M")
        #expect(file.extensions.first?.fullName == "more" && file.extensions.first?.isExtension == true)
    }

    @Test(arguments: [
        ("0x10", "16"), ("010", "8"), ("42", "42"), ("-2147483648", "-2147483648"),
    ])
    func `The grammar of .proto files reads numbers in base 8, 10 and 16`(written: String, value: String) throws {
        let text = "syntax = \"proto2\"; message M { optional int32 x = 1 [default = \(written)]; }"
        try expectEqual(file(text).messages.first?.fields.first?.defaultValue, value)
    }

    @Test(arguments: [
        ("float", "1234.12341", "1234.12341"), ("float", "0.1", "0.1"), ("double", "0.1", "0.1"),
        ("double", "1e9", "1000000000"), ("double", "1e15", "1e+15"), ("double", "-0.00001", "-1e-05"),
        ("double", "0.30000000000000004", "0.30000000000000004"), ("double", "1e-320", "9.99988867182683e-321"),
        ("float", "16777217", "16777216"), ("float", "1e-42", "1.0005271e-42"),
        ("double", "inf", "inf"), ("double", "-nan", "nan"),
        ("double", "1.7976931348623157e308", "1.7976931348623157e+308"), ("double", "0x20", "32"),
    ])
    func `The grammar of .proto files formats the default of a floating-point field as C does`(
        type: String, written: String, value: String
    ) throws {
        let text = "syntax = \"proto2\"; message M { optional \(type) x = 1 [default = \(written)]; }"
        try expectEqual(file(text).messages.first?.fields.first?.defaultValue, value)
    }

    @Test func `The grammar of .proto files decodes every escape sequence of a string`() throws {
        let text = #"""
            syntax = "proto2";
            message M { optional string s = 1 [default = "\a\b\f\n\r\t\v\\\?\'\"\101\x41\u00e9\U0001F600\ud83d\ude00" 'b' "c"]; }
            """#
        let value = try file(text).messages.first?.fields.first?.defaultValue
        expectEqual(value, "\u{07}\u{08}\u{0C}\n\r\t\u{0B}\\?'\"AAé😀😀bc")
    }

    @Test func `The grammar of .proto files assigns comments to declarations`() throws {
        let file = try file(
            """
            syntax = "proto3";  // of the syntax

            // Detached.

            // Leading, one
            // two.
            message M {
              // Trailing of the message.

              int32 a = 1;  // behind a
              /* Block
               * of b. */
              int32 b = 2;
              // below b

              int32 c = 3;
            }
            """
        )
        let message = try #require(file.messages.first)
        expectEqual(message.comments.leading, " Leading, one\n two.\n")
        expectEqual(message.comments.detached, [" Detached.\n"])
        expectEqual(message.comments.trailing, " Trailing of the message.\n")
        expectEqual(message.fields[0].comments.trailing, " behind a\n")
        expectEqual(message.fields[1].comments.leading, " Block\n of b. ")
        expectEqual(message.fields[1].comments.trailing, " below b\n")
        expectNil(message.fields[2].comments.leading)
    }

    @Test func `The grammar of .proto files records source locations on request`() throws {
        let compilation = compile("syntax = \"proto3\";\n\nmessage M {\n\tint32 a = 1;\n}\n", locations: true)
        let locations = try #require(compilation.filesToGenerate.first).locations
        let message = try #require(locations.first { $0.path == [4, 0] })
        expectEqual(
            message.span,
            SourceRange(start: SourcePosition(line: 2, column: 0), end: SourcePosition(line: 4, column: 1)))
        let field = try #require(locations.first { $0.path == [4, 0, 2, 0, 1] })
        expectEqual(field.span.start, SourcePosition(line: 3, column: 14))
        expectEqual(compile("syntax = \"proto3\";").filesToGenerate.first?.locations.isEmpty, true)
    }
}
