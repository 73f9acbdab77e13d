// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchConformanceTestee
import LatchProtobuf
import Testing

@Suite struct WellKnownTests {
    @Test func `A well-known message of a date is exact in nanoseconds`() {
        expectEqual(Timestamp(Date(timeIntervalSince1970: 0)), Timestamp())
        expectEqual(Timestamp(Date(timeIntervalSince1970: -0.25)), Timestamp(seconds: -1, nanos: 750_000_000))
        expectEqual(Timestamp(Date(timeIntervalSinceReferenceDate: 0.999_999_999_9)), Timestamp(seconds: 978_307_201))
        expectEqual(Timestamp(seconds: 978_307_200, nanos: 1).date, Date(timeIntervalSinceReferenceDate: 1e-9))
        expectEqual(Timestamp(Date(timeIntervalSinceReferenceDate: .infinity)).isValid, false)
        expectEqual(Timestamp(Date(timeIntervalSinceReferenceDate: .nan)).nanos, 0)
    }

    @Test func `A well-known message of a date round-trips if dates are not finer than nanoseconds`() {
        for step in 0..<2_000 {
            let date = Date(timeIntervalSinceReferenceDate: Double(step) * 1_234_567.891_234 - 5e8)
            guard abs(date.timeIntervalSinceReferenceDate) > 0x1p23 else { continue }
            expectEqual(Timestamp(date).date, date)
            expectEqual(TestAllTypesProto3 { $0.optionalTimestamp = date }.optionalTimestamp, date)
        }
    }

    @Test func `A well-known message of a duration is exact in nanoseconds`() {
        expectEqual(ProtoDuration(.milliseconds(-1_500)), ProtoDuration(seconds: -1, nanos: -500_000_000))
        expectEqual(ProtoDuration(seconds: -1, nanos: -1).duration, .nanoseconds(-1_000_000_001))
        expectEqual(ProtoDuration(.seconds(5)).duration, .seconds(5))
        #expect(!ProtoDuration(seconds: 1, nanos: -1).isValid)
    }

    @Test func `A well-known message of a JSON value is written as one`() {
        let value: ProtoValue = ["name": "Ann", "age": 41, "tags": ["admin", nil, 0.5, true]]
        expectEqual(value.fields?["name"]?.string, "Ann")
        expectEqual(value.fields?["age"]?.number, 41)
        expectEqual(value.fields?["tags"]?.values?[1].isNull, true)
        expectEqual(value.fields?["tags"]?.values?.last?.bool, true)
        var object: ProtoStruct = ["a": 1]
        object["b"] = "two"
        object["a"] = nil
        expectEqual(object, ["b": "two"])
    }

    @Test func `A well-known message of any type contains its type name`() throws {
        let any = try ProtoAny(packing: StringValue("x"))
        expectEqual(any.typeURL, "type.googleapis.com/google.protobuf.StringValue")
        expectEqual(any.typeName, "google.protobuf.StringValue")
        #expect(any.holds(StringValue.self) && !any.holds(BytesValue.self))
        try expectEqual(any.unpack(StringValue.self)?.value, "x")
        expectEqual(ProtoAny(typeURL: "noslash").typeName, "")
        #expect(throws: ProtoError.self) {
            try ProtoAny(typeURL: "a/google.protobuf.StringValue", value: Data([0x0A, 5])).unpack(StringValue.self)
        }
    }
}
