// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Testing

@Suite struct JSONErrorTests {
    @Test(arguments: [
        ("", 0), ("  ", 2), ("x", 0), ("[1,]", 3), ("[1 2]", 3), ("[1", 2), (#"{"a" 1}"#, 5), (#"{"a":}"#, 5),
        (#"{"a":1,}"#, 7), (#"{"a":1 "b":2}"#, 7), ("{1:2}", 1), ("nulx", 0), ("[truE]", 1), ("1 x", 2), ("01", 0),
        ("-01", 1), ("[1.]", 3), ("-", 1), ("1e", 2), ("1e+", 3), (#""abc"#, 4), ("\"a\u{1}\"", 2), (#""a\x""#, 3),
        (#""a\n\x""#, 5), (#""\u12g4""#, 5), ("\"a\\n\u{2}\"", 4),
    ])
    func `A refused JSON text names the byte at which it breaks the grammar`(text: String, offset: Int) {
        do {
            _ = try JSONValue(parsing: text)
            Issue.record("It was read.")
        } catch {
            expectEqual(error.offset, offset)
            expectEqual(error.code, "malformed")
            #expect(error.message.contains("at byte \(offset):"))
        }
    }

    @Test(
        arguments: [
            (#"["é",{"a":1,"a":2}]"#, 13, .duplicateName), (#"[1,"\ud800"]"#, 6, .invalidUnicode),
            ("[1,[2,[3]]]", 6, .tooDeep), (#"{"a":{"b":{}}}"#, 10, .tooDeep), ("[0,1e999]", 3, .numberOutOfRange),
            ("[0, 1, 2, 3, 4, 5, 6, 7]", 20, .tooLarge),
        ] as [(String, Int, JSONError)])
    func `A refused JSON text names the byte at which it breaks a rule`(text: String, offset: Int, expected: JSONError)
    {
        do {
            _ = try JSONValue(parsing: text, limits: JSONLimits(depth: 2, bytes: 20))
            Issue.record("It was read.")
        } catch {
            expectEqual(error, expected)
            expectEqual(error.offset, offset)
        }
    }

    @Test func `A refused JSON text that is not UTF-8 names the start of its string`() {
        let bytes: [UInt8] = [0x5B, 0x22, 0x61, 0xFF, 0x22, 0x5D]
        do { _ = try JSONValue(parsing: bytes) } catch { #expect((error.code, error.offset) == ("invalidUnicode", 2)) }
    }

    @Test func `A refused JSON text can be matched by its static members only`() {
        let all: [JSONError] = [.malformed, .invalidUnicode, .duplicateName, .tooDeep, .tooLarge, .numberOutOfRange]
        for (index, error) in all.enumerated() {
            expectEqual(all.firstIndex { $0 ~= error }, index)
            expectEqual(error.hint?.isEmpty, false)
            #expect(error.message.hasSuffix("."))
        }
    }
}

@Suite struct JSONByteLimitTests {
    private let text = #"["four",4]"#

    @Test func `A limit on the bytes of JSON allows a text of exactly that many bytes and no more`() throws {
        let count = text.utf8.count
        for limits in [JSONLimits(bytes: count), JSONLimits(bytes: count + 1), JSONLimits(bytes: .max)] {
            try expectEqual(JSONValue(parsing: text, limits: limits), ["four", 4])
            try expectEqual(JSONValue(parsing: Array(text.utf8), limits: limits), ["four", 4])
        }
        for limits in [JSONLimits(bytes: count - 1), JSONLimits(bytes: 0), JSONLimits(bytes: -1)] {
            #expect(throws: JSONError.tooLarge) { try JSONValue(parsing: text, limits: limits) }
            #expect(throws: JSONError.tooLarge) { try JSONValue(parsing: Array(text.utf8), limits: limits) }
        }
    }

    @Test func `A limit on the bytes of JSON counts bytes and not characters`() {
        #expect(throws: JSONError.tooLarge) { try JSONValue(parsing: "\"éé\"", limits: JSONLimits(bytes: 5)) }
    }

    @Test func `A limit on the depth of JSON is clamped between 0 and 512`() {
        expectEqual(JSONLimits(depth: -1).depth, 0)
        expectEqual(JSONLimits(depth: 513).depth, 512)
        expectEqual(JSONLimits(depth: 512).depth, 512)
        expectEqual(JSONLimits.default, JSONLimits(depth: 64, bytes: 16 << 20))
    }

    @Test func `A limit on the depth of JSON of 0 allows values without nesting`() throws {
        let flat = JSONLimits(depth: 0)
        try expectEqual(JSONValue(parsing: "\"s\"", limits: flat), "s")
        for text in ["[]", "{}"] { #expect(throws: JSONError.tooDeep) { try JSONValue(parsing: text, limits: flat) } }
    }

    @Test func `A limit on the depth of JSON of 512 is reached, mixed and on a small stack`() async throws {
        let text = String(repeating: #"{"a":["#, count: 256) + String(repeating: "]}", count: 256)
        let value = try await Task.detached { try JSONValue(parsing: text, limits: JSONLimits(depth: 512)) }.value
        expectEqual(String(decoding: value.serialized(), as: UTF8.self), text)
        #expect(throws: JSONError.tooDeep) { try JSONValue(parsing: "[\(text)]", limits: JSONLimits(depth: 512)) }
    }
}
