// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import Testing

@testable import LatchProtobuf

@Suite struct JSONNamesTests {
    private func read(_ json: String, as schema: MessageSchema) throws(ProtoError) -> MessageStorage {
        var storage = MessageStorage(schema)
        try Array(json.utf8).withUnsafeBufferPointer { (bytes) throws(ProtoError) in
            var reader = JSONMessageDecoder(text: JSONScanner(bytes: bytes, depth: 10), options: JSONDecodingOptions())
            try reader.readMessage(into: &storage)
        }
        return storage
    }

    private func json(_ storage: MessageStorage, _ options: JSONEncodingOptions = JSONEncodingOptions()) throws
        -> String
    {
        var writer = JSONMessageEncoder(options: options)
        try writer.writeMessage(storage)
        return String(decoding: writer.output.bytes, as: UTF8.self)
    }

    @Test func `The names of fields in JSON are found for any number of fields`() throws {
        let count = 40_000
        let schema = MessageSchema("test.v1.Wide", (1...count).map { "\($0) f\($0) int32" }.joined(separator: "\n"))
        var storage = MessageStorage(schema)
        for slot in [0, 1, 63, 64, 127, 128, 32_766, 32_767, 32_768, 39_999] { storage[int32: slot] = Int32(slot + 1) }
        let text = try json(storage)
        #expect(text.hasSuffix(#","f32769":32769,"f40000":40000}"#))
        try expectEqual(read(text, as: schema), storage)
        #expect(throws: ProtoError.duplicateField) { try read(#"{"f40000":1,"f40000":2}"#, as: schema) }
        #expect(throws: ProtoError.duplicateField) { try read(#"{"f65":1,"f1":1,"f65":2}"#, as: schema) }
        #expect(throws: ProtoError.unknownField) { try read(#"{"f40001":1}"#, as: schema) }
    }

    @Test func `The names of fields in JSON are the schema's own, before those of the file`() throws {
        // The second field has in JSON the name that the first has in the file.
        let schema = MessageSchema("test.v1.Crossed", "1 some_name int32\n2 other int32 json some_name")
        try expectEqual(read(#"{"some_name":1}"#, as: schema)[int32: 1], 1)
        try expectEqual(read(#"{"someName":1}"#, as: schema)[int32: 0], 1)
        try expectEqual(read(#"{"other":1}"#, as: schema)[int32: 1], 1)
        #expect(throws: ProtoError.duplicateField) { try read(#"{"other":1,"some_name":1}"#, as: schema) }
    }

    @Test func `The names of fields in JSON are written with their escapes, for any file`() throws {
        let schema = MessageSchema(
            "test.v1.Odd",
            #"""
            1 a int32 json \"\\
            2 b_c int32 json \303\251
            3 d int32 json \040x\012\177
            """#)
        var storage = MessageStorage(schema)
        storage[int32: 0] = 1
        storage[int32: 1] = 2
        storage[int32: 2] = 3
        let text = try json(storage)
        expectEqual(text, #"{"\"\\":1,"é":2," x\n\u007f":3}"#)
        try expectEqual(read(text, as: schema), storage)
        try expectEqual(json(storage, JSONEncodingOptions(preservesProtoNames: true)), #"{"a":1,"b_c":2,"d":3}"#)
        try expectEqual(read(#"{"\u0022\\":1,"\u00e9":2,"\u0020x\u000A\u007F":3}"#, as: schema), storage)
        #expect(throws: ProtoError.unknownField) { try read(#"{"\\\"\\\\":1}"#, as: schema) }
    }

    @Test func `The names of an enum in JSON are these characters and no similar ones`() throws {
        let schema = EnumSchema("test.v1.Kind", "0 KIND\n1 OTHER\n1 ALIAS")
        expectEqual(schema.number(of: "KIND"), 0)
        expectEqual(schema.number(of: "ALIAS"), 1)
        expectEqual(schema.name(of: 1), "OTHER")
        for name in ["\u{212A}IND", "kind", "KIND ", "KIND\u{301}", "", "０"] { expectNil(schema.number(of: name)) }
    }
}
