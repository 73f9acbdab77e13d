// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestVectors
import Testing

@Suite struct CookieJarTests {
    let fixture = JarFixture()

    @Test func `A cookie jar evicts the insecure and least used cookies of a domain that has too many`() throws {
        let full = JarFixture(CookiePolicy(publicSuffixes: JarFixture.suffixes, maximumPerDomain: 4))
        try full.set("safe=1; Secure", "one=1", "two=1; Path=/two", "three=1", at: "https://a.site.com/")
        full.clock.advance(by: 1)
        try expectEqual(full.sent(to: "https://a.site.com/"), ["safe=1", "one=1", "three=1"])
        try full.set("four=1", at: "https://a.site.com/")
        expectEqual(full.jar.cookies.map(\.name), ["safe", "one", "three", "four"])
        try full.set("b=1", at: "https://b.site.com/")
        expectEqual(full.jar.cookies.count, 5)
    }

    @Test func `A cookie jar evicts no secure cookie for an insecure one`() throws {
        let full = JarFixture(CookiePolicy(publicSuffixes: JarFixture.suffixes, maximumPerDomain: 2))
        try full.set("safe=1; Secure", "sound=1; Secure", at: "https://a.site.com/")
        full.clock.advance(by: 1)
        for number in 0..<50 { try full.set("evil\(number)=1", at: "http://a.site.com/") }
        expectEqual(full.jar.cookies.map(\.name), ["safe", "sound"])
        try full.set("new=1; Secure", at: "https://a.site.com/")
        expectEqual(full.jar.cookies.map(\.name), ["sound", "new"])
    }

    @Test func `A cookie jar evicts the least used of all cookies if there are too many`() throws {
        let full = JarFixture(CookiePolicy(publicSuffixes: JarFixture.suffixes, maximumInAll: 3))
        for host in ["a", "b", "c"] {
            try full.set("\(host)=1", at: "https://\(host).site.com/")
            full.clock.advance(by: 1)
        }
        _ = try full.sent(to: "https://a.site.com/")
        try full.set("d=1", at: "https://d.site.com/")
        expectEqual(full.jar.cookies.map(\.name), ["a", "c", "d"])
        try full.set("d=2", at: "https://d.site.com/")
        expectEqual(full.jar.cookies.map(\.name), ["a", "c", "d"])
    }

    @Test func `A cookie jar has room for 180 cookies of a domain and 3,000 in all`() throws {
        for host in 0..<20 {
            for number in 0..<200 { try fixture.set("n\(number)=1", at: "https://h\(host).com/") }
        }
        expectEqual(fixture.jar.cookies.count, 3_000)
        try expectEqual(fixture.sent(to: "https://h19.com/").count, 180)
        try expectEqual(fixture.sent(to: "https://h19.com/").first, "n20=1")
    }

    @Test func `A cookie jar forgets all cookies, those that end with the session, or the given ones`() throws {
        try fixture.set("a=1", "b=1; Max-Age=60", at: "https://a.site.com/")
        try fixture.set("c=1", "d=1; Max-Age=60", at: "https://b.site.com/")
        fixture.jar.endSession()
        expectEqual(fixture.jar.cookies.map(\.name), ["b", "d"])
        fixture.jar.removeAll { $0.domain == "a.site.com" }
        expectEqual(fixture.jar.cookies.map(\.name), ["d"])
        fixture.jar.clear()
        #expect(fixture.jar.cookies.isEmpty)
        try expectEqual(fixture.sent(to: "https://b.site.com/"), [])
    }

    @Test func `A cookie jar is the same again after it was encoded and restored`() throws {
        try fixture.set("z=1; Domain=site.com; Max-Age=60", "a=1; HttpOnly; Secure", at: "https://a.site.com/x/")
        try fixture.set("m=1; SameSite=Strict", "=nameless", at: "http://127.0.0.1/")
        let record = try JSONEncoder().encode(fixture.jar.cookies)
        let cookies = try JSONDecoder().decode([Cookie].self, from: record)
        let copy = CookieJar(
            cookies, policy: CookiePolicy(publicSuffixes: JarFixture.suffixes), clock: fixture.clock.wallClock())
        expectEqual(copy.cookies, fixture.jar.cookies)
        let request = try fixture.request("https://a.site.com/x/y")
        expectEqual(copy.cookies(for: request), fixture.jar.cookies(for: request))
    }

