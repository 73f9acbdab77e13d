// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Testing

@Suite struct JSONValueTests {
    @Test func `A JSON value gives its content to the accessor of its kind and nil to the others`() {
        let all: [JSONValue] = [nil, true, 1, 1.5, "s", [1], ["a": 1]]
        #expect(all.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(all.map(\.boolValue) == [nil, true, nil, nil, nil, nil, nil])
        #expect(all.map(\.intValue) == [nil, nil, 1, nil, nil, nil, nil])
        #expect(all.map(\.doubleValue) == [nil, nil, 1, 1.5, nil, nil, nil])
        #expect(all.map(\.stringValue) == [nil, nil, nil, nil, "s", nil, nil])
        #expect(all.map(\.arrayValue) == [nil, nil, nil, nil, nil, [1], nil])
        #expect(all.map(\.objectValue) == [nil, nil, nil, nil, nil, nil, ["a": 1]])
    }

    @Test func `A JSON value reads a whole float as an integer and no other`() {
        #expect(JSONValue.number(3).intValue == 3)
        #expect(JSONValue.number(3.5).intValue == nil)
        #expect(JSONValue.number(1e300).intValue == nil)
    }

    @Test(
        arguments: [
            (JSONValue.null, "null"), (true, "true"), (false, "false"), (0, "0"),
            (.integer(.min), "-9223372036854775808"),
            (1.5, "1.5"), (.number(1e300), "1e+300"), (.number(.nan), "null"), (.number(.infinity), "null"),
            ("a/b", "\"a/b\""), ("\"\\\u{8}\u{9}\n\u{C}\r\u{1}\u{1F}", #""\"\\\b\t\n\f\r\u0001\u001f""#),
            ("é😀", "\"é😀\""),
            ([], "[]"), ([1, [nil]], "[1,[null]]"), ([:], "{}"),
            (["b": 1, "a": ["x": true]], #"{"b":1,"a":{"x":true}}"#),
        ] as [(JSONValue, String)])
    func `A JSON value is written compactly, in its own order`(value: JSONValue, text: String) {
        #expect(String(decoding: value.serialized(), as: UTF8.self) == text)
    }
}

@Suite struct JSONObjectTests {
    @Test func `A JSON object keeps the order of its members through changes`() {
        var object: JSONObject = ["z": 1, "a": 2, "m": 3]
        object["a"] = 20
        object["b"] = 4
        object["z"] = nil
        #expect(object.keys == ["a", "m", "b"])
        #expect(object.map(\.value) == [20, 3, 4])
        #expect(object["z"] == nil)
        object["never"] = nil
        #expect(object.count == 3)
    }

    @Test func `A JSON object finds its members after it has grown large and small again`() {
        var object = JSONObject()
        for number in 0..<100 { object["k\(number)"] = .integer(Int64(number)) }
        for number in 0..<100 { #expect(object["k\(number)"]?.intValue == number) }
        for number in 0..<95 { object["k\(number)"] = nil }
        #expect(object.keys == ["k95", "k96", "k97", "k98", "k99"])
        #expect(object["k97"] == 97)
        #expect(object["k3"] == nil)
    }

    @Test func `A JSON object equals another with the same members in another order`() {
        let one: JSONObject = ["a": 1, "b": [2]]
        let other: JSONObject = ["b": [2], "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1])
        #expect(one != ["a": 1, "c": [2]])
        #expect(one != ["a": 1, "b": [3]])
    }

    @Test func `A JSON object takes the last of two values in a literal`() {
        let members = [(key: "a", value: JSONValue.integer(1)), (key: "b", value: 2), (key: "a", value: 3)]
        #expect(JSONObject(members) == ["a": 3, "b": 2])
        #expect(JSONObject(members).keys == ["a", "b"])
    }
}
