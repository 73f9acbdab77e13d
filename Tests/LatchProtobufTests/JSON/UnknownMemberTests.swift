// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import LatchCore
import LatchProtobuf
import Testing

@Suite struct UnknownMemberTests {
    private let ignoring = JSONDecodingOptions(ignoresUnknownFields: true)

    @Test(arguments: [
        #"{"nobody":1}"#, #"{"optionalNestedMessage":{"nobody":[]}}"#,
        #"{"repeatedNestedMessage":[{"a":1},{"nobody":{}}]}"#,
        #"{"mapStringNestedMessage":{"x":{"nobody":"\n"}}}"#, #"{"oneofNestedMessage":{"nobody":true}}"#,
        #"{"optionalAny":{"@type":"a/google.protobuf.Empty","value":{},"nobody":1}}"#,
        #"{"optionalAny":{"@type":"a/google.protobuf.Duration","value":"1s","nobody":1}}"#,
        #"{"[nobody.knows]":1}"#, #"{"Optional_int32":1}"#, #"{"optionalint32":1}"#, #"{"":1}"#, #"{"fieldname1_":1}"#,
    ])
    func `An unknown member of JSON is an error anywhere, unless it is ignored`(json: String) throws {
        #expect(throws: ProtoError.unknownField) { try TestAllTypesProto3(json: json) }
        _ = try TestAllTypesProto3(json: json, options: ignoring)
    }

    @Test(arguments: [
        "1", "-1.5e3", #""a\u0041""#, "true", "null", "[]", "{}", #"[1,[2,{"a":null}]]"#, #"{"a":{"b":[{}]}}"#,
    ])
    func `An unknown member of JSON can have any value`(value: String) throws {
        try expectEqual(TestAllTypesProto3(json: "{\"x\":\(value)}", options: ignoring), TestAllTypesProto3())
        try expectEqual(
            TestAllTypesProto3(json: "{\"x\": \(value) ,\"optionalInt32\":1}", options: ignoring).optionalInt32, 1)
    }

    @Test(arguments: [
        "", "01", "1.", "+1", "nul", "tru", "'a'", "[1,]", "[,1]", "[1", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}",
        "\"\u{1}\"",
        #""\x""#, #""\ud800""#, "[[[}", "1 2", "NaN", "undefined", "/**/1",
    ])
    func `An unknown member of JSON must still be valid`(value: String) {
        #expect(throws: ProtoError.malformedJSON) {
            try TestAllTypesProto3(json: "{\"x\":\(value)}", options: ignoring)
        }
    }

    @Test func `An unknown member of JSON is nested no deeper than any other`() throws {
        func nested(_ depth: Int) -> String {
            "{\"x\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        _ = try TestAllTypesProto3(json: nested(99), options: ignoring)
        #expect(throws: ProtoError.tooDeep) { try TestAllTypesProto3(json: nested(100), options: ignoring) }
    }

    @Test func `An unknown member of JSON is reported by its name, cut for a log`() {
        let name = String(repeating: "n", count: 5_000)
        do throws(ProtoError) {
            _ = try TestAllTypesProto3(json: "{\"\(name)\":\"secret\"}")
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.message.utf8.count < 300)
            #expect(!error.description.contains("secret"))
        }
    }
}

@Suite struct JSONDepthTests {
    @Test(
        arguments: [
            ("{\"recursiveMessage\":", "}", "{}"), ("{\"optionalNestedMessage\":{\"corecursive\":", "}}", "{}"),
        ] as [(String, String, String)])
    func `Depth in JSON is counted alike for all nested values`(open: String, close: String, inner: String) throws {
        let each = open.filter { $0 == "{" }.count
        func json(_ depth: Int) -> String {
            String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
        }
        let most = 99 / each
        _ = try TestAllTypesProto3(json: json(most))
        #expect(throws: ProtoError.tooDeep) { try TestAllTypesProto3(json: json(most + 1)) }
    }

    @Test(arguments: [(#"["#, #"]"#), (#"{"a":"#, #"}"#)])
    func `Depth in JSON bounds values of any kind`(open: String, close: String)
        throws
    {
        func value(_ depth: Int) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        let deep = try ProtoValue(json: value(100))
        #expect(throws: ProtoError.tooDeep) { try ProtoValue(json: value(101)) }
        try expectEqual(ProtoValue(json: deep.json()), deep)
        let deeper = try ProtoValue(json: value(512), options: JSONDecodingOptions(depth: 10_000))
        #expect(throws: ProtoError.tooDeep) {
            try ProtoValue(json: value(513), options: JSONDecodingOptions(depth: 10_000))
        }
        // A value and the list in it are two messages to the writer, which is bounded too.
        #expect(throws: ProtoError.tooDeep) { try deeper.json() }
    }
}
