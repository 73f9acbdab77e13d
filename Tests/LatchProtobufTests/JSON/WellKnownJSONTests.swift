// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct WellKnownJSONTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0, 0), ("1970-01-01T00:00:00.5Z", 0, 500_000_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
            ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999),
            ("2000-02-29T12:00:00+14:00", 951_775_200, 0),
            ("1969-12-31T23:59:59.9Z", -1, 900_000_000), ("2024-02-29T23:59:59-00:30", 1_709_252_999, 0),
            ("1600-02-29T00:00:00Z", -11_670_998_400, 0),
        ] as [(String, Int64, Int32)])
    func `A well-known message in JSON is a time of RFC 3339`(text: String, seconds: Int64, nanos: Int32) throws {
        try expectEqual(Timestamp(json: "\"\(text)\""), Timestamp(seconds: seconds, nanos: nanos))
    }

    @Test(arguments: [
        "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01t00:00:00Z", "1970-01-01T00:00:00z", "1970-13-01T00:00:00Z",
        "1970-00-01T00:00:00Z", "1970-01-32T00:00:00Z", "1970-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "1970-01-01T24:00:00Z",
        "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00.0000000001Z",
        "1970-01-01T00:00:00+0800", "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+08:60", " 1970-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z ", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
        "10000-01-01T00:00:00Z", "1970-1-01T00:00:00Z", "-0001-01-01T00:00:00Z",
    ])
    func `A well-known message in JSON is not a time in another format`(text: String) {
        #expect(throws: ProtoError.malformedJSON) { try Timestamp(json: "\"\(text)\"") }
    }

    @Test func `A well-known message in JSON writes a time's fraction in groups of three digits`() throws {
        for (nanos, spelling) in [
            (0, ""), (1, ".000000001"), (1_000, ".000001"), (1_000_000, ".001"), (120_000_000, ".120"),
        ] {
            try expectEqual(Timestamp(nanos: Int32(nanos)).json(), "\"1970-01-01T00:00:00\(spelling)Z\"")
            try expectEqual(ProtoDuration(nanos: Int32(-nanos)).json(), "\"\(nanos == 0 ? "" : "-")0\(spelling)s\"")
        }
    }

    @Test func `A well-known message in JSON round-trips for every day of the calendar`() throws {
        var day = Int64(-719_162)
        while day < 2_932_896 {
            let time = Timestamp(
                seconds: day * 86_400 + day.magnitude.quotientAndRemainder(dividingBy: 86_400).remainder.asInt64)
            try expectEqual(Timestamp(json: try time.json()), time)
            day += 37
        }
    }

    @Test func `A well-known message in JSON is a duration in seconds`() throws {
        for (text, seconds, nanos) in [
            ("0s", 0, 0), ("1.5s", 1, 500_000_000), ("-1.5s", -1, -500_000_000), ("-0.000000001s", 0, -1),
            ("315576000000s", 315_576_000_000, 0),
        ] as [(String, Int64, Int32)] {
            try expectEqual(ProtoDuration(json: "\"\(text)\""), ProtoDuration(seconds: seconds, nanos: nanos))
        }
        for text in [
            "", "s", "1", "1 s", "1.s", ".5s", "+1s", "1.0000000001s", "1e3s", "315576000001s", "99999999999999999999s",
            "1S", "--1s", "01s",
        ] {
            #expect(throws: ProtoError.malformedJSON) { try ProtoDuration(json: "\"\(text)\"") }
        }
    }

    @Test func `A well-known message in JSON is rejected if JSON cannot represent it`() {
        #expect(throws: ProtoError.unrepresentable) { try Timestamp(seconds: 253_402_300_800).json() }
        #expect(throws: ProtoError.unrepresentable) { try Timestamp(nanos: -1).json() }
        #expect(throws: ProtoError.unrepresentable) { try Timestamp(nanos: 1_000_000_000).json() }
        #expect(throws: ProtoError.unrepresentable) { try ProtoDuration(seconds: 1, nanos: -1).json() }
        #expect(throws: ProtoError.unrepresentable) { try ProtoDuration(seconds: 315_576_000_001).json() }
        #expect(throws: ProtoError.unrepresentable) { try FieldMask(paths: ["fooBar"]).json() }
        #expect(throws: ProtoError.unrepresentable) { try FieldMask(paths: ["a_1"]).json() }
        #expect(throws: ProtoError.unrepresentable) { try FieldMask(paths: ["a_"]).json() }
        #expect(throws: ProtoError.unrepresentable) { try ProtoValue().json() }
        #expect(throws: ProtoError.unrepresentable) { try ProtoValue(kind: .numberValue(.nan)).json() }
        #expect(throws: ProtoError.unrepresentable) {
            try ProtoStruct(fields: ["a": ProtoValue(kind: .numberValue(-.infinity))]).json()
        }
    }

    @Test func `A well-known message in JSON is a field mask in lowerCamelCase`() throws {
        let mask: FieldMask = ["user.display_name", "id"]
        try expectEqual(mask.json(), #""user.displayName,id""#)
        try expectEqual(FieldMask(json: #""user.displayName,id""#), mask)
        #expect(try FieldMask(json: #""""#) == FieldMask())
        #expect(throws: ProtoError.malformedJSON) { try FieldMask(json: #""display_name""#) }
        #expect(mask.contains("user.display_name.first") && !mask.contains("user"))
    }

    @Test func `A well-known message in JSON is any JSON value`() throws {
        let json = #"{"a":[1,-0.5,null,true,"x",{},[]],"b":{"c":null}}"#
        let value = try ProtoStruct(json: json)
        expectEqual(value, ["a": [1, -0.5, nil, true, "x", [:], []], "b": ["c": nil]])
        try expectEqual(value.json(), json)
        try expectEqual(ProtoValue(json: "null"), .null)
        try expectEqual(ProtoValue(json: json).fields, value.fields)
        try expectEqual(ProtoList(json: "[1]"), [1])
        #expect(throws: ProtoError.malformedJSON) { try ProtoStruct(json: "[]") }
        #expect(throws: ProtoError.malformedJSON) { try ProtoValue(json: "1e999") }
    }

    @Test func `A well-known message in JSON is a scalar if it wraps one`() throws {
        try expectEqual(StringValue("x").json(), #""x""#)
        try expectEqual(Int64Value(7).json(), #""7""#)
        try expectEqual(BytesValue(Data([1])).json(), #""AQ==""#)
        try expectEqual(UInt64Value(json: "18446744073709551615").value, .max)
        #expect(try BoolValue(json: "true").value)
        #expect(throws: ProtoError.malformedJSON) { try BoolValue(json: "null") }
        let message = try TestAllTypesProto3(
            json: #"{"optionalBoolWrapper":false,"optionalInt32Wrapper":null,"repeatedFloatWrapper":[0,1.5]}"#)
        #expect(message.optionalBoolWrapper == false && message.optionalInt32Wrapper == nil)
        expectEqual(message.repeatedFloatWrapper, [0, 1.5])
        try expectEqual(message.json(), #"{"optionalBoolWrapper":false,"repeatedFloatWrapper":[0,1.5]}"#)
    }
}

extension UInt64 {
    fileprivate var asInt64: Int64 { Int64(truncatingIfNeeded: self) }
}

@Suite struct AnyJSONTests {
    private let types: TypeRegistry = [TestAllTypesProto3.self, ForeignMessage.self]

    @Test func `An Any in JSON has the members of its message after the type`() throws {
        let any = try ProtoAny(packing: ForeignMessage(c: 5))
        let json = #"{"@type":"type.googleapis.com/protobuf_test_messages.proto3.ForeignMessage","c":5}"#
        try expectEqual(any.json(JSONEncodingOptions(types: types)), json)
        let reading = JSONDecodingOptions(types: types)
        try expectEqual(ProtoAny(json: json, options: reading), any)
        let last = #"{"c":5,"@type":"type.googleapis.com/protobuf_test_messages.proto3.ForeignMessage"}"#
        try expectEqual(ProtoAny(json: last, options: reading), any)
        try expectEqual(any.unpack(ForeignMessage.self)?.c, 5)
        try expectNil(any.unpack(Timestamp.self))
    }

    @Test func `An Any in JSON has a member value for types with a special JSON form`() throws {
        let any = try ProtoAny(packing: ProtoAny(packing: Timestamp(seconds: 1)))
        let json =
            #"{"@type":"type.googleapis.com/google.protobuf.Any","value":{"@type":"type.googleapis.com/google.protobuf.Timestamp","value":"1970-01-01T00:00:01Z"}}"#
        try expectEqual(any.json(), json)
        try expectEqual(ProtoAny(json: json), any)
        try expectEqual(ProtoAny(packing: Empty()).json(), #"{"@type":"type.googleapis.com/google.protobuf.Empty"}"#)
        try expectEqual(ProtoAny(json: "{}"), ProtoAny())
        try expectEqual(ProtoAny().json(), "{}")
    }

    @Test(arguments: [
        #"{"@type":"x"}"#, #"{"@type":""}"#, #"{"@type":"/google.protobuf.Empty"}"#, #"{"value":1}"#,
        #"{"@type":"a/b.C"}"#,
        #"{"@type":"a/google.protobuf.Empty","@type":"a/google.protobuf.Empty"}"#, #"{"@type":1}"#,
        #"{"@type":"a/google.protobuf.Empty","x":1}"#, #"{"@type":"a/google.protobuf.Int32Value"}"#,
        #"{"@type":"a/google.protobuf.Int32Value","value":1,"value":1}"#,
        #"{"@type":"a/google.protobuf.Int32Value","value":1,"x":1}"#,
        #"{"@type":"a/google.protobuf.Int32Value","value":"x"}"#,
    ])
    func `An Any in JSON names one known type and has nothing else`(json: String) {
        #expect(throws: ProtoError.self) { try ProtoAny(json: json) }
    }

    @Test func `An Any in JSON is read again at each level up to the depth limit`() {
        let open = #"{"@type":"a/google.protobuf.Any","value":"#
        let json = String(repeating: open, count: 200) + "{}" + String(repeating: "}", count: 200)
        #expect(throws: ProtoError.tooDeep) { try ProtoAny(json: json) }
    }

    @Test func `An Any in JSON of an unregistered type is not written`() {
        let any = ProtoAny(typeURL: "a/b.C", value: Data([1]))
        #expect(throws: ProtoError.unknownType) { try any.json() }
        #expect(throws: ProtoError.self) {
            try ProtoAny(typeURL: "a/google.protobuf.Timestamp", value: Data([0xFF])).json()
        }
    }
}
