// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import TestTags
import Testing

@Suite struct JSONParsingTests {
    @Test func `A JSON text is read with every kind of value in it`() throws {
        let value = try JSONValue(
            parsing: #" {"s":"é\n😀","t":true,"f":false,"n":null,"i":-42,"d":1.5e3,"a":[1,[],{}],"o":{"x":{"y":"z"}}} "#)
        expectEqual(value["s"], "é\n😀")
        expectEqual(value["t"], true)
        expectEqual(value["f"], false)
        expectEqual(value["n"], .null)
        expectEqual(value["i"], -42)
        expectEqual(value["d"], 1500.0)
        expectEqual(value["a"], [1, [], [:]])
        expectEqual(value["o"]?["x"]?["y"]?.stringValue, "z")
        expectEqual(value["a"]?[0], 1)
        expectNil(value["a"]?[3])
        expectNil(value["missing"])
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
        "{'a':1}",
        "{\"a\" 1}", "{\"a\":1 \"b\":2}", "tru", "True", "nul", "nulll", "NaN", "Infinity", "-Infinity", "undefined",
        "1 2",
        "{} {}", "[] x", "// c\n1", "/* c */1", "\u{FEFF}1", "[1]\u{0}", "\u{0B}1", "\u{A0}1",
    ])
    func `A JSON text that breaks the grammar is refused`(text: String) {
        #expect(throws: (any Error).self) { try JSONValue(parsing: text) }
        do { _ = try JSONValue(parsing: text) } catch { expectEqual(error.code, JSONError.malformed.code) }
    }

    @Test(arguments: [
        "01", "-01", "00", "+1", "1.", ".5", "-", "-.5", "1e", "1e+", "1E-", "0x10", "1_000", "1,5", "--1", "1.e5",
        "1.5.5",
    ])
    func `A JSON text cannot have numbers that JSON does not have`(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test(arguments: [
        ("0", JSONValue.integer(0)), ("-0", .integer(0)), ("7", .integer(7)), ("-7", .integer(-7)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.0", .number(1)), ("-0.0", .number(0)),
        ("1e2", .number(100)), ("1E+2", .number(100)), ("25e-1", .number(2.5)), ("1e-400", .number(0)),
        ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)), ("5e-324", .number(.leastNonzeroMagnitude)),
    ])
    func `A JSON text keeps whole numbers exactly and the others as floats`(text: String, value: JSONValue) throws {
        try expectEqual(JSONValue(parsing: text), value)
    }

    @Test(
        .tags(.tokenTimes),
        arguments: ["1e400", "-1e400", "1e99999999999999999999", String(repeating: "9", count: 400)])
    func `A JSON text refuses a number that no float can hold`(text: String) {
        #expect { try JSONValue(parsing: text) } throws: { JSONError.numberOutOfRange ~= $0 }
    }

    @Test(
        .tags(.tokenForgery),
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"[{"x":{"y":1,"y":2}}]"#,
        ])
    func `A JSON text refuses a member's name that stands twice, however it is spelled`(text: String) {
        #expect { try JSONValue(parsing: text) } throws: { JSONError.duplicateName ~= $0 }
    }

    @Test func `A JSON text distinguishes names by their bytes and not by Unicode equivalence`() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        expectEqual(value["\u{E9}"], 1)
        expectEqual(value["e\u{301}"], 2)
    }

    @Test func `A JSON text finds duplicates among many members`() throws {
        let many = (0..<1000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        try expectEqual(JSONValue(parsing: "{\(many)}")["k999"], 999)
        #expect { try JSONValue(parsing: "{\(many),\"k500\":1}") } throws: { JSONError.duplicateName ~= $0 }
    }

    @Test(
        arguments: [
            ([0x22, 0xFF, 0x22], "a byte that UTF-8 never has"), ([0x22, 0xC0, 0x80, 0x22], "an overlong NUL"),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], "a surrogate in UTF-8"), ([0x22, 0xE2, 0x82, 0x22], "a cut-off sequence"),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], "beyond U+10FFFF"),
            ([0x22, 0x5C, 0x6E, 0x80, 0x22], "after an escape"),
        ] as [([UInt8], String)])
    func `A JSON text with bytes that are not UTF-8 is refused`(bytes: [UInt8], why: String) {
        #expect("\(why)") {
            try JSONValue(parsing: bytes)
        } throws: {
            JSONError.invalidUnicode ~= $0
        }
    }

    @Test(arguments: [#""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #""\ud800A""#])
    func `A JSON text refuses half of a surrogate pair`(text: String) {
        #expect { try JSONValue(parsing: text) } throws: { JSONError.invalidUnicode ~= $0 }
    }

    @Test func `A JSON text joins the halves of a surrogate pair`() throws {
        try expectEqual(JSONValue(parsing: #""\uD83D\ude00 \u00e9 \u0000""#), "😀 é \u{0}")
    }

    @Test(arguments: [
        #""a"#, #""\"#, #""\x""#, #""\u12""#, #""\u12G4""#, "\"\n\"", "\"\t\"", "\"a\u{1}\"", #""\u"#, #""\u 123""#,
    ])
    func `A JSON text refuses strings with an unknown escape, a control character or no end`(text: String) {
        #expect { try JSONValue(parsing: text) } throws: { JSONError.malformed ~= $0 }
    }

    @Test func `A JSON text reads every escape`() throws {
        try expectEqual(JSONValue(parsing: #""\"\\\/\b\f\n\r\t""#), "\"\\/\u{8}\u{C}\n\r\t")
    }
}
