// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import LatchFoundation
import LatchProtobuf
import LatchTesting
import Testing

@Suite struct JSONTextTests {
    private func read(_ json: String) throws(ProtoError) -> String {
        try StringValue(json: json).value
    }

    @Test func `A string of JSON can escape each character of the basic plane, but no lone surrogate`() throws {
        func escape(_ code: UInt32) -> String {
            let digits = String(code, radix: 16, uppercase: code.isMultiple(of: 2))
            return "\"\\u" + String(repeating: "0", count: 4 - digits.count) + digits + "\""
        }
        let codes = (UInt32(0)..<0x1_0000).filter { Unicode.Scalar($0) != nil }
        let list = try Everything(json: "{\"manyString\":[\(codes.map(escape).joined(separator: ","))]}")
        expectEqual(list.manyString.map { $0.unicodeScalars.map(\.value) }, codes.map { [$0] })
        for code in stride(from: UInt32(0xD800), to: 0xE000, by: 5) {
            #expect(throws: ProtoError.malformedJSON, "\(code)") { try read(escape(code)) }
        }
    }

    @Test func `A string of JSON escapes other planes as surrogate pairs in order`() throws {
        for code in stride(from: UInt32(0x1_0000), to: 0x11_0000, by: 9_973) {
            let high = String(0xD800 + (code - 0x1_0000) >> 10, radix: 16)
            let low = String(0xDC00 + (code - 0x1_0000) & 0x3FF, radix: 16)
            try expectEqual(read("\"\\u\(high)\\u\(low)\"").unicodeScalars.first?.value, code)
            #expect(throws: ProtoError.malformedJSON) { try read("\"\\u\(low)\\u\(high)\"") }
            #expect(throws: ProtoError.malformedJSON) { try read("\"\\u\(high)x\\u\(low)\"") }
            #expect(throws: ProtoError.malformedJSON) { try read("\"\\u\(high)\\u\(high)\"") }
            #expect(throws: ProtoError.malformedJSON) { try read("\"\\u\(high)\\n\"") }
        }
    }

    @Test(arguments: [
        "a", "0", "'", "U", "N", "B", "v", "x41", "u", "u1", "u12", "u123", "u123g", "u+123", "u 123", "u{41}", "\n",
        "",
    ])
    func `A string of JSON has no other escapes`(escape: String) {
        #expect(throws: ProtoError.malformedJSON) { try read("\"\\\(escape)\"") }
        #expect(throws: ProtoError.malformedJSON) { try read("\"\\\(escape)") }
    }

    @Test func `A string of JSON round-trips, and escapes control characters`() throws {
        var random = SplitMix64(state: 77)
        for _ in 0..<300 {
            let text = random.text(upTo: 20)
            let json = try StringValue(text).json()
            #expect(try read(json).unicodeScalars.elementsEqual(text.unicodeScalars))
            #expect(!json.utf8.contains { $0 < 0x20 || $0 == 0x7F })
        }
    }

    @Test func `A string of JSON accepts exactly the valid UTF-8 sequences`() {
        var random = SplitMix64(state: 78)
        for _ in 0..<2_000 {
            let bytes = (0..<4).map { _ in UInt8(random.below(128)) | (random.below(4) > 0 ? 0x80 : 0) }
            guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { continue }
            let isText = String(validating: bytes, as: UTF8.self) != nil
            let json = [0x22] + bytes + [0x22]
            do throws(ProtoError) {
                expectEqual(Array(try StringValue(json: json).value.utf8), bytes)
                #expect(isText, "\(bytes)")
            } catch {
                #expect(!isText, "\(bytes)")
            }
        }
    }
}

@Suite struct JSONBase64Tests {
    @Test func `Base64 in JSON equals Foundation's, for each length and each byte`() throws {
        var random = SplitMix64(state: 4)
        for count in 0...70 {
            let bytes = Data((0..<count).map { _ in UInt8(random.below(256)) })
            let text = bytes.base64EncodedString()
            try expectEqual(BytesValue(bytes).json(), "\"\(text)\"")
            let unpadded = text.replacing("=", with: "")
            let url = unpadded.replacing("+", with: "-").replacing("/", with: "_")
            for spelling in [text, unpadded, url, text.replacing("/", with: "\\/")] {
                try expectEqual(BytesValue(json: "\"\(spelling)\"").value, bytes, "\(spelling)")
            }
            #expect(throws: ProtoError.malformedJSON) { try BytesValue(json: "\"\(text) \"") }
            #expect(throws: ProtoError.malformedJSON) { try BytesValue(json: "\"\(unpadded)=====\"") }
        }
        let all = Data((0...255).map { UInt8($0) })
        try expectEqual(BytesValue(json: BytesValue(all).json()).value, all)
    }

