// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestSupport
import TestTags
import Testing

/// Against servers on 127.0.0.1 and their other name, `localhost`: two hosts for cookies, reached over real sockets.
@Suite struct CookieInterceptorTests {
    let jar = CookieJar()

    private func client(_ base: String, after: [any Interceptor] = []) throws -> Client {
        Client(
            baseURL: try #require(URL(string: base)), transport: CurlTransport(),
            interceptors: after + [CookieInterceptor(jar)])
    }

    private func server(setting cookies: String...) throws -> RawHTTPServer {
        let fields = cookies.map { "Set-Cookie: \($0)" }
        return try RawHTTPServer { request in .response(fields: request.line.contains(" /set") ? fields : []) }
    }

    private func sent(_ server: RawHTTPServer) -> [[String]] { server.requests.map { $0.values(of: "Cookie") } }

    @Test(.tags(.cookieLogin))
    func `A client with a cookie jar stores the cookies of an answer and sends them by path and host`() async throws {
        let server = try server(setting: "a=1", "b=2; Path=/x", "c=3; HttpOnly; SameSite=Strict")
        let client = try client(server.url)
        for path in ["set", "x/y", "other"] { try await client.perform(.get(RoutePath(path))) }
        expectEqual(sent(server), [[], ["b=2; a=1; c=3"], ["a=1; c=3"]])
        expectEqual(jar.cookies.map(\.isHostOnly), [true, true, true])
        expectEqual(jar.cookies.map(\.isHTTPOnly), [false, false, true])
        expectEqual(jar.cookies.map(\.sameSite), [.unset, .unset, .strict])
    }

    @Test(.tags(.cookieLogin))
    func `A client with a cookie jar sends a cookie to no other host, with or without its own domain`() async throws {
        let server = try server(
            setting: "host=1", "domain=1; Domain=127.0.0.1", "wide=1; Domain=0.0.1", "other=1; Domain=localhost")
        try await client(server.url).perform(.get("set"))
        expectEqual(jar.cookies.map(\.name), ["host", "domain"])
        try await client("http://localhost:\(server.port)").perform(.get("x"))
        try await client(server.url).perform(.get("x"))
        expectEqual(sent(server), [[], [], ["host=1; domain=1"]])
    }

