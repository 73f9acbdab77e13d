// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Nevod
import TestTags
import Testing

/// Returns a cookie that Foundation parses from the fields of a response.
func cookies(_ line: String, from url: String = "https://www.example.com/app/login") throws -> [HTTPCookie] {
    let url = try #require(URL(string: url))
    return HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": line], for: url)
}

@Suite struct CookieTokenTests {
    private func sent(_ token: CookieToken, _ url: String, with cookie: String? = nil) throws -> String? {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.setValue(cookie, forHTTPHeaderField: "Cookie")
        token.authorize(&request)
        return request.value(forHTTPHeaderField: "Cookie")
    }

    @Test(
        .tags(.cookieLogin),
        arguments: [
            ("sid=1; Path=/", "https://www.example.com/", true), ("sid=1; Path=/", "https://example.com/", false),
            ("sid=1; Path=/", "https://a.www.example.com/", false),
            ("sid=1; Path=/; Domain=example.com", "https://api.example.com/", true),
            ("sid=1; Path=/; Domain=example.com", "https://example.com/", true),
            ("sid=1; Path=/; Domain=example.com", "https://evil.example/", false),
            ("sid=1; Path=/; Domain=example.com", "https://badexample.com/", false),
            ("sid=1; Path=/app", "https://www.example.com/app/x", true),
            ("sid=1; Path=/app", "https://www.example.com/apple", false),
            ("sid=1; Path=/app", "https://www.example.com/", false),
            ("sid=1; Path=/; Secure", "https://www.example.com/", true),
            ("sid=1; Path=/; Secure", "http://www.example.com/", false),
            ("sid=1; Path=/; HttpOnly; SameSite=Strict", "https://www.example.com/", true),
            ("sid=1; Path=/; Max-Age=0", "https://www.example.com/", false),
            ("sid=1; Path=/; Max-Age=3600", "https://www.example.com/", true),
            ("sid=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.example.com/", false),
        ])
    func `A cookie token is sent if its domain, path, security and age allow it`(line: String, url: String, goes: Bool)
        throws
    {
        let token = CookieToken(sessionCookies: try cookies(line))
        try expectEqual(sent(token, url), goes ? "sid=1" : nil)
        let again = try CookieToken.decode(from: token.encode())
        try expectEqual(sent(again, url), goes ? "sid=1" : nil)
    }

    @Test(.tags(.cookieLogin))
    func `A cookie token is added to the cookies of a request, and replaces its own`() throws {
        let token = CookieToken(sessionCookies: try cookies("sid=1; Path=/"))
        try expectEqual(sent(token, "https://www.example.com/", with: "theme=dark"), "theme=dark; sid=1")
        try expectEqual(sent(token, "https://www.example.com/", with: "sid=0; theme=dark"), "theme=dark; sid=1")
    }

    @Test(.tags(.cookieLogin)) func `A cookie token keeps every attribute in the storage`() throws {
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "sid", .value: "a=b", .domain: ".example.com", .path: "/app", .secure: "TRUE",
            .init("HttpOnly"): "TRUE",
            .expires: Date(timeIntervalSinceNow: 86_400), .port: "443",
        ]
        let token = CookieToken(sessionCookies: [try #require(HTTPCookie(properties: properties))])
        for one in [token, try CookieToken.decode(from: token.encode())] {
            let cookie = try #require(one.sessionCookies.first)
            #expect(cookie.name == "sid" && cookie.value == "a=b")
            #expect(cookie.domain == ".example.com" && cookie.path == "/app")
            #expect(cookie.isSecure && cookie.isHTTPOnly)
            #expect(abs(try #require(cookie.expiresDate).timeIntervalSinceNow - 86_400) < 60)
            expectEqual(cookie.portList, [443])
            try expectEqual(sent(one, "https://www.example.com/app"), "sid=a=b")
            try expectNil(sent(one, "https://www.example.com:8443/app"))
        }
        try expectEqual(token.encode(), CookieToken.decode(from: token.encode()).encode())
    }

    @Test(.tags(.cookieLogin)) func `A cookie token that Nevod has stored is decoded`() throws {
        let text =
            #"[{"name":"sid","value":"1","domain":"www.example.com","path":"/","isSecure":true,"isHTTPOnly":true}]"#
        let token = try CookieToken.decode(from: Data(text.utf8))
        try expectEqual(sent(token, "https://www.example.com/"), "sid=1")
        try expectNil(sent(token, "http://www.example.com/"))
    }

    @Test(.tags(.cookieLogin)) func `A cookie token omits characters that would break a header line`() throws {
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "sid", .value: "1\r\nX-Evil: yes", .domain: "www.example.com", .path: "/",
        ]
        let broken = try #require(HTTPCookie(properties: properties))
        let token = CookieToken(sessionCookies: [broken] + (try cookies("ok=1; Path=/")))
        try expectEqual(sent(token, "https://www.example.com/"), "ok=1")
    }
}
