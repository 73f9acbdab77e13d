// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import TestVectors
import Testing

@Suite struct StructuredFieldTests {
    @Test func `A structured field is written from literals`() throws {
        let list: StructuredList = [
            .value("gzip"), .item(StructuredItem(.token("br"), ["q": 0.5, "x": true, "y": 3])),
        ]
        try expectEqual(list.serialized(), #""gzip", br;q=0.5;x;y=3"#)
        let dictionary: StructuredDictionary = [
            "a": .value(true), "b": .value(false),
            "c": .innerList(StructuredInnerList([StructuredItem(1)], ["p": "q"])),
            "a": .value(.bytes([1])),
        ]
        try expectEqual(dictionary.serialized(), #"a=:AQ==:, b=?0, c=(1);p="q""#)
        try expectEqual(StructuredItem(.displayString("ü%\"")).serialized(), #"%"%c3%bc%25%22""#)
        try expectEqual(StructuredItem(.date(-5)).serialized(), "@-5")
    }

    @Test func `A structured field gives its parts by their kinds`() throws {
        let dictionary = try StructuredDictionary(parsing: #"a="x", b=tok, c=12, d=:AQ==:, e, f=(1 "y");g=?0"#)
        expectEqual(dictionary["a"]?.item?.value.stringValue, "x")
        expectEqual(dictionary["a"]?.item?.value.text, "x")
        expectNil(dictionary["b"]?.item?.value.stringValue)
        expectEqual(dictionary["b"]?.item?.value.text, "tok")
        expectEqual(dictionary["c"]?.item?.value.integerValue, 12)
        expectEqual(dictionary["d"]?.item?.value.bytesValue, [1])
        expectEqual(dictionary["e"]?.item?.value, true)
        expectEqual(dictionary["f"]?.innerList?.items.map(\.value), [1, "y"])
        expectEqual(dictionary["f"]?.innerList?.parameters["g"], false)
        expectEqual(dictionary["f"]?.innerList?.parameters.isTrue("g"), false)
        expectNil(dictionary["f"]?.item)
        expectNil(dictionary["missing"])
        expectEqual(dictionary.map(\.key), ["a", "b", "c", "d", "e", "f"])
    }

    @Test func `A structured field goes over all lines of its name`() throws {
        let fields: HTTPFields = ["A": "1, 2", "B": "x", "a": "3"]
        try expectEqual(fields.structuredList("A"), [.value(1), .value(2), .value(3)])
        try expectEqual(fields.structuredItem("b")?.value, .token("x"))
        try expectNil(fields.structuredItem("c"))
        #expect(try fields.structuredList("c").members.isEmpty)
        #expect(try fields.structuredDictionary("c").isEmpty)
        #expect(throws: HTTPError.malformedStructuredField) { try fields.structuredItem("A") }
    }

    @Test func `A structured field reports where it is malformed, and nothing of its content`() {
        let error = #expect(throws: HTTPError.malformedStructuredField) {
            try StructuredList(parsing: "canary-1, canary-2, \u{1}")
        }
        expectEqual(error?.message.contains("byte 20"), true)
        expectEqual(error?.description.contains("canary"), false)
    }

    @Test func `A structured field is changed by key, and keeps the order of the keys`() throws {
        var dictionary = try StructuredDictionary(parsing: "a=1, b=2, c=3")
        dictionary["b"] = nil
        dictionary["d"] = .value(4)
        dictionary["a"] = .value(5)
        try expectEqual(dictionary.serialized(), "a=5, c=3, d=4")
        dictionary["a"] = nil
        dictionary["a"] = .value(6)
        try expectEqual(dictionary.serialized(), "c=3, d=4, a=6")
        try expectNotEqual(dictionary, StructuredDictionary(parsing: "a=6, c=3, d=4"))
    }

    @Test func `A structured field with many keys is as quick and as correct as one with few`() throws {
        var (text, expected): ([String], [String: Int64]) = ([], [:])
        var random = SeededGenerator(seed: 9_651)
        for _ in 0..<20_000 {
            let (key, value) = (
                "k\(Int.random(in: 0..<9_000, using: &random))", Int64.random(in: 0...999, using: &random)
            )
            text.append("\(key)=\(value)")
            expected[key] = value
        }
        var dictionary = try StructuredDictionary(parsing: text.joined(separator: ","))
        expectEqual(dictionary.count, expected.count)
        for (key, value) in expected { expectEqual(dictionary[key], .value(.integer(value))) }
        dictionary["k1"] = nil
        expectNil(dictionary["k1"])
        expectEqual(Set(dictionary.map(\.key)).count, dictionary.count)
    }

    @Test(arguments: [
        (0.5, "0.5"), (-0.0, "0.0"), (1e11, "100000000000.0"), (0.0004, "0.0"),
        (999_999_999_999.999, "999999999999.999"),
        (12.34, "12.34"), (-1.001, "-1.001"),
    ])
    func `A structured field writes decimals with as few digits as possible`(value: Double, text: String) throws {
        try expectEqual(StructuredItem(.decimal(StructuredDecimal(value))).serialized(), text)
        try expectEqual(StructuredItem(parsing: text).serialized(), text)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e12, 1e300, -1e12])
    func `A structured field refuses numbers that are too large`(value: Double) {
        #expect(throws: HTTPError.unwritableStructuredField) {
            try StructuredItem(.decimal(StructuredDecimal(value))).serialized()
        }
    }

    @Test(arguments: [
        StructuredValue.string("ü"), .string("\n"), .string("\u{7F}"), .token(""), .token("1a"), .token("a b"),
        .token("ü"), .integer(1_000_000_000_000_000), .date(-1_000_000_000_000_000), .integer(.min),
    ])
    func `A structured field refuses values outside its kind`(value: StructuredValue) {
        #expect(throws: HTTPError.unwritableStructuredField) { try StructuredItem(value).serialized() }
        #expect(throws: HTTPError.unwritableStructuredField) { try StructuredMember.value(value).serialized() }
        #expect(throws: HTTPError.unwritableStructuredField) {
            try StructuredInnerList([StructuredItem(value)]).serialized()
        }
    }

    @Test(arguments: ["", "A", "1a", "-a", "a b", "ä", "a=", "a;"])
    func `A structured field refuses an invalid key`(key: String) {
        #expect(throws: HTTPError.unwritableStructuredField) { try StructuredItem(1, [key: 1]).serialized() }
        let dictionary: StructuredDictionary = [key: .value(1)]
        #expect(throws: HTTPError.unwritableStructuredField) { try dictionary.serialized() }
    }

    @Test func `A structured field reads its bytes and not its characters`() {
        // To a `Character`, a comma with an accent after it is no comma.
        for text in ["a,\u{301}b", "\"a\"\u{301}", "a;\u{301}b", "(a)\u{301}"] {
            #expect(throws: HTTPError.malformedStructuredField) { try StructuredList(parsing: text) }
        }
    }
}
