// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import Testing

@Suite struct JSONValueCodableTests {
    private struct Holder: Codable, Equatable {
        var name: String
        var extra: JSONValue
    }

    @Test(arguments: [
        "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "1.5", "1e300", #""""#,
        #""é🦊\u0000""#, "[]", "{}", "[null,[true,{}],[]]", #"{"a":{"b":[1,"2",3.5,null,false]}}"#,
    ])
    func `JSON as a Codable value is read as the parser reads it, and written unchanged`(text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        // In an array, since old decoders take no other value at the top.
        try expectEqual(JSONDecoder().decode([JSONValue].self, from: Data("[\(text)]".utf8)), [value])
        try expectEqual(JSONValue(parsing: [UInt8](JSONEncoder().encode([value]))), .array([value]))
    }

    @Test func `JSON as a Codable value keeps every member, with any name`() throws {
        let text = #"{"":1,"0":2,"a.b":3,"é":4}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        expectEqual(value, try JSONValue(parsing: Array(text.utf8)))
    }

    @Test func `JSON as a Codable value can be a part of another value`() throws {
        let holder = Holder(name: "a", extra: ["list": [1, 2.5, nil, true]])
        try expectEqual(JSONDecoder().decode(Holder.self, from: JSONEncoder().encode(holder)), holder)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Holder.self, from: Data(#"{"name":"a"}"#.utf8)) }
    }

    @Test func `JSON as a Codable value is also read from other formats`() throws {
        let value: JSONValue = ["a": [1, "b", true]]
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        try expectEqual(PropertyListDecoder().decode(JSONValue.self, from: encoder.encode(value)), value)
    }
}
