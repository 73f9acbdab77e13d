// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct TextFormatTests {
    private func read(_ text: String) throws(ProtoError) -> TestAllTypesProto3 {
        try TestAllTypesProto3(text: text, options: TextFormatDecodingOptions(types: [ForeignMessage.self]))
    }

    @Test func `A message in the text format has one field on each line`() throws {
        let message = TestAllTypesProto3 {
            $0.optionalInt32 = -1
            $0.repeatedDouble = [1, .infinity, -0.5]
            $0.optionalBool = true
            $0.optionalString = "é\"'\\\n\u{1}"
            $0.optionalBytes = Data([0, 0x41, 0xFF])
            $0.optionalNestedEnum = .bar
            $0.optionalNestedMessage = .init(a: 1)
            $0.mapInt32Int32 = [2: 3]
        }
        let text = message.text()
        #expect(text.contains("optional_int32: -1\n"))
        #expect(text.contains("optional_string: \"é\\\"\\'\\\\\\n\\001\"\n"))
        #expect(text.contains("optional_bytes: \"\\000A\\377\"\n"))
        #expect(text.contains("optional_nested_message {\n  a: 1\n}\n"))
        #expect(text.contains("map_int32_int32 {\n  key: 2\n  value: 3\n}\n"))
        #expect(text.contains("repeated_double: 1\nrepeated_double: inf\nrepeated_double: -0.5\n"))
        try expectEqual(read(text), message)
    }

    @Test func `A message in the text format takes both brackets, lists, separators and comments`() throws {
        let text = """
            # a comment
            repeated_int32: [1, 2] repeated_int32: 3; repeated_nested_message: [{a: 1}, <a: 2>], # another
            repeated_nested_message { a: 0x3 } repeated_nested_message < a: 04; >
            optional_nested_message: { corecursive < optional_string: 'a' "b" > }
            map_string_string: [{ key: 'a' value: 'b' }, <>] optional_bool: t repeated_bool: [True, 0, f]
            """
        let message = try read(text)
        expectEqual(message.repeatedInt32, [1, 2, 3])
        expectEqual(message.repeatedNestedMessage.map(\.a), [1, 2, 3, 4])
        expectEqual(message.optionalNestedMessage?.corecursive?.optionalString, "ab")
        expectEqual(message.mapStringString, ["a": "b", "": ""])
        #expect(message.optionalBool && message.repeatedBool == [true, false, false])
    }

    /// What protoc 36.2 and the C++ runtime say of a singular field that is given twice.
    @Test
    func `A message in the text format takes a singular field again only while it is zero and has no presence`() throws
    {
        try expectEqual(read("optional_int32: 0 optional_int32: 2").optionalInt32, 2)
        try expectEqual(read("optional_int32: 0 optional_int32: 0 optional_int32: 3").optionalInt32, 3)
        try expectEqual(read("optional_string: '' optional_string: 'x'").optionalString, "x")
        for text in [
            "optional_int32: 1 optional_int32: 1", "optional_int32: 2 optional_int32: 0",
            "optional_int32: 0 optional_int32: 2 optional_int32: 2", "recursive_message {} recursive_message {}",
            "recursive_message { optional_int32: 1 } recursive_message { optional_int64: 2 }",
            "oneof_uint32: 0 oneof_uint32: 0", "optional_nested_message {} optional_nested_message {}",
        ] {
            #expect(throws: ProtoError.duplicateField) { try read(text) }
        }
        #expect(throws: ProtoError.self) { try read("oneof_uint32: 0 oneof_string: 'x'") }
    }

    @Test(arguments: [
        "optional_int32", "optional_int32:", "optional_int32 1", "optional_int32: 1 optional_int32: 2", "nobody: 1",
        "{", "}",
        "optional_int32: 1.0", "optional_int32: 1f", "optional_int32: 1a", "optional_int32: 09", "optional_int32: 0x",
        "optional_int32: \"1\"", "optional_int32: - - 1", "optional_int32: [1]", "optional_string: a",
        "optional_string: \"a",
        "optional_string: \"a'", "optional_string: \"\\q\"", "optional_string: \"\\400\"", "optional_string: \"\\x\"",
        "optional_string: \"\\u12\"", "optional_bool: TRUE", "optional_bool: 2", "optional_bool: -1",
        "optional_float: 0x1",
        "optional_float: 1e", "optional_float: .", "optional_float: one", "optional_nested_message: 1",
        "optional_nested_message {",
        "optional_nested_message { a: 1 >", "optional_nested_message [{}]", "optional_nested_enum: bar",
        "optional_nested_enum: \"BAR\"",
        "repeated_int32: [1,]", "repeated_int32: [1; 2]", "repeated_int32: [", "map_int32_int32 { key: 1 other: 2 }",
        "map_int32_int32 { key: 1 key: 2 }",
        "oneof_uint32: 1 oneof_string: ''", "[nobody.ext]: 1", "[a/b]: {}", "optional_any { [x.com/nobody.T] {} }",
        "optional_any { [x.com/google.protobuf.Empty] {} [x.com/google.protobuf.Empty] {} }", "1: 2",
        "optional_int32: 1,,",
    ])
    func `A message in the text format is refused if it is malformed`(text: String) {
        #expect(throws: ProtoError.self) { try read(text) }
    }

    @Test func `A message in the text format expands an Any with a known type`() throws {
        let text =
            "optional_any {\n  [type.googleapis.com/protobuf_test_messages.proto3.ForeignMessage] {\n    c: 1\n  }\n}\n"
        let message = try read(text)
        try expectEqual(message.optionalAny?.unpack(ForeignMessage.self)?.c, 1)
        expectEqual(message.text(TextFormatEncodingOptions(types: [ForeignMessage.self])), text)
        #expect(
            message.text().contains("type_url: \"type.googleapis.com/")
                && message.text().contains("value: \"\\010\\001\""))
    }

    @Test func `A message in the text format names groups by their types, and extensions in brackets`() throws {
        var message = TestAllTypesProto2 {
            $0.data = .init(groupInt32: 1)
            $0.multiwordgroupfield = .init()
        }
        message[AllTypesProto2Extensions.extensionInt32] = 2
        let text = message.text()
        expectEqual(
            text,
            "Data {\n  group_int32: 1\n}\nMultiWordGroupField {\n}\n[protobuf_test_messages.proto2.extension_int32]: 2\n"
        )
        try expectEqual(
            TestAllTypesProto2(
                text: text, options: TextFormatDecodingOptions(extensions: AllTypesProto2Extensions.all)), message)
        let small = text.replacing("MultiWordGroupField", with: "multiwordgroupfield")
        try expectEqual(
            TestAllTypesProto2(
                text: small, options: TextFormatDecodingOptions(extensions: AllTypesProto2Extensions.all)), message)
        #expect(throws: ProtoError.unknownField) { try TestAllTypesProto2(text: text) }
    }

    @Test func `A message in the text format writes unknown fields by number on request`() throws {
        let unknown: [UInt8] = [
            0xC8, 0x3E, 5, 0xD5, 0x3E, 1, 0, 0, 0, 0xD9, 0x3E, 2, 0, 0, 0, 0, 0, 0, 0, 0xE2, 0x3E, 2, 8, 9, 0xEA, 0x3E,
            1, 0xFF,
        ]
        let message = try ForeignMessage(serialized: unknown)
        expectEqual(message.text(), "")
        expectEqual(
            message.text(TextFormatEncodingOptions(includesUnknownFields: true)),
            "1001: 5\n1002: 0x00000001\n1003: 0x0000000000000002\n1004 {\n  1: 9\n}\n1005: \"\\377\"\n")
    }

    @Test func `A message in the text format writes hostile unknown fields without exhausting the stack`() throws {
        var bytes: [UInt8] = []
        for _ in 0..<2_000 { bytes = [0xE2, 0x3E] + varint(bytes.count) + bytes }
        let message = try ForeignMessage(serialized: bytes)
        #expect(message.text(TextFormatEncodingOptions(includesUnknownFields: true)).hasPrefix("1004 {\n"))
    }

    private func varint(_ count: Int) -> [UInt8] {
        count < 128 ? [UInt8(count)] : [UInt8(count & 127 | 128)] + varint(count >> 7)
    }

    @Test func `A message in the text format is nested up to the depth limit`() {
        let text = String(repeating: "recursive_message {", count: 200) + String(repeating: "}", count: 200)
        #expect(throws: ProtoError.tooDeep) { try read(text) }
        let skipped = "reserved_field " + String(repeating: "{ a ", count: 100_000)
        #expect(throws: ProtoError.tooDeep) { try read(skipped) }
    }

    @Test func `A message in the text format skips reserved names, and unknown fields on request`() throws {
        try expectEqual(read("reserved_field { a: [1, 'x'] [x.y] <> } optional_int32: 1").optionalInt32, 1)
        let options = TextFormatDecodingOptions(ignoresUnknownFields: true)
        try expectEqual(
            TestAllTypesProto3(text: "nobody: -inf [a.b]: 1 optional_int32: 1", options: options).optionalInt32, 1)
    }
}
