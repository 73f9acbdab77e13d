// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import Testing

@Suite struct CookieStorageTests {
    let fixture = JarFixture()

    private var kept: [String] { fixture.jar.cookies.map { "\($0.isHostOnly ? "" : ".")\($0.domain)\($0.path)" } }

    @Test(
        arguments: [
            ("https://a.site.com/", "", "a.site.com/"), ("https://a.site.com/", "a.site.com", ".a.site.com/"),
            ("https://a.site.com/", ".site.com", ".site.com/"), ("https://A.Site.COM/", "SITE.com", ".site.com/"),
            ("https://a.site.com./", "site.com", ".site.com/"), ("https://a.site.com/", "b.site.com", nil),
            ("https://site.com/", "a.site.com", nil), ("https://asite.com/", "site.com", nil),
            ("https://a.site.com/", "ite.com", nil), ("https://a.site.com/", "..site.com", nil),
            ("https://a.site.com/", "site.com.", nil), ("https://a.site.com/", "site.com:443", nil),
            ("https://a.site.com/", "b\u{FC}cher.com", nil), ("https://a.site.com/", ".", "a.site.com/"),
        ] as [(String, String, String?)])
    func `A jar that receives a cookie keeps it for its host or a domain above it`(
        url: String, domain: String, place: String?
    ) throws {
        try fixture.set(domain.isEmpty ? "a=b" : "a=b; Domain=\(domain)", at: url)
        expectEqual(kept, [place].compactMap(\.self))
    }

    @Test(
        arguments: [
            ("https://site.com/", "com", nil), ("https://site.co.uk/", "co.uk", nil),
            ("https://site.co.uk./", "co.uk", nil), ("https://me.github.io/", "github.io", nil),
            ("https://github.io/", "github.io", "github.io/"), ("https://com/", "com", "com/"),
            ("https://me.github.io/", "me.github.io", ".me.github.io/"),
        ] as [(String, String, String?)])
    func `A jar that receives a cookie refuses one for a public suffix, except from that host and for it`(
        url: String, domain: String, place: String?
    ) throws {
        try fixture.set("a=b; Domain=\(domain)", at: url)
        expectEqual(kept, [place].compactMap(\.self))
    }

    @Test(
        arguments: [
            ("http://10.0.0.1/", "0.0.1", nil), ("http://10.0.0.1/", "1", nil), ("http://10.0.0.1/", "10.0.0.1", 1),
            ("http://[::1]/", "[::1]", 1), ("http://[::1]/", "1]", nil), ("http://127.1/", "1", nil),
            ("http://a.0x7f/", "0x7f", nil),
        ] as [(String, String, Int?)])
    func `A jar that receives a cookie treats an IP address as a whole`(url: String, domain: String, count: Int?) throws
    {
        try fixture.set("a=b; Domain=\(domain)", at: url)
        expectEqual(kept.count, count ?? 0)
    }

    @Test(arguments: [
        ("/", "/"), ("/x", "/"), ("/x/", "/x"), ("/x/y", "/x"), ("/x/y/?a=/b/c", "/x/y"), ("//", "/"),
        ("/a;b/c", "/a;b"),
    ])
    func `A jar that receives a cookie gives it the folder of the request's path if it names none`(
        path: String, expected: String
    ) throws {
        for cookie in ["a=1", "b=2; Path=", "c=3; Path=relative"] {
            try fixture.set(cookie, at: "https://a.site.com\(path)")
        }
        expectEqual(fixture.jar.cookies.map(\.path), Array(repeating: expected, count: 3))
    }

    @Test func `A jar that receives a cookie accepts Secure only over an encrypted connection`() throws {
        try fixture.set("a=1; Secure", at: "http://a.site.com/")
        try fixture.set("a=2; Secure", at: "http://127.0.0.1/")
        try fixture.set("a=3; Secure", at: "http://localhost/")
        #expect(fixture.jar.cookies.isEmpty)
        try fixture.set("a=4; Secure", at: "https://a.site.com/")
        expectEqual(fixture.jar.cookies.map(\.value), ["4"])
    }

    @Test func `A jar that receives a cookie accepts Secure from this machine if the policy says so`() throws {
        let trusting = JarFixture(CookiePolicy(publicSuffixes: JarFixture.suffixes, trustsLoopback: true))
        try trusting.set("a=1; Secure", at: "http://127.0.0.1:8080/")
        try trusting.set("a=2; Secure", at: "http://10.0.0.1/")
        expectEqual(trusting.jar.cookies.map(\.value), ["1"])
        try expectEqual(trusting.sent(to: "http://127.0.0.1:9090/"), ["a=1"])
    }

    @Test func `A jar that receives a cookie keeps a secure cookie that an unencrypted answer would hide`() throws {
        try fixture.set("a=safe; Secure; Path=/login; Domain=site.com", at: "https://www.site.com/")
        for url in ["http://www.site.com/login/x", "http://site.com/login/x", "http://a.b.site.com/login/x"] {
            try fixture.set("a=evil; Path=/login", "a=evil; Path=/login/en", at: url)
        }
        expectEqual(fixture.jar.cookies.map(\.value), ["safe"])
        try fixture.set("a=wide; Path=/", "b=other; Path=/login", at: "http://www.site.com/")
        try fixture.set("a=far; Path=/login", at: "http://othersite.com/")
        try fixture.set("a=new; Path=/login", at: "https://www.site.com/")
        expectEqual(fixture.jar.cookies.map(\.value), ["safe", "wide", "other", "far", "new"])
    }