    @Test func `A cookie jar reports each change and no reading`() async throws {
        var changes = fixture.jar.changes.makeAsyncIterator()
        try fixture.set("a=1", at: "https://a.site.com/")
        #expect(await changes.next() != nil)
        _ = try fixture.sent(to: "https://a.site.com/")
        try fixture.set("a=1; Domain=com", "gone=; Max-Age=0", "\u{1}=1", at: "https://a.site.com/")
        fixture.jar.removeAll { $0.name == "other" }
        fixture.jar.endSession()
        #expect(await changes.next() != nil)
        #expect(fixture.jar.cookies.isEmpty)
        try fixture.set("a=1", "b=1", at: "https://a.site.com/")
        fixture.jar.clear()
        #expect(await changes.next() != nil)
    }

    @Test func `A cookie jar ends its streams of changes when it goes`() async throws {
        var jar: CookieJar? = CookieJar()
        let changes = jar?.changes
        jar = nil
        var count = 0
        for await _ in try #require(changes) { count += 1 }
        expectEqual(count, 0)
    }

    @Test func `A cookie jar can be used by many tasks at once`() async throws {
        let jar = fixture.jar
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        let request = HTTPRequest(authority: "h\(number % 10).com", path: "/")
                        let fields: HTTPFields = [.setCookie: "t\(task)=\(number)"]
                        jar.receive(HTTPResponse(status: .ok, fields: fields), to: request)
                        _ = jar.cookies(for: request)
                    }
                }
            }
        }
        expectEqual(jar.cookies.count, 80)
        #expect(jar.cookies.allSatisfy { (190..<200).contains(Int($0.value) ?? 0) })
    }

    /// The jar against the RFC's sentences, without index, order and eviction.
    @Test func `A cookie jar selects the same cookies as a plain reading of the RFC`() throws {
        var random = SeededGenerator(seed: 5_8)
        let hosts = ["site.com", "a.site.com", "b.a.site.com", "me.github.io", "github.io", "127.0.0.1", "com"]
        let paths = ["/", "/x", "/x/", "/x/y", "/xy"]
        func draw<Element>(_ list: [Element]) -> Element { list[Int.random(in: 0..<list.count, using: &random)] }
        for round in 0..<300 {
            let fixture = JarFixture()
            var model: [Cookie] = []
            for number in 0..<20 {
                fixture.clock.advance(by: 1)
                let host = draw(hosts)
                try fixture.set(
                    "\(draw(["a", "b", "c"]))=\(number)\(draw(["", "; Secure"]))\(draw(["", "; Path=\(draw(paths))"]))"
                        + draw(["", "; Domain=\(draw(hosts))", "; Max-Age=\(draw(["0", "5", "500"]))"]),
                    at: "\(draw(["http", "https"]))://\(host)\(draw(paths))")
            }
            model = fixture.jar.cookies
            for _ in 0..<10 {
                let (host, path, scheme) = (draw(hosts), draw(paths), draw(["http", "https"]))
                let expected = model.filter { cookie in
                    let isHost =
                        cookie.isHostOnly
                        ? cookie.domain == host
                        : cookie.domain == host || (host.hasSuffix("." + cookie.domain) && host != "127.0.0.1")
                    let isPath =
                        path == cookie.path
                        || path.hasPrefix(cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/")
                    return isHost && isPath && (scheme == "https" || !cookie.isSecure)
                        && (cookie.isHostOnly || !JarFixture.suffixes.contains(cookie.domain))
                }
                let order = expected.sorted {
                    $0.path.count != $1.path.count ? $0.path.count > $1.path.count : $0.created < $1.created
                }
                try expectEqual(
                    fixture.sent(to: "\(scheme)://\(host)\(path)"), order.map { "\($0.name)=\($0.value)" },
                    "seed 58, round \(round)")
            }
        }
    }
}
