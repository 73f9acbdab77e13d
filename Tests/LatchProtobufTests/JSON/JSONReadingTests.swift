// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import LatchProtobuf
import Testing

/// The error with which a text is refused; nil where it is read.
func refusal(_ json: String, _ options: JSONDecodingOptions = JSONDecodingOptions()) -> ProtoError? {
    do throws(ProtoError) {
        _ = try TestAllTypesProto3(json: json, options: options)
        return nil
    } catch {
        return error
    }
}

@Suite struct JSONReadingTests {
    @Test(arguments: [
        #"{"optionalInt32":1,"optionalInt32":1}"#, #"{"optionalInt32":1,"optional_int32":1}"#,
        #"{"optional_int32":1,"optionalInt32":1}"#, #"{"optional_int32":1,"optional_int32":null}"#,
        #"{"optionalInt32":1,"optional\u0049nt32":1}"#, #"{"repeatedInt32":[],"repeatedInt32":[1]}"#,
        #"{"mapInt32Int32":{"1":1,"1":2}}"#, #"{"mapInt32Int32":{"1":1,"\u0031":2}}"#,
        #"{"mapStringString":{"a":"","\u0061":""}}"#, #"{"optionalStruct":{"a":1,"a":2}}"#,
        #"{"oneofUint32":1,"oneofString":""}"#, #"{"oneofUint32":1,"oneofUint32":1}"#,
        #"{"optionalNestedMessage":{"a":1},"optionalNestedMessage":{}}"#,
    ])
    func `A JSON text of a message names nothing twice, in any spelling`(json: String) {
        expectEqual(refusal(json), .duplicateField)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[]", "null", "1", #""""#, "{}{}", "{},", "{}x", #"{"optionalInt32"}"#,
        #"{"optionalInt32":}"#,
        #"{"optionalInt32":1,}"#, #"{,"optionalInt32":1}"#, #"{"optionalInt32" 1}"#, "{optionalInt32:1}",
        #"{'optionalInt32':1}"#, "{/**/}", "{}\u{0}", "\u{FEFF}{}", "{\u{A0}}", #"{"repeatedInt32":[1,]}"#,
        #"{"repeatedInt32":[1 2]}"#, #"{"repeatedInt32":[1"#, #"{"optionalBool":tru}"#, #"{"optionalBool":trues}"#,
        #"{"optionalString":"a"#, "{\"optionalString\":\"\n\"}", #"{"optionalString":"\x"}"#,
        #"{"optionalString":"\u12"}"#, #"{"optionalString":"\uD800"}"#, #"{"optionalString":"\uDC00\uD800"}"#,
        #"{"optionalString":"\uD800\u0041"}"#, #"{"optionalString":'a'}"#, #"{"optionalString":"\"#,
    ])
    func `A JSON text of a message is RFC 8259's, from its first byte to its last`(json: String) {
        expectEqual(refusal(json), .malformedJSON)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE8, 0xB0],
        ] as [[UInt8]])
    func `A JSON text of a message has UTF-8 in values, names and skipped parts`(bytes: [UInt8]) {
        let ignoring = JSONDecodingOptions(ignoresUnknownFields: true)
        for frame in [
            ("{\"optionalString\":\"", "\"}"), ("{\"x", "\":1}"), ("{\"x\":[\"", "\"]}"), ("{\"x\":{\"", "\":1}}"),
        ] {
            let json = Array(frame.0.utf8) + bytes + Array(frame.1.utf8)
            #expect(throws: ProtoError.malformedJSON) { try TestAllTypesProto3(json: json, options: ignoring) }
        }
    }

    @Test(
        arguments: [
            ("1", 1), ("-0", 0), ("1.0", 1), ("1e2", 100), ("1E+2", 100), ("120e-1", 12), ("0.12e2", 12), ("\"7\"", 7),
            ("\"1e2\"", 100), ("\"\\u0037\"", 7), ("2147483647", .max), ("-2147483648", .min), ("0e999999999999", 0),
            ("2147483647.000000000000000000000000000", .max), ("21474836470000000000000000000000e-22", .max),
            ("0.0", 0),
        ] as [(String, Int32)])
    func `A JSON text of a message takes every spelling of an integer`(spelling: String, value: Int32) throws {
        try expectEqual(TestAllTypesProto3(json: "{\"optionalInt32\":\(spelling)}").optionalInt32, value)
    }

    @Test(arguments: [
        "2147483648", "-2147483649", "1.5", "1e-1", "1e10", "1e99999999999999999999", "01", "-01", "+1", ".5", "1.",
        "1e",
        "1e+", "--1", "0x1", "\"\"", "\" 1\"", "\"1 \"", "\"+1\"", "\"01\"", "\"0x1\"", "\"1\\u0000\"", "\"NaN\"",
        "true",
        "[1]", "{}", "1_000", "\"1.5\"", "NaN", "12345678901234567890123", "0.000000000000000000000000000001",
    ])
    func `A JSON text of a message refuses a value that is not an integer of the type`(spelling: String) {
        expectEqual(refusal("{\"optionalInt32\":\(spelling)}"), .malformedJSON)
        expectEqual(refusal("{\"repeatedInt32\":[\(spelling)]}"), .malformedJSON)
    }

    @Test func `A JSON text of a message reads 64 bits to their limits`() throws {
        let json = """
            {"optionalInt64":-9223372036854775808,"optionalUint64":"18446744073709551615","optionalSint64":
            "9223372036854775807","optionalFixed64":1844674407370955161.5e1}
            """
        let message = try TestAllTypesProto3(json: json)
        expectEqual(message.optionalInt64, .min)
        expectEqual(message.optionalUint64, .max)
        expectEqual(message.optionalSint64, .max)
        expectEqual(message.optionalFixed64, .max)
        for beyond in ["-9223372036854775809", "9223372036854775808", "\"1e19\""] {
            expectEqual(refusal("{\"optionalInt64\":\(beyond)}"), .malformedJSON)
        }
        for beyond in ["-1", "18446744073709551616", "1e20"] {
            expectEqual(refusal("{\"optionalUint64\":\(beyond)}"), .malformedJSON)
        }
    }

    @Test(arguments: [
        "0", "-0", "1", "0.1", "1e23", "8.988465674311579e307", "1.7976931348623157e308", "4.9e-324",
        "2.2250738585072011e-308",
        "123456789012345678901234567890", "0.3", "1e-400", "9007199254740993", "5e-324",
        "1.00000000000000011102230246251565",
    ])
    func `A JSON text of a message rounds floats as Swift does`(spelling: String) throws {
        let message = try TestAllTypesProto3(json: "{\"oneofDouble\":\(spelling)}")
        expectEqual(message.oneofField, .oneofDouble(try #require(Double(spelling))))
        let single = try TestAllTypesProto3(json: "{\"optionalFloat\":\(spelling.count < 12 ? spelling : "16777217")}")
        expectEqual(single.optionalFloat, Float(spelling.count < 12 ? spelling : "16777217"))
    }

    @Test func `A JSON text of a message refuses floats beyond their range`() {
        for spelling in ["1e309", "-1e309", "\"1e309\"", "1.8e308"] {
            expectEqual(refusal("{\"optionalDouble\":\(spelling)}"), .malformedJSON)
        }
        for spelling in ["3.5e38", "-3.5e38", "1e309", "\"infinity\"", "\"nan\"", "\"-NaN\"", "Infinity"] {
            expectEqual(refusal("{\"optionalFloat\":\(spelling)}"), .malformedJSON)
        }
    }

    @Test func `A JSON text of a message is nested up to the depth limit`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "{\"recursiveMessage\":", count: depth - 1) + "{}"
                + String(repeating: "}", count: depth - 1)
        }
        expectNil(refusal(nested(100)))
        expectEqual(refusal(nested(101)), .tooDeep)
        expectEqual(refusal(nested(3), JSONDecodingOptions(depth: 2)), .tooDeep)
        let deep = String(repeating: "[", count: 1_000_000)
        expectEqual(refusal("{\"optionalValue\":\(deep)"), .tooDeep)
        expectEqual(refusal("{\"x\":\(deep)", JSONDecodingOptions(ignoresUnknownFields: true)), .tooDeep)
        expectEqual(refusal(nested(600), JSONDecodingOptions(depth: 100_000)), .tooDeep)
    }

    @Test func `A JSON text of a message has no unknown members unless they are ignored`() throws {
        let ignoring = JSONDecodingOptions(ignoresUnknownFields: true)
        let json = #"{"nobody":{"a":[1,null,{"b":"c"}]},"optionalInt32":1,"OptionalInt32":2}"#
        expectEqual(refusal(json), .unknownField)
        try expectEqual(
            TestAllTypesProto3(json: json, options: ignoring),
            TestAllTypesProto3 {
                $0.optionalInt32 = 1
            })
        expectEqual(refusal(#"{"nobody":{"a":[1,]}}"#, ignoring), .malformedJSON)
        expectEqual(refusal(#"{"nobody":01}"#, ignoring), .malformedJSON)
    }

    @Test func `A JSON text of a message reports the field of an error`() {
        let error = refusal(#"{"optionalNestedMessage":{"corecursive":{"optionalInt32":"x"}}}"#)
        expectEqual(error?.message.hasPrefix("In optional_nested_message.corecursive.optional_int32: "), true)
        expectEqual(refusal(#"{"optionalInt32":"1.x"}"#)?.message.contains("at byte 20:"), true)
    }

    @Test func `A JSON text of a message names enums by name or number`() throws {
        try expectEqual(TestAllTypesProto3(json: #"{"optionalNestedEnum":"NEG"}"#).optionalNestedEnum, .neg)
        try expectEqual(TestAllTypesProto3(json: #"{"optionalNestedEnum":-1}"#).optionalNestedEnum, .neg)
        try expectEqual(TestAllTypesProto3(json: #"{"optionalNestedEnum":7}"#).optionalNestedEnum, .unrecognized(7))
        expectEqual(refusal(#"{"optionalNestedEnum":"neg"}"#), .unknownEnumValue)
        expectEqual(refusal(#"{"optionalNestedEnum":"1"}"#), .unknownEnumValue)
        #expect(throws: ProtoError.unknownEnumValue) { try TestAllTypesProto2(json: #"{"optionalNestedEnum":7}"#) }
        let ignoring = JSONDecodingOptions(ignoresUnknownFields: true)
        let json =
            #"{"repeatedNestedEnum":["BAR","?","BAZ"],"mapStringNestedEnum":{"a":"?","b":"BAR"},"oneofEnum":"?"}"#
        let message = try TestAllTypesProto3(json: json, options: ignoring)
        expectEqual(message.repeatedNestedEnum, [.bar, .baz])
        expectEqual(message.mapStringNestedEnum, ["b": .bar])
        expectNil(message.oneofField)
    }

    @Test func `A JSON text of a message accepts base64 of both alphabets, padded or not`() throws {
        for spelling in ["-_8=", "+/8=", "-_8", "+/8", "+_8"] {
            expectEqual(
                Array(try TestAllTypesProto3(json: "{\"optionalBytes\":\"\(spelling)\"}").optionalBytes),
                [
                    0xFB, 0xFF,
                ])
        }
        for spelling in ["a", "a===", "ab=", "ab=c", "====", "=", "a b=", "abcd=", "ab\\u0000="] {
            expectEqual(refusal("{\"optionalBytes\":\"\(spelling)\"}"), .malformedJSON)
        }
    }

    @Test func `A JSON text of a message reads null as absent`() throws {
        let json =
            #"{"optionalInt32":null,"repeatedInt32":null,"mapInt32Int32":null,"oneofString":null,"optionalAny":null}"#
        try expectEqual(TestAllTypesProto3(json: json), TestAllTypesProto3())
        expectEqual(refusal(#"{"repeatedInt32":[null]}"#), .malformedJSON)
        expectEqual(refusal(#"{"repeatedNestedMessage":[null]}"#), .malformedJSON)
        expectEqual(refusal(#"{"mapStringString":{"a":null}}"#), .malformedJSON)
        try expectEqual(TestAllTypesProto3(json: #"{"oneofNullValue":null}"#).oneofField, .oneofNullValue(.nullValue))
    }

    @Test func `A JSON text of a message has maps with keys of every type`() throws {
        let json = """
            {"mapBoolBool":{"true":false},"mapInt32Int32":{"-1":1},"mapUint64Uint64":{"18446744073709551615":"1"},
            "mapStringString":{"":"\\u0000"},"mapStringForeignMessage":{"a":{"c":1}}}
            """
        let message = try TestAllTypesProto3(json: json)
        expectEqual(message.mapBoolBool, [true: false])
        expectEqual(message.mapInt32Int32, [-1: 1])
        expectEqual(message.mapUint64Uint64, [.max: 1])
        expectEqual(message.mapStringString, ["": "\0"])
        expectEqual(message.mapStringForeignMessage["a"]?.c, 1)
        for wrong in [
            "mapBoolBool\":{\"1\":true}", "mapInt32Int32\":{\"\":1}", "mapInt32Int32\":{\"1x\":1}",
            "mapUint32Uint32\":{\"-1\":1}",
        ] {
            expectEqual(refusal("{\"\(wrong)}"), .malformedJSON)
        }
    }
}