    @Test func `A jar that receives a cookie does not let an unencrypted answer delete a secure cookie`() throws {
        try fixture.set("a=safe; Secure", at: "https://a.site.com/")
        try fixture.set("a=; Max-Age=0", at: "http://a.site.com/")
        expectEqual(fixture.jar.cookies.map(\.value), ["safe"])
    }

    @Test(arguments: [
        ("__Secure-a=1; Secure", true), ("__secure-a=1", false), ("__Host-a=1; Secure; Path=/", true),
        ("__HOST-a=1; Secure; Path=/", true), ("__Host-a=1; Secure", false), ("__Host-a=1; Secure; Path=/x", false),
        ("__Host-a=1; Secure; Path=/; Domain=a.site.com", false), ("__Host-a=1; Path=/", false),
        ("=__Host-a=1; Secure; Path=/", false), ("__Secure-a=1; Domain=site.com; Secure", true),
    ])
    func `A jar that receives a cookie checks the promise of its name's prefix`(cookie: String, isKept: Bool) throws {
        try fixture.set(cookie, at: "https://a.site.com/")
        expectEqual(fixture.jar.cookies.count, isKept ? 1 : 0)
    }

    @Test
    func `A jar that receives a cookie refuses a prefix that promises encryption from an unencrypted answer`() throws {
        try fixture.set("__Secure-a=1; Secure", "__Host-a=1; Secure; Path=/", at: "http://a.site.com/")
        #expect(fixture.jar.cookies.isEmpty)
    }

    @Test func `A jar that receives a cookie refuses one for all sites that is not secure`() throws {
        try fixture.set("a=1; SameSite=None", "b=2; SameSite=None; Secure", at: "https://a.site.com/")
        expectEqual(fixture.jar.cookies.map(\.name), ["b"])
    }

    @Test func `A jar that receives a cookie takes only SameSite=None cookies if another site's page asked`() throws {
        try fixture.set(
            "a=1", "b=2; SameSite=Lax", "c=3; SameSite=None; Secure", at: "https://a.site.com/", from: .crossSite)
        expectEqual(fixture.jar.cookies.map(\.name), ["c"])
        try fixture.set("d=4; SameSite=Strict", at: "https://a.site.com/", from: .crossSiteNavigation)
        expectEqual(fixture.jar.cookies.map(\.name), ["c", "d"])
    }

    @Test
    func `A jar that receives a cookie replaces the one of the same name, domain and path, and keeps its age`() throws {
        try fixture.set("a=1", "b=1", at: "https://a.site.com/")
        let first = try #require(fixture.jar.cookies.first)
        fixture.clock.advance(by: 60)
        try fixture.set("a=2; HttpOnly", at: "https://a.site.com/")
        expectEqual(fixture.jar.cookies.map(\.value), ["2", "1"])
        expectEqual(fixture.jar.cookies.first?.created, first.created)
        expectEqual(fixture.jar.cookies.first?.isHTTPOnly, true)
        try fixture.set("a=3; Path=/x", "a=4; Domain=a.site.com", "A=5", at: "https://a.site.com/")
        expectEqual(fixture.jar.cookies.map(\.value), ["2", "1", "3", "4", "5"])
    }

    @Test func `A jar that receives a cookie removes an existing one if its age is zero or its date is past`() throws {
        try fixture.set("a=1; Max-Age=60", "b=1", "c=1", at: "https://a.site.com/")
        try fixture.set("a=; Max-Age=0", "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", at: "https://a.site.com/")
        try fixture.set("c=; Max-Age=-5; Expires=Fri, 01 Jan 2100 00:00:00 GMT", at: "https://a.site.com/")
        #expect(fixture.jar.cookies.isEmpty)
    }

    @Test func `A jar that receives a cookie lets the age outrank the date, in either order`() throws {
        try fixture.set(
            "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "b=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", at: "https://a.site.com/")
        expectEqual(fixture.jar.cookies.map(\.expiry), [fixture.clock.now + 60, fixture.clock.now + 60])
    }

    @Test func `A jar that receives a cookie lets none live longer than 400 days`() throws {
        try fixture.set("a=1; Max-Age=99999999999", "b=1; Expires=Fri, 31 Dec 9999 00:00:00 GMT", at: "https://x.com/")
        let limit = fixture.clock.now + 400 * 86_400
        expectEqual(fixture.jar.cookies.map(\.expiry), [limit, limit])
        let long = try #require(
            Cookie(name: "c", value: "1", domain: "x.com", expiry: .distantFuture, created: fixture.clock.now))
        fixture.jar.insert([long])
        expectEqual(fixture.jar.cookies.last?.expiry, limit)
    }

    @Test(arguments: ["https://a..b/", "https://\(String(repeating: "a", count: 64)).com/"])
    func `A jar that receives a cookie keeps none of a host that is not a name`(url: String) throws {
        try fixture.set("a=1", at: url)
        #expect(fixture.jar.cookies.isEmpty)
        try expectEqual(fixture.sent(to: url), [])
    }
}
