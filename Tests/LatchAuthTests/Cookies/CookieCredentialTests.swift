// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchTesting
import Testing

@Suite struct CookieCredentialTests {
    let clock = ManualClock()

    private func cookie(
        _ name: String, _ value: String = "1", domain: String = "a.site.com", isHostOnly: Bool = true,
        path: String = "/",
        isSecure: Bool = false, life: Double? = nil
    ) throws -> Cookie {
        try #require(
            Cookie(
                name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, isSecure: isSecure,
                expiry: life.map { clock.now + $0 }, created: clock.now))
    }

    private func credential(_ cookies: [Cookie], named names: Set<String> = []) -> CookieCredential {
        CookieCredential(cookies, named: names, clock: clock.wallClock())
    }

    private func sent(
        _ credential: CookieCredential, to authority: String = "a.site.com", scheme: String = "https",
        path: String = "/", fields: HTTPFields = [:]
    ) -> String? {
        var request = HTTPRequest(scheme: scheme, authority: authority, path: path, fields: fields)
        credential.authorize(&request)
        #expect(request.fields.values(of: .cookie).count <= 1)
        return request.fields[.cookie]
    }

    @Test func `A credential of cookies goes wherever each cookie is allowed`() throws {
        let credential = credential([
            try cookie("host"), try cookie("wide", domain: "site.com", isHostOnly: false),
            try cookie("deep", path: "/x"), try cookie("safe", isSecure: true), try cookie("short", life: 10),
        ])
        expectEqual(sent(credential, path: "/x?y"), "deep=1; host=1; wide=1; safe=1; short=1")
        expectEqual(sent(credential, scheme: "http"), "host=1; wide=1; short=1")
        expectEqual(sent(credential, to: "b.site.com"), "wide=1")
        expectNil(sent(credential, to: "site.com.evil.com"))
        clock.advance(by: 10)
        expectEqual(sent(credential), "host=1; wide=1; safe=1")
    }

    @Test func `A credential of cookies replaces cookies of its names, also those of an earlier call`() throws {
        let fields: HTTPFields = [.cookie: "sid=mine; other=2"]
        expectEqual(sent(credential([try cookie("sid", "new")]), fields: fields), "other=2; sid=new")
        var request = HTTPRequest(authority: "a.site.com", path: "/")
        try credential([cookie("sid", "1"), cookie("csrf", "1")]).authorize(&request)
        try credential([cookie("sid", "2"), cookie("csrf", "2")]).authorize(&request)
        expectEqual(request.fields[.cookie], "sid=2; csrf=2")
        #expect(request.isCredential(.cookie))
    }

    @Test func `A credential of cookies has expired without cookies, and ends with its last cookie`() throws {
        expectEqual(credential([]).expiry, .distantPast)
        expectEqual(credential([try cookie("a", life: 10), try cookie("b", life: 20)]).expiry, clock.now + 20)
        expectNil(credential([try cookie("a", life: 10), try cookie("b")]).expiry)
        #expect(credential([try cookie("a", life: -1)]).cookies.isEmpty)
    }

    @Test
    func `A credential of cookies ends with the first of the cookies that prove the login, if they are named`() throws {
        let all = [try cookie("sid", life: 20), try cookie("mac", life: 15), try cookie("theme", life: 5)]
        expectEqual(credential(all, named: ["sid", "mac"]).expiry, clock.now + 15)
        expectEqual(credential(all, named: ["sid", "gone"]).expiry, .distantPast)
        expectNil(credential([try cookie("sid"), try cookie("x", life: 5)], named: ["sid"]).expiry)
    }

    private func rotated(
        _ credential: CookieCredential, by cookies: String..., status: HTTPStatus = .ok, sent: CookieCredential? = nil
    ) -> CookieCredential? {
        var response = HTTPResponse(status: status)
        for cookie in cookies { response.fields.append(cookie, for: .setCookie) }
        let request = HTTPRequest(authority: "a.site.com", path: "/")
        return credential.rotated(by: response, to: request, sentWith: sent ?? credential)
    }

    @Test func `A credential of cookies takes over new cookies of an answer, and deletes the deleted ones`() throws {
        let first = credential([try cookie("sid", "1"), try cookie("old")])
        let second = try #require(rotated(first, by: "sid=2; HttpOnly", "old=; Max-Age=0", "evil=1; Domain=other.com"))
        expectEqual(second.cookies.map { "\($0.name)=\($0.value)" }, ["sid=2"])
        expectEqual(second.cookies.first?.isHTTPOnly, true)
        #expect(!second.hasSameAccessToken(as: first) && !second.hasSameRefreshToken(as: first) && second != first)
        expectEqual(rotated(second, by: "sid=3", sent: first)?.cookies.map(\.value), ["3"])
    }

    @Test
    func `A credential of cookies takes nothing from a refusal, from another login, or without a change`() throws {
        let first = credential([try cookie("sid", "1", life: 3_600)])
        expectNil(rotated(first))
        expectNil(rotated(first, by: "sid=; Max-Age=0", status: .unauthorized))
        expectNil(rotated(first, by: "sid=2", sent: credential([try cookie("sid", "1")])))
        expectNil(rotated(first, by: "sid=1; Path=/; Max-Age=3600"))
        expectNil(rotated(first, by: "x=1; Domain=other.com"))
    }

    @Test func `A credential of cookies takes a later expiry once it is a minute later`() throws {
        let first = credential([try cookie("sid", "1", life: 3_600)])
        clock.advance(by: 59)
        expectNil(rotated(first, by: "sid=1; Max-Age=3600"))
        clock.advance(by: 1)
        expectEqual(rotated(first, by: "sid=1; Max-Age=3600")?.expiry, clock.now + 3_600)
        expectNil(rotated(first, by: "sid=1")?.expiry)
        #expect(rotated(first, by: "sid=1; Max-Age=3600; Secure; SameSite=Lax") != nil)
    }

    @Test func `A credential of cookies that loses its last cookie has expired`() throws {
        let last = try #require(rotated(credential([try cookie("sid")]), by: "sid=; Max-Age=0"))
        #expect(last.cookies.isEmpty && last.expiry == .distantPast)
    }

    @Test func `A credential of cookies is described without values`() throws {
        let credential = credential([try cookie("sid", "canary-7")])
        var dumped = ""
        dump(credential, to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), dumped, "\(SessionState.signedIn(credential))"] {
            #expect(!text.contains("canary"))
        }
        expectEqual("\(credential)", "CookieCredential(Cookie(sid=redacted; a.site.com/))")
    }
}
