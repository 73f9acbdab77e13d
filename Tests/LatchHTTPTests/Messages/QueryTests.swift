// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import Testing

@Suite struct QueryTests {
    private func request(_ path: String) -> HTTPRequest { HTTPRequest(authority: "a", path: path) }

    @Test(arguments: [
        ("/", []), ("/?", []), ("/?a", ["a|"]), ("/?a=b=c&&d", ["a|b=c", "d|"]), ("/?=x&a%20=%26", ["|x", "a%20|%26"]),
        ("/?a&\u{301}b=1", ["a|", "\u{301}b|1"]),
    ])
    func `The query of a request is split by its bytes and left encoded`(path: String, pairs: [String]) {
        expectEqual(request(path).rawQueryPairs.map { "\($0.name)|\($0.value)" }, pairs)
    }

    @Test(arguments: [
        ("/p", "/p"), ("/p?", "/p?"), ("/p?a=1", "/p"), ("/p?a=1&b=2", "/p?b=2"), ("/p?b=2&%61=1&a", "/p?b=2"),
        ("/p?A=1", "/p?A=1"), ("/p?aa=1&", "/p?aa=1&"), ("/p?b=a=1", "/p?b=a=1"), ("/p?%zz=1&a=2", "/p?%zz=1"),
    ])
    func `The query of a request loses all pairs of a name, and nothing else`(path: String, rest: String) {
        var request = request(path)
        request.removeQueryParameters(named: "a")
        expectEqual(request.path, rest)
    }

    @Test func `The query of a request takes a plus in a name for a space`() {
        var request = request("/?a+b=1&a%20b=2&a%2Bb=3")
        request.removeQueryParameters(named: "a b")
        expectEqual(request.path, "/?a%2Bb=3")
    }

    @Test(arguments: [
        ("/p", "/p?a=x%26"), ("/p?", "/p?a=x%26"), ("/p?b", "/p?b&a=x%26"), ("/p?a=1&b=2&a=3", "/p?b=2&a=x%26"),
    ])
    func `The query of a request has one pair of a name that was set`(path: String, expected: String) {
        var request = request(path)
        request.setQueryParameter("a", to: "x&")
        expectEqual(request.path, expected)
    }
}

@Suite struct PercentEncodingTests {
    @Test func `Percent-encoding comes back as it was, byte by byte`() {
        let all = (0...255).map { UInt8($0) }
        expectEqual(PercentEncoding.decode(PercentEncoding.encode(all).utf8, plusIsSpace: true), all)
        expectEqual(PercentEncoding.decode(PercentEncoding.encode(all).utf8, plusIsSpace: false), all)
        expectEqual(PercentEncoding.encode("a/b c~".utf8) { $0 == 0x2F }, "a/b%20c~")
    }

    @Test(arguments: [("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%%41", "%A"), ("a+b", "a b"), ("%2b", "+")])
    func `Percent-encoding that is broken stands for itself`(text: String, expected: String) {
        expectEqual(PercentEncoding.decode(text.utf8, plusIsSpace: true), Array(expected.utf8))
    }
}

@Suite struct BasicDateTests {
    @Test(arguments: [
        (0, "19700101T000000Z"), (1_440_938_160, "20150830T123600Z"), (-1, "19691231T235959Z"),
        (951_782_399, "20000228T235959Z"), (253_402_300_799, "99991231T235959Z"), (-62_167_219_200, "00000101T000000Z"),
    ])
    func `A date in the basic format has fourteen digits`(seconds: Double, text: String) {
        expectEqual(HTTPDate(Date(timeIntervalSince1970: seconds)).basicText, text)
    }
}
