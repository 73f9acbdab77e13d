// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Testing

@Suite struct JSONValueTests {
    @Test func `A JSON value gives its content to the accessor of its kind and nil to the others`() {
        let all: [JSONValue] = [nil, true, 1, 1.5, "s", [1], ["a": 1]]
        expectEqual(all.map(\.isNull), [true, false, false, false, false, false, false])
        expectEqual(all.map(\.boolValue), [nil, true, nil, nil, nil, nil, nil])
        expectEqual(all.map(\.intValue), [nil, nil, 1, nil, nil, nil, nil])
        expectEqual(all.map(\.doubleValue), [nil, nil, 1, 1.5, nil, nil, nil])
        expectEqual(all.map(\.stringValue), [nil, nil, nil, nil, "s", nil, nil])
        expectEqual(all.map(\.arrayValue), [nil, nil, nil, nil, nil, [1], nil])
        expectEqual(all.map(\.objectValue), [nil, nil, nil, nil, nil, nil, ["a": 1]])
    }

    @Test func `A JSON value reads a whole float as an integer and no other`() {
        expectEqual(JSONValue.number(3).intValue, 3)
        expectNil(JSONValue.number(3.5).intValue)
        expectNil(JSONValue.number(1e300).intValue)
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
        expectEqual(String(decoding: value.serialized(), as: UTF8.self), text)
    }
}

@Suite struct JSONObjectTests {
    @Test func `A JSON object keeps the order of its members through changes`() {
        var object: JSONObject = ["z": 1, "a": 2, "m": 3]
        object["a"] = 20
        object["b"] = 4
        object["z"] = nil
        expectEqual(object.keys, ["a", "m", "b"])
        expectEqual(object.map(\.value), [20, 3, 4])
        expectNil(object["z"])
        object["never"] = nil
        expectEqual(object.count, 3)
    }

    @Test func `A JSON object finds its members after it has grown large and small again`() {
        var object = JSONObject()
        for number in 0..<100 { object["k\(number)"] = .integer(Int64(number)) }
        for number in 0..<100 { expectEqual(object["k\(number)"]?.intValue, number) }
        for number in 0..<95 { object["k\(number)"] = nil }
        expectEqual(object.keys, ["k95", "k96", "k97", "k98", "k99"])
        expectEqual(object["k97"], 97)
        expectNil(object["k3"])
    }

    @Test func `A JSON object equals another with the same members in another order`() {
        let one: JSONObject = ["a": 1, "b": [2]]
        let other: JSONObject = ["b": [2], "a": 1]
        expectEqual(one, other)
        expectEqual(one.hashValue, other.hashValue)
        expectNotEqual(one, ["a": 1])
        expectNotEqual(one, ["a": 1, "c": [2]])
        expectNotEqual(one, ["a": 1, "b": [3]])
    }

    @Test func `A JSON object takes the last of two values in a literal`() {
        let members = [(key: "a", value: JSONValue.integer(1)), (key: "b", value: 2), (key: "a", value: 3)]
        expectEqual(JSONObject(members), ["a": 3, "b": 2])
        expectEqual(JSONObject(members).keys, ["a", "b"])
    }
}