    @Test func `Base64 in JSON has the 64 digits, the two others and no more`() {
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_".utf8
        for byte in UInt8(0x20)..<0x7F where byte != 0x22 && byte != 0x5C {
            let json: [UInt8] = [0x22, byte, byte, byte, byte, 0x22]
            do throws(ProtoError) {
                _ = try BytesValue(json: json)
                #expect(digits.contains(byte))
            } catch {
                #expect(!digits.contains(byte) && error == .malformedJSON)
            }
        }
    }
}

@Suite struct JSONNullTests {
    @Test(arguments: [
        "optionalInt32", "optionalString", "optionalBytes", "optionalNestedEnum", "optionalNestedMessage",
        "repeatedInt32", "repeatedNestedMessage", "mapStringString", "oneofString", "oneofNestedMessage",
        "optionalTimestamp", "optionalDuration", "optionalFieldMask", "optionalStruct", "optionalAny",
        "optionalBoolWrapper", "optionalStringWrapper", "repeatedListValue", "optional_int32",
    ])
    func `Null in JSON is not a value of a field`(name: String) throws {
        try expectEqual(TestAllTypesProto3(json: "{\"\(name)\":null}"), TestAllTypesProto3())
        for word in ["nul", "nulll", "NULL", "Null", "none", "n"] {
            #expect(throws: ProtoError.malformedJSON) { try TestAllTypesProto3(json: "{\"\(name)\":\(word)}") }
        }
    }

    @Test func `Null in JSON is a value of a Value anywhere`() throws {
        try expectEqual(TestAllTypesProto3(json: #"{"optionalValue":null}"#).optionalValue?.isNull, true)
        let message = try TestAllTypesProto3(json: #"{"repeatedValue":[null,1,null],"optionalStruct":{"a":null}}"#)
        expectEqual(message.repeatedValue.map(\.isNull), [true, false, true])
        expectEqual(message.optionalStruct?["a"]?.isNull, true)
        #expect(try ProtoValue(json: "null").isNull)
        try expectEqual(ProtoList(json: "[null,[null]]").values.map(\.isNull), [true, false])
        try expectEqual(ProtoStruct(json: #"{"":null}"#)[""]?.isNull, true)
    }

    @Test(arguments: [
        #"{"repeatedInt32":[null]}"#, #"{"repeatedString":["a",null]}"#, #"{"repeatedNestedEnum":[null]}"#,
        #"{"repeatedTimestamp":[null]}"#, #"{"repeatedInt32Wrapper":[null]}"#, #"{"mapInt32Int32":{"1":null}}"#,
        #"{"mapStringNestedMessage":{"a":null}}"#, #"{"mapStringNestedEnum":{"a":null}}"#,
        #"{"mapBoolBool":{null:true}}"#,
        #"{null:1}"#, "null", "[null]",
    ])
    func `Null in JSON is not an element, an entry or a message`(json: String) {
        #expect(throws: ProtoError.malformedJSON) { try TestAllTypesProto3(json: json) }
    }

    @Test func `Null in JSON counts as an occurrence of its field`() {
        for json in [
            #"{"optionalInt32":null,"optionalInt32":1}"#, #"{"optionalInt32":1,"optional_int32":null}"#,
            #"{"repeatedInt32":null,"repeated_int32":null}"#,
        ] {
            #expect(throws: ProtoError.duplicateField) { try TestAllTypesProto3(json: json) }
        }
    }

    @Test func `Null in JSON sets no field of a oneof`() throws {
        let message = try TestAllTypesProto3(json: #"{"oneofUint32":null,"oneofString":"a","oneofBytes":null}"#)
        expectEqual(message.oneofField, .oneofString("a"))
        // But a null that is a value is one.
        #expect(throws: ProtoError.duplicateField) {
            try TestAllTypesProto3(json: #"{"oneofNullValue":null,"oneofString":"a"}"#)
        }
    }
}