    @Test(.tags(.cookieLogin))
    func `A client with a cookie jar takes and sends no Secure cookie without encryption`() async throws {
        let server = try server(setting: "a=1; Secure", "b=2")
        let kept = try #require(
            Cookie(name: "c", value: "3", domain: "127.0.0.1", isSecure: true, created: Date()))
        jar.insert([kept])
        let client = try client(server.url)
        for path in ["set", "x"] { try await client.perform(.get(RoutePath(path))) }
        expectEqual(sent(server), [[], ["b=2"]])
        expectEqual(jar.cookies.map(\.name), ["c", "b"])
    }

    @Test(.tags(.cookieLogin)) func `A client with a cookie jar sends no cookie after its expiry`() async throws {
        let clock = ManualClock()
        let jar = CookieJar(clock: clock.wallClock())
        let server = try server(setting: "a=1; Max-Age=60", "b=2")
        let client = Client(
            baseURL: try #require(URL(string: server.url)), transport: CurlTransport(),
            interceptors: [CookieInterceptor(jar)])
        for (path, wait) in [("set", 59.0), ("x", 1), ("x", 0)] {
            try await client.perform(.get(RoutePath(path)))
            clock.advance(by: wait)
        }
        expectEqual(sent(server), [[], ["a=1; b=2"], ["b=2"]])
    }

    @Test(.tags(.cookieLogin))
    func `A client with a cookie jar sends the last value that an answer set`() async throws {
        let server = try RawHTTPServer { request in .response(fields: ["Set-Cookie: sid=\(request.number)"]) }
        let client = try client(server.url)
        for _ in 0..<4 { try await client.perform(.get("x")) }
        expectEqual(sent(server), [[], ["sid=0"], ["sid=1"], ["sid=2"]])
    }

    @Test(.tags(.cookieLogin))
    func `A client with a cookie jar sends for another site's page only the cookies that SameSite allows`() async throws
    {
        let server = try server(
            setting: "strict=1; SameSite=Strict", "lax=1; SameSite=Lax", "unset=1", "all=1; SameSite=None; Secure")
        let jar = CookieJar(policy: CookiePolicy(trustsLoopback: true))
        let client = CurlTransport().intercepted(by: [CookieInterceptor(jar)])
        _ = try await client.respond(to: server.request(.get, "/set"))
        for (site, method) in [
            (RequestSite.sameSite, HTTPMethod.post), (.crossSite, .get), (.crossSiteNavigation, .get),
        ] {
            var request = server.request(method, "/x")
            request.site = site
            _ = try await client.respond(to: request)
        }
        expectEqual(sent(server), [[], ["strict=1; lax=1; unset=1; all=1"], ["all=1"], ["lax=1; unset=1; all=1"]])
    }

    @Test func `A client with a cookie jar also takes cookies of refusals and errors`() async throws {
        let server = try RawHTTPServer { request in
            .response(request.number == 0 ? 401 : 500, fields: ["Set-Cookie: n\(request.number)=1"])
        }
        let client = try client(server.url)
        for _ in 0..<2 { _ = try await client.perform(.raw(.get, "x")) }
        expectEqual(jar.cookies.map(\.name), ["n0", "n1"])
    }

    @Test
    func `A client with a cookie jar stores the cookies of a redirect and sends them to the next address`() async throws
    {
        let server = try RawHTTPServer { request in
            request.line.contains("/login")
                ? .response(302, fields: ["Location: /home", "Set-Cookie: sid=1", "Set-Cookie: old=; Max-Age=0"])
                : .response(body: "home")
        }
        jar.insert([try #require(Cookie(name: "old", value: "0", domain: "127.0.0.1", created: Date()))])
        let response = try await client(server.url).perform(.raw(.post, "login", sending: .body(HTTPBody("a=b"))))
        expectEqual(response.body.text, "home")
        expectEqual(sent(server), [["old=0"], ["sid=1"]])
    }

    @Test func `A client with a cookie jar gives each origin of a redirect its own cookies`() async throws {
        let target = try RawHTTPServer { _ in .response(fields: ["Set-Cookie: there=1"], body: "end") }
        let elsewhere = "http://localhost:\(target.port)"
        let server = try RawHTTPServer { request in
            request.line.contains("/start")
                ? .response(302, fields: ["Location: \(elsewhere)/end", "Set-Cookie: here=1"]) : .response()
        }
        let client = try client(server.url)
        let route = Route<HTTPResponse>.raw(.get, "start").field(.cookie, "mine=1")
        try await expectEqual(client.perform(route).body.text, "end")
        _ = try await client.perform(route)
        expectEqual(sent(server), [["mine=1"], ["mine=1; here=1"]])
        expectEqual(sent(target), [[], ["there=1"]])
    }

    @Test
    func `A client with a cookie jar keeps the cookie that the caller wrote, and sends no name twice`() async throws {
        let server = try server(setting: "a=jar", "b=jar", "bare")
        let client = try client(server.url)
        try await client.perform(.get("set"))
        for field in ["a=mine", "c=3;a=mine; ;", "A=other", "mine", "b=\u{301}; a"] {
            try await client.perform(Route<Void>.get("x").field(.cookie, field))
        }
        expectEqual(
            sent(server).dropFirst(),
            [
                ["a=mine; b=jar; bare"], ["c=3; a=mine; b=jar; bare"], ["A=other; a=jar; b=jar; bare"],
                ["mine; a=jar; b=jar"], ["b=\u{301}; a; a=jar"],
            ])
    }

    @Test
    func `A client with a cookie jar lets no cookie without a name pass for another of the caller`() async throws {
        let server = try server(setting: "=a=hidden", "b=1")
        let client = try client(server.url)
        try await client.perform(.get("set"))
        try await client.perform(Route<Void>.get("x").field(.cookie, "a=mine"))
        expectEqual(sent(server), [[], ["a=mine; b=1"]])
        expectEqual(jar.cookies.map(\.value), ["a=hidden", "1"])
    }

    @Test func `A client with a cookie jar joins several lines that the caller wrote into one`() async throws {
        let server = try server(setting: "a=jar", "b=jar")
        let doubled = ClosureInterceptor { request, next in
            var request = request
            if request.path == "/x" {
                request.fields.append("a=1", for: .cookie)
                request.fields.append("c=2", for: .cookie)
            }
            return try await next.respond(to: request)
        }
        let client = try client(server.url, after: [doubled])
        for path in ["set", "x"] { try await client.perform(.get(RoutePath(path))) }
        expectEqual(sent(server), [[], ["a=1; c=2; b=jar"]])
    }

    @Test func `A client with a cookie jar serves two jars as two users`() async throws {
        let server = try RawHTTPServer { request in
            .response(
                fields: request.line.contains("/set/")
                    ? ["Set-Cookie: sid=\(request.line.dropFirst(9).prefix(1)); Path=/"] : [])
        }
        let other = CookieJar()
        let one = try client(server.url)
        let two = Client(
            baseURL: try #require(URL(string: server.url)), transport: CurlTransport(),
            interceptors: [CookieInterceptor(other)])
        try await one.perform(.get("set/1"))
        try await two.perform(.get("set/2"))
        try await one.perform(.get("x"))
        try await two.perform(.get("x"))
        expectEqual(sent(server), [[], [], ["sid=1"], ["sid=2"]])
    }

    @Test func `A client with a cookie jar also works around a handler that is not a client`() async throws {
        let handler = ClosureHandler { request in
            HTTPResponse(
                status: .ok, fields: [.setCookie: "n=1"], body: HTTPBody(request.fields[.cookie] ?? "none"))
        }.intercepted(by: [CookieInterceptor(jar)])
        let request = HTTPRequest(authority: "a.example.com", path: "/")
        try await expectEqual(handler.respond(to: request).body.text, "none")
        try await expectEqual(handler.respond(to: request).body.text, "n=1")
    }
}
