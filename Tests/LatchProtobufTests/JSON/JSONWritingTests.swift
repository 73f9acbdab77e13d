// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct JSONWritingTests {
    @Test func `A message written as JSON has its fields in lowerCamelCase, in the order of the file`() throws {
        let message = TestAllTypesProto3 {
            $0.optionalInt32 = 1
            $0.optionalInt64 = -2
            $0.optionalBool = true
            $0.optionalString = "a\"b\\c\n\u{1}\u{7F}é"
            $0.optionalBytes = Data([0xFB, 0xFF])
        }
        try expectEqual(
            message.json(),
            #"{"optionalInt32":1,"optionalInt64":"-2","optionalBool":true,"optionalString":"a\"b\\c\n\u0001\u007fé","optionalBytes":"+/8="}"#
        )
    }

    @Test func `A message written as JSON has the names of the .proto file on request`() throws {
        let message = TestAllTypesProto3 {
            $0.optionalNestedMessage = .init(a: 1)
            $0.fieldName7 = 2
        }
        try expectEqual(
            message.json(JSONEncodingOptions(preservesProtoNames: true)),
            #"{"optional_nested_message":{"a":1},"fieldName7":2}"#)
    }

    @Test
    func `A message written as JSON has zero fields only on request, and unset fields with presence never`() throws {
        try expectEqual(ForeignMessage().json(), "{}")
        try expectEqual(ForeignMessage().json(JSONEncodingOptions(includesDefaults: true)), #"{"c":0}"#)
        let json = try TestAllTypesProto3().json(JSONEncodingOptions(includesDefaults: true))
        #expect(json.contains(#""repeatedInt32":[],"#) && json.contains(#""mapInt32Int32":{}"#))
        #expect(json.contains(#""optionalNestedEnum":"FOO""#) && json.contains(#""optionalInt64":"0""#))
        #expect(!json.contains("oneof") && !json.contains("optionalNestedMessage"))
        try expectEqual(
            TestAllTypesProto2().json(JSONEncodingOptions(includesDefaults: true)).contains("optionalInt32"), false)
    }

    @Test func `A message written as JSON has enums by name, and as numbers if unnamed or on request`() throws {
        let message = TestAllTypesProto3 {
            $0.repeatedNestedEnum = [.bar, .unrecognized(9), .neg]
        }
        try expectEqual(message.json(), #"{"repeatedNestedEnum":["BAR",9,"NEG"]}"#)
        try expectEqual(message.json(JSONEncodingOptions(enumsAsNumbers: true)), #"{"repeatedNestedEnum":[1,9,-1]}"#)
    }

    @Test func `A message written as JSON has floats in the fewest digits that round-trip`() throws {
        let values: [Double] = [
            0.1, -0.0, 1, 1e21, .leastNonzeroMagnitude, .infinity, -.infinity, 123_456_789, 0x1p53, -2.5,
        ]
        let json = try TestAllTypesProto3 {
            $0.repeatedFloat = [0.1, 16_777_216, .nan]
            $0.repeatedDouble = values
        }.json()
        expectEqual(
            json,
            #"{"repeatedFloat":[0.1,16777216,"NaN"],"repeatedDouble":[0.1,-0.0,1,1e+21,5e-324,"Infinity","-Infinity",123456789,9007199254740992,-2.5]}"#
        )
        try expectEqual(TestAllTypesProto3(json: json).repeatedDouble, values)
        try expectEqual(TestAllTypesProto3(json: json).repeatedDouble[1].sign, .minus)
    }

    @Test func `A message written as JSON has maps in the order of their keys`() throws {
        let message = TestAllTypesProto3 {
            $0.mapInt32Int32 = [10: 1, 9: 2, -1: 3]
            $0.mapBoolBool = [true: true, false: false]
            $0.mapStringString = ["b": "", "a": "", "": ""]
        }
        try expectEqual(
            message.json(),
            #"{"mapInt32Int32":{"-1":3,"9":2,"10":1},"mapBoolBool":{"false":false,"true":true},"mapStringString":{"":"","a":"","b":""}}"#
        )
    }

    @Test func `A message written as JSON has extensions by their full names`() throws {
        var message = TestAllTypesProto2()
        message[AllTypesProto2Extensions.extensionInt32] = 5
        message[AllTypesProto2Extensions.groupfield] = GroupField(groupInt32: 6)
        let json = try message.json()
        #expect(
            json
                == #"{"[protobuf_test_messages.proto2.extension_int32]":5,"[protobuf_test_messages.proto2.groupfield]":{"groupInt32":6}}"#
                || json
                    == #"{"[protobuf_test_messages.proto2.groupfield]":{"groupInt32":6},"[protobuf_test_messages.proto2.extension_int32]":5}"#
        )
        let options = JSONDecodingOptions(extensions: AllTypesProto2Extensions.all)
        try expectEqual(TestAllTypesProto2(json: json, options: options), message)
        #expect(throws: ProtoError.unknownField) { try TestAllTypesProto2(json: json) }
        let twice =
            #"{"[protobuf_test_messages.proto2.extension_int32]":5,"[protobuf_test_messages.proto2.extension_int32]":5}"#
        #expect(throws: ProtoError.duplicateField) { try TestAllTypesProto2(json: twice, options: options) }
        let nothing = twice.replacing("5", with: "null")
        #expect(throws: ProtoError.duplicateField) { try TestAllTypesProto2(json: nothing, options: options) }
    }

    @Test func `A message written as JSON has groups by the field's name`() throws {
        try expectEqual(
            TestAllTypesProto2 {
                $0.data = .init(groupInt32: 1)
            }.json(), #"{"data":{"groupInt32":1}}"#)
        try expectEqual(TestAllTypesProto2(json: #"{"data":{"groupInt32":1}}"#).data?.groupInt32, 1)
    }
}
