// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchConformanceTestee
import LatchProtobuf
import Testing

@Suite struct CodableTests {
    private struct Envelope: Codable, Equatable {
        var name: String
        var message: TestAllTypesProto3
        var times: [Timestamp]
    }

    private var envelope: Envelope {
        let message = TestAllTypesProto3 {
            $0.optionalInt64 = .max
            $0.optionalDouble = 0.1
            $0.repeatedNestedEnum = [.neg]
            $0.optionalNestedMessage = .init(a: 1)
            $0.mapInt32Int32 = [1: 2]
            $0.optionalTimestamp = Date(timeIntervalSince1970: 0.5)
            $0.optionalStruct = ["a": [1, nil, true, "x", [:]]]
        }
        return Envelope(name: "n", message: message, times: [Timestamp(seconds: 1, nanos: 1)])
    }

    @Test func `Codable messages go through Foundation's JSON in the ProtoJSON form`() throws {
        let data = try JSONEncoder().encode(envelope)
        try expectEqual(JSONDecoder().decode(Envelope.self, from: data), envelope)
        let text = String(decoding: data, as: UTF8.self)
        #expect(
            text.contains(#""optionalInt64":"9223372036854775807""#) && text.contains("1970-01-01T00:00:01.000000001Z"))
    }

    @Test func `Codable messages go through a property list, which has no null`() throws {
        var envelope = envelope
        envelope.message.optionalStruct = ["a": "b"]
        let data = try PropertyListEncoder().encode(envelope)
        try expectEqual(PropertyListDecoder().decode(Envelope.self, from: data), envelope)
    }

    @Test func `Codable messages find the type of an Any in the coder's user info`() throws {
        let any = try ProtoAny(packing: ForeignMessage(c: 1))
        let key = try #require(TypeRegistry.userInfoKey)
        let encoder = JSONEncoder()
        #expect(throws: ProtoError.unknownType) { try encoder.encode(any) }
        encoder.userInfo[key] = [ForeignMessage.self] as TypeRegistry
        let decoder = JSONDecoder()
        decoder.userInfo[key] = [ForeignMessage.self] as TypeRegistry
        try expectEqual(decoder.decode(ProtoAny.self, from: encoder.encode(any)), any)
    }

    @Test func `Codable messages reject other content`() {
        #expect(throws: ProtoError.unknownField) {
            try JSONDecoder().decode(ForeignMessage.self, from: Data(#"{"d":1}"#.utf8))
        }
        #expect(throws: ProtoError.malformedJSON) {
            try JSONDecoder().decode(ForeignMessage.self, from: Data("[1]".utf8))
        }
    }
}
