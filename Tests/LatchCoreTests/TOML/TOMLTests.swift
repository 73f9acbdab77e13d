// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchCore
@testable import LatchTOML

@Suite struct TOMLTests {
    @Test(arguments: [
        ("", "{}"), ("# nothing\n\n  \t\n", "{}"), ("a = 1", #"{"a":1}"#), ("a=1\nb = 2 # two\n", #"{"a":1,"b":2}"#),
        ("a = 1\r\nb = 2\r\n", #"{"a":1,"b":2}"#), ("a-b_1 = true", #"{"a-b_1":true}"#), ("1 = false", #"{"1":false}"#),
        ("\"a b\" = 1", #"{"a b":1}"#), ("'a.b' = 1", #"{"a.b":1}"#), ("\"\" = 1", #"{"":1}"#),
        ("a.b.c = 1\na.d = 2", #"{"a":{"b":{"c":1},"d":2}}"#), ("a . b = 1", #"{"a":{"b":1}}"#),
        ("[t]\na = 1\n[u.v]\nb = 2", #"{"t":{"a":1},"u":{"v":{"b":2}}}"#), ("[ t . u ] # x\n", #"{"t":{"u":{}}}"#),
        ("[a.b]\nc = 1\n[a]\nd = 2", #"{"a":{"b":{"c":1},"d":2}}"#),
        ("[[t]]\na = 1\n[[t]]\n[[ t ]] # x\na = 2", #"{"t":[{"a":1},{},{"a":2}]}"#),
        (
            "[[t]]\nu.a = 1\n[t.v]\nb = 2\n[[t]]\nu.a = 3\n[t.v]",
            #"{"t":[{"u":{"a":1},"v":{"b":2}},{"u":{"a":3},"v":{}}]}"#
        ),
        ("[[t.u]]\na = 1\n[[t.u]]\n[t]\nb = 2", #"{"t":{"u":[{"a":1},{}],"b":2}}"#),
        ("[[t]]\n[[t.u]]\na = 1\n[[t.u]]\n[[t]]\n[[t.u]]\na = 2", #"{"t":[{"u":[{"a":1},{}]},{"u":[{"a":2}]}]}"#),
        ("n = [1, -2, +3, 1_000, 0xFF, 0o17, 0b101, 0]", #"{"n":[1,-2,3,1000,255,15,5,0]}"#),
        ("n = [9223372036854775807, -9223372036854775808]", #"{"n":[9223372036854775807,-9223372036854775808]}"#),
        ("f = [1.5, -0.25, 1e3, 5e+2, 6.02E-2, 9_9.1_1]", #"{"f":[1.5,-0.25,1000.0,500.0,0.0602,99.11]}"#),
        ("a = []\nb = [ [1], ['x'], ]", #"{"a":[],"b":[[1],["x"]]}"#),
        ("a = [ # one\n 1, # two\n\n 2,\n]", #"{"a":[1,2]}"#),
        (#"s = "a\tb\n\"c\" \\ \u00e9 \U0001F511""#, #"{"s":"a\tb\n\"c\" \\ é 🔑"}"#),
        (#"s = 'C:\raw "x"'"#, #"{"s":"C:\\raw \"x\""}"#), ("s = \"\"\nt = ''", #"{"s":"","t":""}"#),
        ("s = \"\"\"\nfirst\nsecond\"\"\"", #"{"s":"first\nsecond"}"#),
        ("s = \"\"\"a \\\n   \n  b\"\"\"", #"{"s":"a b"}"#), ("s = '''\na\\b\n'c' '''", #"{"s":"a\\b\n'c' "}"#),
        ("s = \"\"\"say \"\"hi\"\"\"\"\"", #"{"s":"say \"\"hi\"\""}"#), ("s = '''it''s''''", #"{"s":"it''s'"}"#),
    ])
    func `The TOML parser parses valid TOML`(text: String, json: String) throws {
        let expected = try JSONValue(parsing: json)
        expectEqual(JSONValue.object(try TOMLDocument(parsing: text).root), expected)
    }

    @Test func `The TOML parser parses the numbers that JSON does not have`() throws {
        let root = try TOMLDocument(parsing: "a = inf\nb = -inf\nc = +inf\nd = nan").root
        expectEqual(root["a"], .number(.infinity))
        expectEqual(root["b"], .number(-.infinity))
        expectEqual(root["c"], .number(.infinity))
        expectEqual(root["d"]?.doubleValue?.isNaN, true)
    }

    @Test func `The TOML parser accepts the mark of UTF-8 at the beginning only`() throws {
        try expectEqual(TOMLDocument(parsing: "\u{FEFF}a = 1").root, TOMLDocument(parsing: "a = 1").root)
        #expect(throws: TOMLError.self) { try TOMLDocument(parsing: "a = 1\n\u{FEFF}b = 2") }
    }

    @Test func `The TOML parser records the line of each key`() throws {
        let document = try TOMLDocument(parsing: "\n# x\na = 1\n[t]\nb.c = [\n 1\n]\nd = 2\n")
        expectEqual(document.lines, ["a": 3, "t.b.c": 5, "t.d": 8])
        let tables = try TOMLDocument(parsing: "[[t]]\na = 1\n[[t]]\nb.c = 2\n[t.u]\nd = 3")
        expectEqual(tables.lines, ["t.0": 1, "t.0.a": 2, "t.1": 3, "t.1.b.c": 4, "t.1.u.d": 6])
    }

    @Test(
        arguments: [
            ("a", 1, 2, "'=' is missing"), ("a = ", 1, 5, "a value is missing"), ("= 1", 1, 1, "a key is missing"),
            ("a. = 1", 1, 4, "a key is missing"), ("a = 1 b = 2", 1, 7, "more on this line"),
            ("ok = 1\na = bare", 2, 5, "neither a number nor"), ("a = True", 1, 5, "neither a number nor"),
            ("a = 1\nb = 2\na = 3", 3, 1, "a second time"), ("a.b = 1\na = 2", 2, 1, "a second time"),
            ("a = 1\na.b = 2", 2, 1, "'a' is a value"), ("[t]\n[t]", 2, 1, "a second time"),
            ("a.b = 1\n[a]", 2, 1, "a second time"), ("a = 1\n[a]", 2, 1, "'a' is a value"),
            ("[a.b]\n[a]\nb.c = 1", 3, 1, "is already defined"), ("a = [1]\n[a.b]", 2, 1, "'a' is a value"),
            ("[[t]", 1, 5, "does not end with ']]'"), ("[[t", 1, 4, "does not end with ']'"),
            ("[ [t]]", 1, 3, "a key is missing"), ("[[t] ]", 1, 5, "does not end with ']]'"),
            ("[[t]]\n[t]", 2, 1, "a second time"), ("[t]\n[[t]]", 2, 1, "'t' is a value or a table"),
            ("t = []\n[[t]]", 2, 1, "'t' is a value or a table"), ("t = 1\n[[t.u]]", 2, 1, "'t' is a value"),
            ("[[t]]\na = 1\na = 2", 3, 1, "a second time"), ("[[t]]\n[t.u]\n[t.u]", 3, 1, "a second time"),
            ("[[a.b]]\n[a]\nb.c = 1", 3, 1, "is already defined"), ("[[a.b]]\n[a]\nb = 1", 3, 1, "a second time"),
            (String(repeating: "[[t]]\n", count: 1001), 1001, 1, "more than 1000 tables"),
            ("[t", 1, 3, "does not end with ']'"), ("[]", 1, 2, "a key is missing"),
            ("a = {b = 1}", 1, 5, "inline tables"), ("a = 1979-05-27", 1, 5, "dates and times"),
            ("a = 07:32:00", 1, 5, "dates and times"), ("a = 012", 1, 5, "malformed"), ("a = 1__0", 1, 5, "malformed"),
            ("a = _1", 1, 5, "neither"), ("a = 1_", 1, 5, "malformed"), ("a = 0x", 1, 5, "malformed"),
            ("a = 0xG", 1, 5, "malformed"), ("a = -0x1", 1, 5, "malformed"), ("a = 1.", 1, 5, "malformed"),
            ("a = .5", 1, 5, "neither"), ("a = 1e", 1, 5, "malformed"), ("a = 01.5", 1, 5, "malformed"),
            ("a = 9223372036854775808", 1, 5, "too large"), ("a = \"x", 1, 5, "does not end on its line"),
            ("a = 'x\n'", 1, 5, "does not end on its line"), ("a = \"\"\"x", 1, 5, "does not end"),
            (#"a = "\q""#, 1, 6, "no such escape"), (#"a = "\u12""#, 1, 6, "names no character"),
            (#"a = "\ud800""#, 1, 6, "names no character"), ("a = \"\u{7}\"", 1, 6, "control character"),
            ("# \u{0}", 1, 3, "control character"), ("a = [1 2]", 1, 8, "',' or ']' is missing"),
            ("a = [1", 1, 7, "',' or ']' is missing"), ("é = 1", 1, 1, "a key is missing"),
            ("a = [" + String(repeating: "[", count: 20), 1, 21, "nested too deeply"),
            ("b = 1\n" + String(repeating: "a.", count: 50_000) + "a = 1", 2, 201, "too many parts"),
            ("[" + String(repeating: "a.", count: 50_000) + "a]", 1, 202, "too many parts"),
        ] as [(String, Int, Int, String)])
    func `The TOML parser rejects invalid TOML with the location and a hint`(
        text: String, line: Int, column: Int, message: String
    ) throws {
        let error = try #require(throws: TOMLError.self) { try TOMLDocument(parsing: text) }
        expectEqual(error.location, .init(line: line, column: column))
        #expect(error.message.contains(message), "\(error.message)")
        #expect(!error.hint.isEmpty)
    }

    @Test func `The TOML parser does not quote a value, which can be a secret`() throws {
        let error = try #require(throws: TOMLError.self) { try TOMLDocument(parsing: "token_pepper = hunter2") }
        #expect(!error.message.contains("hunter2") && !error.hint.contains("hunter2"))
    }

    @Test func `The TOML parser terminates on every text`() {
        let pieces = ["[", "]", "a", "=", "\"", "'", "\n", "\\", "1", ".", "#", ",", "{", "\u{0}", "é", " ", "\r"]
        var state: UInt64 = 7
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count]
            }
            guard let document = try? TOMLDocument(parsing: text) else { continue }
            // What was understood has a line for every value that is no table.
            #expect(document.root.isEmpty || !document.lines.isEmpty || text.contains("["), "\(text)")
        }
    }
}
