// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Testing

/// RFC 9651 §4.2 by its sections, beside the published cases.
@Suite struct StructuredRuleTests {
    private func item(_ text: String) -> StructuredItem? {
        do throws(HTTPError) { return try StructuredItem(parsing: text) } catch {
            expectEqual(error, .malformedStructuredField)
            return nil
        }
    }

    private func list(_ text: String) -> [StructuredMember]? {
        do throws(HTTPError) { return try StructuredList(parsing: text).members } catch {
            expectEqual(error, .malformedStructuredField)
            return nil
        }
    }

    private func dictionary(_ text: String) -> StructuredDictionary? {
        do throws(HTTPError) { return try StructuredDictionary(parsing: text) } catch {
            expectEqual(error, .malformedStructuredField)
            return nil
        }
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("007", 7), ("-15", -15), ("999999999999999", 999_999_999_999_999),
        ("-999999999999999", -999_999_999_999_999), ("  1  ", 1),
    ])
    func `The parser of structured fields takes integers of up to fifteen digits (§4.2.4)`(text: String, value: Int64) {
        expectEqual(item(text)?.value, .integer(value))
    }

    @Test(arguments: [
        "", "-", "+1", "--1", "- 1", "1000000000000000", "1.", ".1", "1.2345", "1234567890123.0", "1.2.3", "1e3", "0x1",
        "1,", "1 2", "\t1", "1\t", "١", "1\u{301}",
    ])
    func `The parser of structured fields refuses any other number (§4.2.4)`(text: String) {
        expectNil(item(text))
    }

    @Test(arguments: [
        ("1.5", 1_500), ("-0.001", -1), ("0.0", 0), ("-0.0", 0), ("00.10", 100),
        ("999999999999.999", 999_999_999_999_999),
    ])
    func `The parser of structured fields takes decimals of twelve and three digits (§4.2.4)`(
        text: String, thousandths: Int64
    ) {
        expectEqual(item(text)?.value, .decimal(StructuredDecimal(thousandths: thousandths)))
    }

    @Test(arguments: [
        (#""""#, ""), (#""a b""#, "a b"), (#""\"\\""#, "\"\\"), (#"" ~""#, " ~"), (#""%20""#, "%20"),
    ])
    func `The parser of structured fields takes strings of printable ASCII (§4.2.5)`(text: String, value: String) {
        expectEqual(item(text)?.value, .string(value))
    }

    @Test(arguments: [
        #"""#, #""a"#, #""\"#, #""\a""#, #""\"#, "\"\t\"", "\"\u{7F}\"", "\"ü\"", "'a'", #""a"b"#, #""\u0041""#,
    ])
    func `The parser of structured fields refuses any other string (§4.2.5)`(text: String) {
        expectNil(item(text))
    }

    @Test(arguments: ["a", "A", "*", "a1", "foo/bar:baz", "a!#$%&'*+-.^_`|~", "*/*"])
    func `The parser of structured fields takes tokens that begin with a letter or an asterisk (§4.2.6)`(text: String) {
        expectEqual(item(text)?.value, .token(text))
    }

    @Test(arguments: ["/a", ":a", "!a", "a(", "a b", "a,", "a@", "a=b", "ä", "a\u{0}", "_"])
    func `The parser of structured fields refuses any other token (§4.2.6)`(text: String) {
        expectNil(item(text))
    }

    @Test(arguments: [
        ("::", []), (":AQ==:", [1]), (":AQ:", [1]), (":AQI=:", [1, 2]), (":AQID:", [1, 2, 3]), (":+/8=:", [251, 255]),
    ])
    func `The parser of structured fields takes bytes with and without padding (§4.2.7)`(text: String, value: [UInt8]) {
        expectEqual(item(text)?.value, .bytes(value))
    }

    @Test(arguments: [
        ":", ":AQ", ":A:", ":AQ=:", ":=:", ":====:", ":AR==:", ":A Q:", ":A-_:", ":AQ==AQ==:", ":ü:", ":AQ==:a",
    ])
    func `The parser of structured fields refuses any other bytes (§4.2.7)`(text: String) {
        expectNil(item(text))
    }

    @Test(arguments: ["?", "?2", "?t", "?true", "?01", "? 1", "@", "@1.0", "@a", "@-", "@ 1", "@1000000000000000"])
    func `The parser of structured fields refuses any other boolean or date (§4.2.8, §4.2.9)`(text: String) {
        expectNil(item(text))
        expectEqual(item("?1")?.value, .boolean(true))
        expectEqual(item("?0")?.value, .boolean(false))
        expectEqual(item("@-1")?.value, .date(-1))
    }

    @Test(arguments: [
        ("%\"\"", ""), ("%\"a b\"", "a b"), ("%\"%c3%bc\"", "ü"), ("%\"%25%22\"", "%\""), ("%\"%00\"", "\0"),
        ("%\"\\\"", "\\"), ("%\"%f0%9f%94%91\"", "🔑"),
    ])
    func `The parser of structured fields takes display strings of any text (§4.2.10)`(text: String, value: String) {
        expectEqual(item(text)?.value, .displayString(value))
    }

    @Test(arguments: [
        "%", "%a", "%\"", "%\"a", "%\"%\"", "%\"%2\"", "%\"%C3%BC\"", "%\"%zz\"", "%\"ü\"", "%\"%c3\"",
        "%\"%ed%a0%80\"",
        "%\"%c0%80\"", "%\"\n\"", "% \"a\"",
    ])
    func `The parser of structured fields refuses any other display string (§4.2.10)`(text: String) {
        expectNil(item(text))
    }

    @Test func `The parser of structured fields takes the last of two parameters at the first's place (§4.2.3.2)`() {
        let parameters = item("1;a=1;b;a=2;  c=?0")?.parameters
        expectEqual(parameters?.map(\.key), ["a", "b", "c"])
        expectEqual(parameters?["a"], 2)
        expectEqual(parameters?.isTrue("b"), true)
        expectEqual(parameters?["c"], false)
    }

    @Test(arguments: ["1;", "1;A", "1; ", "1;a=", "1;a =1", "1;a= 1", "1 ;a", "1;a=(1)", "1;=1", "1;a;;b", "1;\ta"])
    func `The parser of structured fields refuses any other parameters (§4.2.3.2)`(text: String) {
        expectNil(item(text))
    }

    @Test(arguments: [
        ("", 0), ("   ", 0), ("1", 1), ("1,2", 2), ("1 , \t2", 2), ("()", 1), ("( ), ( 1 )", 2), ("(1 2);a, b", 2),
    ])
    func `The parser of structured fields takes lists (§4.2.1)`(text: String, count: Int) {
        expectEqual(list(text)?.count, count)
    }

    @Test(arguments: [
        ",", "1,", ",1", "1,,2", "1 2", "(", ")", "(1", "(1,2)", "((1))", "(1 2", "(1)2", "(\t1)", "(1\"a\")", "1;a,",
        "[1]",
    ])
    func `The parser of structured fields refuses any other list (§4.2.1)`(text: String) {
        expectNil(list(text))
    }

    @Test func `The parser of structured fields takes a key without a value for true (§4.2.2)`() {
        let read = dictionary("a, b;x=1, c=?0, d=(1);y")
        expectEqual(read?.map(\.key), ["a", "b", "c", "d"])
        expectEqual(read?["a"], .value(true))
        expectEqual(read?["b"], .item(StructuredItem(true, ["x": 1])))
        expectEqual(read?["c"], .value(false))
        expectEqual(read?["d"], .innerList(StructuredInnerList([StructuredItem(1)], ["y": true])))
    }

    @Test(arguments: [
        "A=1", "1=1", "a=1,", "a=1 b=2", "a==1", "a= 1", "a =1", "=1", "a=,b", "a=1;", "\"a\"=1", "a=1,,b=2", "a=()1",
    ])
    func `The parser of structured fields refuses any other dictionary (§4.2.2)`(text: String) {
        expectNil(dictionary(text))
    }

    @Test func `The parser of structured fields is not stopped by depth, since nothing nests`() {
        let open = String(repeating: "(", count: 100_000)
        expectNil(list(open))
        expectEqual(item("1" + String(repeating: ";a", count: 100_000))?.parameters.count, 1)
    }
}
