// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import Testing

/// Tests of forms and queries, which share a format and differ in the handling of pairs that cannot be decoded.
@Suite struct FormTableTests {
    static let rows: [(text: String, pairs: [String])] = [
        ("", []), ("&", []), ("&&&", []), ("a", ["a="]), ("a=", ["a="]), ("=a", ["=a"]), ("=", ["="]),
        ("a=b", ["a=b"]), ("a=b=c", ["a=b=c"]), ("a=b&", ["a=b"]), ("&a=b", ["a=b"]), ("a=b&&c=d", ["a=b", "c=d"]),
        ("a+b=c+d", ["a b=c d"]), ("a%2Bb=c%2bd", ["a+b=c+d"]), ("%61=%62", ["a=b"]), ("a%3Db=%26", ["a=b=&"]),
        ("a=%00", ["a=\0"]), ("a=%0D%0A", ["a=\r\n"]), ("a=%E2%82%AC", ["a=\u{20AC}"]), ("a;b=c", ["a;b=c"]),
        ("a=1&a=2", ["a=1", "a=2"]), ("a=%25", ["a=%"]), ("a=%2525", ["a=%25"]), ("a=\u{E9}", ["a=\u{E9}"]),
    ]

    static func form(_ text: String, limit: Int = 100) throws -> [String] {
        let request = HTTPRequest(
            method: .post, authority: "localhost", path: "/",
            fields: [.contentType: "application/x-www-form-urlencoded"], body: HTTPBody(text))
        return try request.formFields(limit: limit).map { "\($0.name)=\($0.value)" }
    }

    static func query(_ text: String) -> [String] {
        HTTPRequest(authority: "localhost", path: "/?" + text).queryItems.map { "\($0.name)=\($0.value)" }
    }

    @Test(arguments: rows)
    func `A pair of a form or a query is parsed as bytes`(text: String, pairs: [String]) throws {
        try expectEqual(Self.form(text), pairs)
        expectEqual(Self.query(text), pairs)
    }

    @Test(arguments: ["a=%", "a=%4", "a=%4g", "a=%+1", "a=%-1", "a=%ff", "a=%C3", "a=%ED%A0%80", "a=%C0%80", "%=a"])
    func `A pair of a form or a query that cannot be decoded makes its form fail, and is omitted from a query`(
        text: String
    ) {
        #expect(throws: ServerError.self) { try Self.form("x=1&\(text)&y=2") }
        expectEqual(Self.query("x=1&\(text)&y=2"), ["x=1", "y=2"])
    }

    @Test func `A pair of a form or a query counts towards the limit, and an empty one does not`() throws {
        try expectEqual(Self.form("a=1&b=2&&&", limit: 2).count, 2)
        try expectEqual(Self.form("&&&a=1&&&b=2", limit: 2).count, 2)
        #expect(throws: ServerError.self) { try Self.form("a=1&b=2&c", limit: 2) }
        #expect(throws: ServerError.self) { try Self.form("a", limit: 0) }
        #expect(try Self.form("", limit: 0).isEmpty)
    }

    @Test func `A pair of a form or a query must be unique when the only value is requested`() throws {
        let request = HTTPRequest(authority: "localhost", path: "/?a=1&b=2&b=2&%61=3")
        #expect(throws: ServerError.self) { try request.queryItems.single("b") }
        #expect(throws: ServerError.self) { try request.queryItems.single("a") }
        try expectNil(request.queryItems.single("c"))
    }

    static let cookies: [(line: String, cookies: [String: String])] = [
        ("", [:]), (";", [:]), ("a", [:]), ("a=", ["a": ""]), ("=a", [:]), ("a=b", ["a": "b"]), (" a = b ", ["a": "b"]),
        ("a=b;c=d", ["a": "b", "c": "d"]), ("a=b; a=c", ["a": "b"]), ("a=b,c=d", ["a": "b,c=d"]), ("a=\"", ["a": "\""]),
        ("a=\"\"", ["a": ""]), ("a=\"b", ["a": "\"b"]), ("a=%20", ["a": "%20"]), ("A=1; a=2", ["A": "1", "a": "2"]),
        ("__Host-s=v;\ta=b", ["__Host-s": "v", "a": "b"]), ("a=b c", ["a": "b c"]), (";;a=b;;", ["a": "b"]),
    ]

    @Test(arguments: cookies)
    func `A pair of a form or a query of cookies is parsed as clients send it`(line: String, cookies: [String: String])
    {
        expectEqual(HTTPRequest(authority: "localhost", path: "/", fields: [.cookie: line]).cookies, cookies)
    }

    @Test(arguments: [
        ("text/html", "text/html"), (" Text/HTML ; charset=x", "text/html"), ("a/b;c", "a/b"), ("", ""), (";", ""),
    ])
    func `A pair of a form or a query of a media type's parameters is not part of the type`(field: String, type: String)
    {
        let request = HTTPRequest(authority: "localhost", path: "/", fields: [.contentType: field])
        expectEqual(request.mediaType, type)
    }
}
