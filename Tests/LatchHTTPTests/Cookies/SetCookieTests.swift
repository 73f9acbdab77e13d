// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import Testing

@Suite struct SetCookieTests {
    @Test func `A Set-Cookie field gives the name, the value and every attribute`() throws {
        let cookie = try #require(
            SetCookie(
                "sid=a=b%20; Expires=Wed, 09 Jun 2021 10:18:14 GMT; Max-Age=60; Domain=.Example.COM; Path=/a; "
                    + "Secure; HttpOnly; SameSite=Lax"))
        expectEqual(cookie.name, "sid")
        expectEqual(cookie.value, "a=b%20")
        expectEqual(cookie.expires, HTTPDate("Wed, 09 Jun 2021 10:18:14 GMT")?.date)
        expectEqual(cookie.maxAge, 60)
        expectEqual(cookie.domain, "example.com")
        expectEqual(cookie.path, "/a")
        #expect(cookie.isSecure && cookie.isHTTPOnly)
        expectEqual(cookie.sameSite, .lax)
    }

    @Test func `A Set-Cookie field without attributes gives none`() throws {
        let cookie = try #require(SetCookie("a=b"))
        #expect(cookie.domain == nil && cookie.path == nil && cookie.maxAge == nil && cookie.expires == nil)
        #expect(!cookie.isSecure && !cookie.isHTTPOnly && cookie.sameSite == .unset)
    }

    @Test func `A Set-Cookie field is trimmed of spaces and tabs and of nothing else`() throws {
        let cookie = try #require(SetCookie(" \t a b \t= \u{A0}c d\u{A0} \t; \tPath\t= \t/x y \t"))
        expectEqual(cookie.name, "a b")
        expectEqual(cookie.value, "\u{A0}c d\u{A0}")
        expectEqual(cookie.path, "/x y")
    }

    @Test(
        arguments: [
            ("a", "", "a"), ("=a", "", "a"), ("==a", "", "=a"), ("a=", "a", ""), ("a==b", "a", "=b"), (" =x", "", "x"),
            (#""a;b"=c"#, "", #""a"#), ("a=b,c=d", "a", "b,c=d"), ("a=b;", "a", "b"), (";;;", nil, nil), ("", nil, nil),
            ("=", nil, nil), (" = ; Path=/", nil, nil), ("; Secure", nil, nil),
        ] as [(String, String?, String?)])
    func `A Set-Cookie field is split at its first semicolon and equals sign`(
        text: String, name: String?, value: String?
    ) {
        expectEqual(SetCookie(text)?.name, name)
        expectEqual(SetCookie(text)?.value, value)
    }

    /// Swift takes a letter and the mark above it for one character; the RFC counts bytes.
    @Test func `A Set-Cookie field is split where a combining mark clings to the separator`() throws {
        let cookie = try #require(SetCookie("a=\u{301}b;\u{301}x; Secure"))
        expectEqual(cookie.value, "\u{301}b")
        #expect(cookie.isSecure)
    }

    @Test(arguments: (0...0x20).map { UInt8($0) } + [0x7F])
    func `A Set-Cookie field with a control character anywhere is ignored`(byte: UInt8) {
        let text = String(decoding: [byte], as: UTF8.self)
        let isAllowed = byte == 0x09 || byte == 0x20
        for field in ["a\(text)a=b", "a=b\(text)b", "a=b; Path=/\(text)x", "a=b; other=\(text)x"] {
            expectEqual(SetCookie(field) != nil, isAllowed, "\(byte)")
        }
    }

    @Test func `A Set-Cookie field can hold 4,096 bytes of name and value and not one more`() {
        let value = String(repeating: "x", count: 4_095)
        expectEqual(SetCookie("a=\(value)")?.value, value)
        expectNil(SetCookie("ab=\(value)"))
        expectNil(SetCookie("=\(value)xx"))
        expectEqual(SetCookie("é=\(value.dropFirst())")?.name, "é")
        expectNil(SetCookie("é=\(value)"))
        #expect(SetCookie("   a  =  \(value)   ; Path=/") != nil)
    }

    @Test func `A Set-Cookie field ignores an attribute of more than 1,024 bytes and keeps the others`() throws {
        let fits = "/" + String(repeating: "x", count: 1_023)
        expectEqual(SetCookie("a=b; Path=\(fits); Secure")?.path, fits)
        let cookie = try #require(SetCookie("a=b; Path=/kept; Path=\(fits)x; Domain=\(fits)x; Secure"))
        expectEqual(cookie.path, "/kept")
        expectNil(cookie.domain)
        #expect(cookie.isSecure)
    }

    @Test func `A Set-Cookie field lets the last of several equal attributes win`() throws {
        let cookie = try #require(
            SetCookie("a=b; Path=/x; Max-Age=1; path=/y; SameSite=Strict; Domain=a.b; max-age=2; samesite=LAX; DOMAIN=")
        )
        expectEqual(cookie.path, "/y")
        expectEqual(cookie.maxAge, 2)
        expectEqual(cookie.sameSite, .lax)
        expectEqual(cookie.domain, "")
    }

    @Test func `A Set-Cookie field ignores an invalid age or date, and keeps the earlier one`() throws {
        let cookie = try #require(
            SetCookie("a=b; Max-Age=5; Max-Age=; Max-Age=x; Max-Age=1.5; Expires=09 Jun 2021 10:18:14; Expires=soon"))
        expectEqual(cookie.maxAge, 5)
        #expect(cookie.expires != nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", -1), ("-1", -1), ("-99999999999999999999", -1), ("00060", 60), ("60", 60),
            ("9223372036854775807", 3_155_760_000), ("99999999999999999999999999", 3_155_760_000),
            ("", nil), ("-", nil), ("+1", nil), ("1 2", nil), ("0x10", nil), ("1e3", nil), ("٣", nil), ("--1", nil),
        ] as [(String, Int64?)])
    func `A Set-Cookie field counts its age in whole seconds`(text: String, seconds: Int64?) {
        expectEqual(SetCookie("a=b; Max-Age=\(text)")?.maxAge, seconds)
    }

    @Test(arguments: [("x", ""), ("", ""), ("/", "/"), ("//", "//"), (#""/x""#, ""), ("/é", "/é")])
    func `A Set-Cookie field uses the default path if it has none`(text: String, path: String) {
        expectEqual(SetCookie("a=b; Path=\(text)")?.path, path)
    }

    @Test(arguments: [
        ("strict", SameSite.strict), ("LAX", .lax), ("None", .none), ("", .unset), ("other", .unset), ("lax2", .unset),
    ])
    func `A Set-Cookie field reads SameSite without case`(text: String, sameSite: SameSite) {
        expectEqual(SetCookie("a=b; SameSite=\(text)")?.sameSite, sameSite)
    }

    @Test(arguments: [
        ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]),
        ("a=1; Path=/, b=2; Secure, c=", ["a=1; Path=/", "b=2; Secure", "c="]),
        ("a=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT, b=2", ["a=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT", "b=2"]),
        ("a=1,b=2", ["a=1,b=2"]), ("a=x, y", ["a=x, y"]), ("a=x, y z=1", ["a=x, y z=1"]), ("a=1, =2", ["a=1, =2"]),
        ("", [""]), (", ", [","]), ("a=1, b=2,", ["a=1", "b=2,"]),
    ])
    func `A Set-Cookie field that a system has folded is split again`(folded: String, lines: [String]) {
        var fields = HTTPFields()
        fields.append(folded: folded, for: .setCookie)
        fields.append(folded: "x, y=1", for: .accept)
        expectEqual(fields.values(of: .setCookie), lines)
        expectEqual(fields.values(of: .accept), ["x, y=1"])
    }

    @Test func `A Set-Cookie field is described without its value`() throws {
        let cookie = try #require(SetCookie("sid=canary-7; Domain=a.example; Max-Age=5; Secure; SameSite=None"))
        var dumped = ""
        dump(cookie, to: &dumped)
        for text in ["\(cookie)", String(reflecting: cookie), dumped, "\([cookie])", "\(Mirror(reflecting: cookie))"] {
            #expect(!text.contains("canary"))
        }
        expectEqual("\(cookie)", "sid=redacted; Domain=a.example; Max-Age=5; Secure; SameSite=none")
    }
}
