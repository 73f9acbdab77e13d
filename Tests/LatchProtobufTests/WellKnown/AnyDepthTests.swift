// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct AnyDepthTests {
    /// Creates nested Any messages from bytes; the innermost holds a duration.
    private func nested(_ depth: Int) throws -> ProtoAny {
        var any = try ProtoAny(packing: ProtoDuration(seconds: 1))
        for _ in 1..<depth { any = try ProtoAny(packing: any) }
        return any
    }

    @Test(arguments: [1, 2, 10, 60])
    func `An Any in an Any comes back from JSON and from the text format`(depth: Int) throws {
        let any = try nested(depth)
        try expectEqual(ProtoAny(json: any.jsonBytes()), any)
        try expectEqual(ProtoAny(text: any.text()), any)
    }

    @Test
    func `An Any in an Any is written a thousand levels deep, since decoding does not recurse into its bytes`() throws {
        let any = try nested(1_000)
        let bytes = try any.serialized()
        let read = try ProtoAny(serialized: bytes)
        expectEqual(read, any)
        #expect(throws: ProtoError.tooDeep) { try read.json() }
        let text = read.text()
        // At some depth it is the URL and the bytes that it is, and reads back as the same.
        #expect(text.contains("type_url: "))
        try expectEqual(ProtoAny(text: text), any)
        try expectEqual(read.unpack(ProtoAny.self), nested(999))
    }

    @Test func `An Any in an Any is read from JSON up to the depth limit`() throws {
        func json(_ depth: Int) -> String {
            let open = #"{"@type":"type.googleapis.com/google.protobuf.Any","value":"#
            return String(repeating: open, count: depth) + "{}" + String(repeating: "}", count: depth)
        }
        try expectEqual(ProtoAny(json: json(99)).typeName, "google.protobuf.Any")
        #expect(throws: ProtoError.tooDeep) { try ProtoAny(json: json(100)) }
        #expect(throws: ProtoError.tooDeep) {
            try ProtoAny(json: json(600), options: JSONDecodingOptions(depth: 5_000))
        }
    }

    @Test(arguments: [
        (#"{"@type":"type.googleapis.com/google.protobuf.Duration"}"#, ProtoError.malformedJSON),
        (#"{"value":"1s"}"#, .malformedJSON), (#"{"@type":null,"value":"1s"}"#, .malformedJSON),
        (#"{"@type":1,"value":"1s"}"#, .malformedJSON), (#"{"@type":"","value":"1s"}"#, .unknownType),
        (#"{"@type":"google.protobuf.Duration","value":"1s"}"#, .unknownType),
        (#"{"@type":"/google.protobuf.Duration","value":"1s"}"#, .unknownType),
        (#"{"@type":"a/google.protobuf.Duration","value":"1s","value":"1s"}"#, .duplicateField),
        (#"{"@type":"a/google.protobuf.Duration","@type":"a/google.protobuf.Duration","value":"1s"}"#, .duplicateField),
        (#"{"@type":"a/google.protobuf.Duration","value":"1s","more":1}"#, .unknownField),
        (#"{"@type":"a/google.protobuf.Duration","value":"1"}"#, .malformedJSON),
        (#"{"@type":"a/nobody.Knows"}"#, .unknownType), (#"{"@type":"a/"}"#, .unknownType),
        (#"{"@type":"a/google.protobuf.\u212Anown"}"#, .unknownType), ("[]", .malformedJSON), ("null", .malformedJSON),
    ])
    func `An Any in an Any that is invalid is refused`(json: String, error: ProtoError) {
        #expect(throws: error) { try ProtoAny(json: json) }
    }

    @Test(arguments: [
        #"{"@type":"a/google.protobuf.Duration","value":"1s"}"#,
        #"{"value":"1s","@type":"a/google.protobuf.Duration"}"#,
        #"{"value":"1s","@\u0074ype":"a\/google.protobuf.Duration"}"#,
    ])
    func `An Any in an Any can name its type anywhere`(json: String) throws {
        let any = try ProtoAny(json: json)
        expectEqual(any.typeURL, "a/google.protobuf.Duration")
        try expectEqual(any.unpack(ProtoDuration.self)?.seconds, 1)
    }

    @Test func `An Any in an Any keeps undecodable content as bytes in the text format`() throws {
        let broken = ProtoAny(typeURL: "a/google.protobuf.Duration", value: Data([0xFF]))
        expectEqual(broken.text(), "type_url: \"a/google.protobuf.Duration\"\nvalue: \"\\377\"\n")
        try expectEqual(ProtoAny(text: broken.text()), broken)
        #expect(throws: ProtoError.self) { try broken.json() }
        #expect(throws: ProtoError.self) { try broken.unpack(ProtoDuration.self) }
    }
}
