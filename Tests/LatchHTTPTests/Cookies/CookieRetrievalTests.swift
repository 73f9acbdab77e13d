// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import Testing

@Suite struct CookieRetrievalTests {
    let fixture = JarFixture()

    @Test(arguments: [
        ("https://a.site.com/", ["host=1", "domain=1", "parent=1"]),
        ("https://A.SITE.com./", ["host=1", "domain=1", "parent=1"]),
        ("https://b.a.site.com/", ["domain=1", "parent=1"]), ("https://site.com/", ["parent=1"]),
        ("https://b.site.com/", ["parent=1"]), ("https://xa.site.com/", ["parent=1"]),
        ("https://asite.com/", []), ("https://site.com.evil.com/", []), ("https://com/", []),
        ("https://a.site.com:8443/", ["host=1", "domain=1", "parent=1"]),
    ])
    func `A jar that selects cookies gives those of the host and of the domains above it`(url: String, names: [String])
        throws
    {
        try fixture.set("host=1", "domain=1; Domain=a.site.com", "parent=1; Domain=site.com", at: "https://a.site.com/")
        try expectEqual(fixture.sent(to: url), names)
    }

    @Test(arguments: [
        ("/x", "/x", true), ("/x", "/x/", true), ("/x", "/x/y", true), ("/x", "/xy", false), ("/x", "/", false),
        ("/x/", "/x", false), ("/x/", "/x/y", true), ("/", "/any", true), ("/x", "/X", false), ("/x", "/x?y", true),
        ("/x", "/%78", false), ("/x", "/x;y", false), ("/x", "/x/../y", true),
    ])
    func `A jar that selects cookies gives those of the path and of the folders above it`(
        path: String, asked: String, isSent: Bool
    ) throws {
        try fixture.set("a=1; Path=\(path)", at: "https://a.site.com/")
        try expectEqual(fixture.sent(to: "https://a.site.com\(asked)"), isSent ? ["a=1"] : [])
    }

    @Test func `A jar that selects cookies gives secure ones only to encrypted connections`() throws {
        try fixture.set("a=1; Secure", "b=2", at: "https://a.site.com/")
        try expectEqual(fixture.sent(to: "https://a.site.com/"), ["a=1", "b=2"])
        try expectEqual(fixture.sent(to: "http://a.site.com/"), ["b=2"])
    }

    @Test func `A jar that selects cookies gives those of this machine's address to no other`() throws {
        try fixture.set("a=1", at: "http://127.0.0.1/")
        try expectEqual(fixture.sent(to: "http://127.0.0.1:99/"), ["a=1"])
        for url in ["http://127.0.0.2/", "http://x.127.0.0.1/", "http://localhost/", "http://0.0.1/"] {
            try expectEqual(fixture.sent(to: url), [])
        }
    }

    @Test func `A jar that selects cookies gives and keeps none that have expired`() throws {
        try fixture.set("a=1; Max-Age=10", "b=2; Max-Age=20", "c=3", at: "https://a.site.com/")
        fixture.clock.advance(by: 9.9)
        try expectEqual(fixture.sent(to: "https://a.site.com/"), ["a=1", "b=2", "c=3"])
        fixture.clock.advance(by: 0.1)
        try expectEqual(fixture.sent(to: "https://a.site.com/"), ["b=2", "c=3"])
        fixture.clock.advance(by: 100)
        expectEqual(fixture.jar.cookies.map(\.name), ["c"])
        try expectEqual(fixture.sent(to: "https://a.site.com/"), ["c=3"])
    }

    @Test func `A jar that selects cookies sorts them by the length of the path, then by age`() throws {
        try fixture.set("old=1; Path=/", "deep=1; Path=/x/y", at: "https://a.site.com/")
        fixture.clock.advance(by: 1)
        try fixture.set(
            "new=1; Path=/; Domain=site.com", "mid=1; Path=/x", "deeper=1; Path=/x/y/", at: "https://a.site.com/")
        try fixture.set("old=2; Path=/", at: "https://a.site.com/")
        try expectEqual(
            fixture.sent(to: "https://a.site.com/x/y/z"), ["deeper=1", "deep=1", "mid=1", "old=2", "new=1"])
    }

    @Test func `A jar that selects cookies keeps HttpOnly ones from scripts`() throws {
        try fixture.set("a=1; HttpOnly", "b=2", at: "https://a.site.com/")
        let request = try fixture.request("https://a.site.com/")
        expectEqual(fixture.jar.cookies(for: request).map(\.name), ["a", "b"])
        expectEqual(fixture.jar.cookies(for: request, forScripts: true).map(\.name), ["b"])
    }

    @Test(arguments: [
        (RequestSite.sameSite, HTTPMethod.post, ["strict", "lax", "unset", "none"]), (.crossSite, .get, ["none"]),
        (.crossSiteNavigation, .get, ["lax", "unset", "none"]),
        (.crossSiteNavigation, .head, ["lax", "unset", "none"]),
        (.crossSiteNavigation, .post, ["none"]), (.crossSiteNavigation, .delete, ["none"]),
    ])
    func `A jar that selects cookies gives requests of another site those that SameSite allows`(
        site: RequestSite, method: HTTPMethod, names: [String]
    ) throws {
        try fixture.set(
            "strict=; SameSite=Strict", "lax=; SameSite=Lax", "unset=", "none=; SameSite=None; Secure",
            at: "https://a.site.com/")
        try expectEqual(fixture.sent(to: "https://a.site.com/", method: method, from: site), names.map { "\($0)=" })
    }

    @Test func `A jar that selects cookies gives none for a domain that has become a public suffix`() throws {
        let cookie = try #require(
            Cookie(name: "a", value: "1", domain: "github.io", isHostOnly: false, created: fixture.clock.now))
        fixture.jar.insert([cookie])
        try expectEqual(fixture.sent(to: "https://me.github.io/"), [])
    }

    @Test func `A jar that selects cookies also answers for a URL, and refuses one that cannot be requested`() throws {
        try fixture.set("a=1", at: "https://a.site.com/")
        try expectEqual(fixture.jar.cookies(for: #require(URL(string: "https://a.site.com/x"))).map(\.value), ["1"])
        #expect(throws: HTTPError.invalidURL) {
            try fixture.jar.cookies(for: #require(URL(string: "ftp://a.site.com/")))
        }
    }
}
