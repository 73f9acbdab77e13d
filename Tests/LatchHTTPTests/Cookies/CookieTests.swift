// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import TestVectors
import Testing

@Suite struct CookieTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000.1)

    private func make(
        name: String = "sid", value: String = "x", domain: String = "example.com", isHostOnly: Bool = true,
        path: String = "/", isSecure: Bool = true, sameSite: SameSite = .unset
    ) -> Cookie? {
        Cookie(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, isSecure: isSecure,
            sameSite: sameSite, created: now)
    }

    @Test(arguments: [
        ("a;b", "x"), ("a=b", "x"), ("a\r\nX: y", "x"), ("a", "x\n"), ("a", "x;y"), ("a", " x"), ("a ", "x"), ("", ""),
        ("a", "\u{0}"), ("a", "\u{7F}"), ("a", String(repeating: "x", count: 4_096)),
    ])
    func `A cookie is refused if it could not be sent unchanged`(name: String, value: String) {
        expectNil(make(name: name, value: value))
    }

    @Test(arguments: [
        "", "Example.com", "example.com.", ".example.com", "a..b", "exa mple.com", "bücher.example", "a/b", "[::1",
        "[::1]x", "example.com:80", String(repeating: "a", count: 64) + ".example",
        Array(repeating: "abcdefgh", count: 29).joined(separator: "."),
    ])
    func `A cookie is refused if its domain is not a host in its one spelling`(domain: String) {
        expectNil(make(domain: domain))
    }

    @Test(arguments: ["example.com", "a_b.example", "-a.example", "xn--bcher-kva.example", "127.0.0.1", "[::1]", "com"])
    func `A cookie can be for any existing host`(domain: String) {
        expectEqual(make(domain: domain)?.domain, domain)
    }

    @Test func `A cookie is refused without a path that begins with a slash`() {
        expectNil(make(path: ""))
        expectNil(make(path: "x/"))
        expectNil(make(path: "/a\u{0}"))
        expectEqual(make(path: "/a;b=c/é")?.path, "/a;b=c/é")
    }

    @Test func `A cookie whose name has a prefix keeps its promise`() {
        for name in ["__Secure-a", "__secure-A", "__SECURE-"] {
            #expect(make(name: name) != nil)
            expectNil(make(name: name, isSecure: false))
        }
        for name in ["__Host-a", "__host-A", "__HOST-"] {
            #expect(make(name: name) != nil)
            expectNil(make(name: name, isSecure: false))
            expectNil(make(name: name, isHostOnly: false))
            expectNil(make(name: name, path: "/x"))
        }
        expectNil(make(name: "", value: "__Host-a=b"))
        expectNil(make(name: "", value: "__secure-a=b"))
        #expect(make(name: "a", value: "__Host-a", isSecure: false) != nil)
        #expect(make(name: "__Hosta", isSecure: false) != nil)
    }

    @Test func `A cookie for all sites is secure`() {
        expectNil(make(isSecure: false, sameSite: .none))
        #expect(make(isSecure: true, sameSite: .none) != nil)
    }

    @Test func `A cookie survives encoding with every attribute and every fraction of a second`() throws {
        var random = SeededGenerator(seed: 10)
        for _ in 0..<500 {
            let created = Date(timeIntervalSince1970: Double.random(in: 0...4e9, using: &random))
            let isSecure = Bool.random(using: &random)
            let original = try #require(
                Cookie(
                    name: "n\(random.next())", value: "\"é\\/\(random.next())", domain: "a.example",
                    isHostOnly: Bool.random(using: &random), path: "/p", isSecure: isSecure,
                    isHTTPOnly: Bool.random(using: &random),
                    sameSite: [.strict, .lax, .unset, isSecure ? .none : .lax][Int.random(in: 0..<4, using: &random)],
                    expiry: Bool.random(using: &random) ? created + Double.random(in: 0...1e7, using: &random) : nil,
                    created: created, lastAccess: created + Double.random(in: 0...1e6, using: &random)))
            let encoder = JSONEncoder()
            // Whatever the encoder would do with dates must not touch them.
            encoder.dateEncodingStrategy = .iso8601
            let copy = try JSONDecoder().decode(Cookie.self, from: encoder.encode(original))
            expectEqual(copy, original, "seed 10")
            expectEqual(copy.hashValue, original.hashValue)
        }
    }

    @Test(arguments: ["secure", "host", "value", "domain", "missing"])
    func `A cookie that was kept and then changed into an impossible one is refused`(part: String) throws {
        let original = try #require(make(name: "__Host-a", value: "ok"))
        var text = String(decoding: try JSONEncoder().encode(original), as: UTF8.self)
        let edits = [
            "secure": (#""isSecure":true"#, #""isSecure":false"#),
            "host": (#""isHostOnly":true"#, #""isHostOnly":false"#),
            "value": (#""value":"ok""#, #""value":"ok\r\nX: y""#), "domain": (#""example.com""#, #""EXAMPLE.com""#),
            "missing": (#""isHTTPOnly":false,"#, ""),
        ]
        let edit = try #require(edits[part])
        // The order of an object's members is not fixed, so the comma may stand on either side.
        let before = text
        text = text.replacingOccurrences(of: edit.0, with: edit.1)
        if text == before { text = text.replacingOccurrences(of: #","isHTTPOnly":false"#, with: "") }
        expectNotEqual(text, before)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Cookie.self, from: Data(text.utf8)) }
    }

    @Test func `A cookie is described without its value`() throws {
        let cookie = try #require(make(value: "canary-7", domain: "a.example", isHostOnly: false, path: "/p"))
        var dumped = ""
        dump(cookie, to: &dumped)
        for text in ["\(cookie)", String(reflecting: cookie), dumped, "\([cookie])"] {
            #expect(!text.contains("canary"))
        }
        expectEqual("\(cookie)", "Cookie(sid=redacted; .a.example/p; secure)")
    }

    @Test func `A cookie ends at its expiry, and never without one`() throws {
        let lasting = try #require(make())
        #expect(!lasting.isPersistent && !lasting.isExpired(at: .distantFuture))
        let ending = try #require(
            Cookie(name: "a", value: "b", domain: "x.example", expiry: now, created: now))
        #expect(ending.isPersistent && ending.isExpired(at: now) && !ending.isExpired(at: now - 0.001))
    }
}
