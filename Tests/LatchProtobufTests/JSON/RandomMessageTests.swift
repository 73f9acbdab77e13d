// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchConformanceTestee
import LatchProtobuf
import Testing

@Suite struct RandomMessageTests {
    private let types = LatchConformanceTestee.types

    /// Bytes are compared, since NaN is no other NaN.
    private func expectSame<Value: Message>(_ left: Value, _ right: Value, _ seed: UInt64, _ how: String) throws {
        try expectEqual(
            left.serialized(deterministic: true), right.serialized(deterministic: true),
            "\(Value.name) of seed \(seed) does not come back from \(how)")
    }

    private func check<Value: Message>(_ type: Value.Type, _ seed: UInt64) throws {
        var random = RandomMessage(seed: seed)
        let message = try random.make(Value.self)
        try expectSame(try Value(serialized: message.serialized()), message, seed, "bytes")
        let reading = JSONDecodingOptions(types: types)
        for writing in [
            JSONEncodingOptions(types: types), JSONEncodingOptions(preservesProtoNames: true, types: types),
            JSONEncodingOptions(enumsAsNumbers: true, types: types),
        ] {
            let json = try message.jsonBytes(writing)
            try expectSame(try Value(json: json, options: reading), message, seed, "JSON")
            #expect(try JSONSerialization.jsonObject(with: Data(json)) is [String: Any], "Foundation reads it too")
        }
        let text = message.text(TextFormatEncodingOptions(types: types))
        try expectSame(try Value(text: text, options: TextFormatDecodingOptions(types: types)), message, seed, "text")
        try expectSame(try Value(text: message.text()), message, seed, "text without types")
    }

    @Test func `A message of any content round-trips through JSON, the text format and bytes`() throws {
        for seed in UInt64(1)...40 {
            try check(TestAllTypesProto3.self, seed)
            try check(TestAllTypesProto2.self, seed)
            try check(EditionsTestAllTypesProto3.self, seed)
            try check(TestAllTypesEdition2023.self, seed)
        }
    }

    @Test func `A message of any content comes back with its zeros written, if no field has presence`() throws {
        for seed in UInt64(1)...30 {
            var random = RandomMessage(seed: seed)
            let message = try random.make(TestAllTypesProto3.self, depth: 2)
            let json = try message.jsonBytes(JSONEncodingOptions(includesDefaults: true, types: types))
            let back = try TestAllTypesProto3(json: json, options: JSONDecodingOptions(types: types))
            try expectSame(back, message, seed, "JSON with zeros")
        }
    }

    @Test func `A message of any content is never half read: each cut of its JSON is refused`() throws {
        var random = RandomMessage(seed: 7)
        let json = try random.make(TestAllTypesProto3.self, depth: 2).jsonBytes(JSONEncodingOptions(types: types))
        for end in stride(from: 0, to: json.count, by: 3) {
            #expect(throws: ProtoError.self) {
                try TestAllTypesProto3(json: Array(json[..<end]), options: JSONDecodingOptions(types: types))
            }
        }
    }

    @Test func `A message of any content is read or refused after a change of any byte of its JSON`() throws {
        var random = RandomMessage(seed: 9)
        let json = try random.make(TestAllTypesProto3.self, depth: 1).jsonBytes(JSONEncodingOptions(types: types))
        var (read, refused) = (0, 0)
        for place in json.indices {
            for byte in [0x00, 0x22, 0x2C, 0x30, 0x5C, 0x7B, 0x80, 0xFF] as [UInt8] {
                var changed = json
                changed[place] = byte
                do throws(ProtoError) {
                    _ = try TestAllTypesProto3(json: changed, options: JSONDecodingOptions(types: types))
                    read += 1
                } catch {
                    refused += 1
                }
            }
        }
        #expect(read > 0 && refused > read)
    }
}
