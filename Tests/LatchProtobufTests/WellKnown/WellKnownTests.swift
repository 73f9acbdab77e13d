// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchConformanceTestee
import LatchProtobuf
import Testing

@Suite struct WellKnownTests {
    @Test func `A well-known message of a date is exact in nanoseconds`() {
        #expect(Timestamp(Date(timeIntervalSince1970: 0)) == Timestamp())
        #expect(Timestamp(Date(timeIntervalSince1970: -0.25)) == Timestamp(seconds: -1, nanos: 750_000_000))
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: 0.999_999_999_9)) == Timestamp(seconds: 978_307_201))
        #expect(Timestamp(seconds: 978_307_200, nanos: 1).date == Date(timeIntervalSinceReferenceDate: 1e-9))
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: .infinity)).isValid == false)
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: .nan)).nanos == 0)
    }

    @Test func `A well-known message of a date round-trips if dates are not finer than nanoseconds`() {
        for step in 0..<2_000 {
            let date = Date(timeIntervalSinceReferenceDate: Double(step) * 1_234_567.891_234 - 5e8)
            guard abs(date.timeIntervalSinceReferenceDate) > 0x1p23 else { continue }
            #expect(Timestamp(date).date == date)
            #expect(TestAllTypesProto3 { $0.optionalTimestamp = date }.optionalTimestamp == date)
        }
    }

    @Test func `A well-known message of a duration is exact in nanoseconds`() {
        #expect(ProtoDuration(.milliseconds(-1_500)) == ProtoDuration(seconds: -1, nanos: -500_000_000))
        #expect(ProtoDuration(seconds: -1, nanos: -1).duration == .nanoseconds(-1_000_000_001))
        #expect(ProtoDuration(.seconds(5)).duration == .seconds(5))
        #expect(!ProtoDuration(seconds: 1, nanos: -1).isValid)
    }

    @Test func `A well-known message of a JSON value is written as one`() {
        let value: ProtoValue = ["name": "Ann", "age": 41, "tags": ["admin", nil, 0.5, true]]
        #expect(value.fields?["name"]?.string == "Ann")
        #expect(value.fields?["age"]?.number == 41)
        #expect(value.fields?["tags"]?.values?[1].isNull == true)
        #expect(value.fields?["tags"]?.values?.last?.bool == true)
        var object: ProtoStruct = ["a": 1]
        object["b"] = "two"
        object["a"] = nil
        #expect(object == ["b": "two"])
    }

    @Test func `A well-known message of any type contains its type name`() throws {
        let any = try ProtoAny(packing: StringValue("x"))
        #expect(any.typeURL == "type.googleapis.com/google.protobuf.StringValue")
        #expect(any.typeName == "google.protobuf.StringValue")
        #expect(any.holds(StringValue.self) && !any.holds(BytesValue.self))
        #expect(try any.unpack(StringValue.self)?.value == "x")
        #expect(ProtoAny(typeURL: "noslash").typeName == "")
        #expect(throws: ProtoError.self) {
            try ProtoAny(typeURL: "a/google.protobuf.StringValue", value: Data([0x0A, 5])).unpack(StringValue.self)
        }
    }
}
