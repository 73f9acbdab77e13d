// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct RedirectTests {
    private func client(
        _ base: String, _ interceptors: [any Interceptor] = [], redirects: RedirectPolicy = RedirectPolicy(),
        insecure: InsecureHTTP = .loopbackOnly
    ) throws -> Client {
        Client(
            baseURL: try #require(URL(string: base)), transport: CurlTransport(), interceptors: interceptors,
            allowingInsecureHTTP: insecure, redirects: redirects)
    }

    private func redirecting(_ status: Int, to location: String) throws -> RawHTTPServer {
        try RawHTTPServer { request in
            request.line.contains(" /start ")
                ? .response(status, fields: ["Location: \(location)"]) : .response(body: "end")
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `A redirect is followed to a path of the same origin with the credential kept`(status: Int) async throws {
        let server = try redirecting(status, to: "/end?x=1")
        let response = try await client(server.url).perform(
            .raw(.get, "start").field(.authorization, "Bearer secret").field(.cookie, "a=b"))
        expectEqual(response.body.text, "end")
        expectEqual(server.requests.map(\.line), ["GET /start HTTP/1.1", "GET /end?x=1 HTTP/1.1"])
        expectEqual(server.requests.last?.values(of: "Authorization"), ["Bearer secret"])
        expectEqual(server.requests.last?.values(of: "Cookie"), ["a=b"])
    }

    // Reports 1 in Documentation/PublicReports.md.
    @Test(arguments: [
        ("/x/a%20b c", "/x/a%20b%20c"), ("/x/a?sig=a%2Bb&tags=[x]", "/x/a?sig=a%2Bb&tags=%5Bx%5D"),
        ("/é?q=100%", "/%C3%A9?q=100%25"), ("?q=a%20b|c", "/start?q=a%20b%7Cc"),
    ])
    func `A redirect keeps encoded parts of its target, and encodes the rest`(location: String, path: String)
        async throws
    {
        let paths = Recording<String>()
        let transport = ClosureHandler { request in
            paths.add(request.path)
            return paths.entries.count > 1
                ? HTTPResponse(status: .ok) : HTTPResponse(status: 302, fields: [.location: location])
        }
        let client = Client(baseURL: try #require(URL(string: "https://h")), transport: transport)
        _ = try await client.perform(.raw(.get, "start"))
        expectEqual(paths.entries, ["/start", path])
    }

    @Test func `A redirect is resolved against a target with characters that a URL must not have`() async throws {
        let paths = Recording<String>()
        let transport = ClosureHandler { request in
            paths.add(request.path)
            return paths.entries.count > 1
                ? HTTPResponse(status: .ok) : HTTPResponse(status: 302, fields: [.location: "?next=%20"])
        }
        let client = Client(baseURL: try #require(URL(string: "https://h")), transport: transport)
        _ = try await client.respond(to: HTTPRequest(authority: "h", path: "/a%20b/[c]?d"))
        expectEqual(paths.entries, ["/a%20b/[c]?d", "/a%20b/%5Bc%5D?next=%20"])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `A redirect to another origin carries no credential`(status: Int) async throws {
        let target = try RawHTTPServer { _ in .response(body: "end") }
        let server = try redirecting(status, to: "\(target.url)/end")
        let key = ClosureInterceptor { request, next in
            var request = request
            request.fields["X-Api-Key"] = "secret"
            request.credentialFields.append("X-Api-Key")
            request.fields[.authorization] = "Bearer secret"
            request.fields[.cookie] = "session=secret"
            request.fields["Proxy-Authorization"] = "Basic secret"
            return try await next.respond(to: request)
        }
        let response = try await client(server.url, [key]).perform(.raw(.get, "start").field(.accept, "text/plain"))
        expectEqual(response.body.text, "end")
        expectEqual(server.requests.first?.head.contains("secret"), true)
        let head = try #require(target.requests.first?.head)
        #expect(!head.contains("secret"))
        expectEqual(target.requests.first?.values(of: "Accept"), ["text/plain"])
        expectEqual(target.requests.first?.values(of: "Host"), ["127.0.0.1:\(target.port)"])
    }

    @Test func `A redirect back to the first origin does not bring the credential back`() async throws {
        let home = try RawHTTPServer { request in
            request.line.contains("/start")
                ? .response(302, fields: ["Location: \(request.values(of: "X-Via")[0])/x"])
                : .response(body: "home")
        }
        let detour = try RawHTTPServer { _ in .response(302, fields: ["Location: \(home.url)/end"]) }
        let response = try await client(home.url).perform(
            .raw(.get, "start").field("X-Via", detour.url).field(.authorization, "Bearer secret"))
        expectEqual(response.body.text, "home")
        expectEqual(home.requests.last?.line, "GET /end HTTP/1.1")
        expectEqual(home.requests.last?.values(of: "Authorization"), [])
    }

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func `A redirect of a POST keeps method and content for 307 and 308 only`(status: Int, method: String) async throws
    {
        let server = try redirecting(status, to: "/end")
        _ = try await client(server.url).perform(
            .raw(.post, "start", sending: .body(HTTPBody("a=b"))).field(.contentType, "text/x"))
        let last = try #require(server.requests.last)
        expectEqual(last.line, "\(method) /end HTTP/1.1")
        expectEqual(last.body, method == "POST" ? Array("a=b".utf8) : [])
        expectEqual(last.values(of: "Content-Type"), method == "POST" ? ["text/x"] : [])
    }

    @Test(arguments: [(301, "PUT"), (302, "PUT"), (303, "GET"), (307, "PUT")])
    func `A redirect of a PUT becomes GET for 303 only`(status: Int, method: String) async throws {
        let server = try redirecting(status, to: "/end")
        _ = try await client(server.url).perform(.raw(.put, "start", sending: .body(HTTPBody("x"))))
        expectEqual(server.requests.last?.line, "\(method) /end HTTP/1.1")
    }

    @Test func `A redirect of a HEAD stays a HEAD`() async throws {
        let server = try RawHTTPServer { request in
            request.line.contains("/start") ? .response(303, fields: ["Location: end"]) : .response()
        }
        _ = try await client(server.url).perform(.raw(.head, "start"))
        expectEqual(server.requests.last?.line, "HEAD /end HTTP/1.1")
    }

    @Test func `A redirect does not carry content to another origin unless that was allowed`() async throws {
        let target = try RawHTTPServer { _ in .response(body: "end") }
        let server = try redirecting(307, to: "\(target.url)/end")
        let route = Route.raw(.post, "start", sending: .body(HTTPBody("refresh_token=secret")))
        let error = await #expect(throws: HTTPError.self) { try await client(server.url).perform(route) }
        expectEqual(error?.code, HTTPError.redirectRefused.code)
        #expect(target.requests.isEmpty)
        let policy = RedirectPolicy(sendsContentToOtherOrigins: true)
        try await expectEqual(client(server.url, redirects: policy).perform(route).body.text, "end")
        expectEqual(target.requests.first?.body, Array("refresh_token=secret".utf8))
    }

    @Test func `A redirect that never ends is given up`() async throws {
        let server = try RawHTTPServer { _ in .response(302, fields: ["Location: /again"]) }
        let client = try client(server.url, redirects: RedirectPolicy(maximum: 4))
        let error = await #expect(throws: HTTPError.self) { try await client.perform(.get("start")) }
        expectEqual(error?.code, HTTPError.redirectRefused.code)
        expectEqual(server.requests.count, 5)
    }

    @Test func `A redirect is an answer like any other if none is followed`() async throws {
        let server = try redirecting(302, to: "/end")
        let response = try await client(server.url, redirects: .none).perform(.raw(.get, "start"))
        expectEqual(response.status, 302)
    }

    @Test(arguments: [
        "http://api.example/", "http://localhost:1/", "http://127.0.0.1/", "ftp://h/", "https://user@h/",
        "javascript:x",
        "http:///", "https://h:99999/",
    ])
    func `A redirect from https to any other scheme is refused`(location: String) async throws {
        let asked = Recording<Int>()
        let transport = ClosureHandler { _ in
            asked.add(1)
            return HTTPResponse(status: 302, fields: [.location: location])
        }
        let client = Client(baseURL: try #require(URL(string: "https://api.example")), transport: transport)
        let error = await #expect(throws: HTTPError.self) { try await client.perform(.get("start")) }
        expectEqual(error?.code, HTTPError.redirectRefused.code)
        expectEqual(asked.entries.count, 1)
    }

    @Test func `A redirect from loopback http to another host's http is refused`() async throws {
        let server = try redirecting(302, to: "http://192.0.2.1/")
        let error = await #expect(throws: HTTPError.self) { try await client(server.url).perform(.get("start")) }
        expectEqual(error?.code, HTTPError.redirectRefused.code)
    }

    @Test(arguments: [
        ("end", "/a/end"), ("../end", "/end"), ("?q=1", "/a/start?q=1"), ("./end#part", "/a/end"),
        ("/x/../end", "/end"),
    ])
    func `A redirect can be relative to the requested address`(location: String, target: String) async throws {
        let server = try RawHTTPServer { request in
            request.number == 0 ? .response(302, fields: ["Location: \(location)"]) : .response(body: "end")
        }
        _ = try await client(server.url).perform(.raw(.get, "a/start"))
        expectEqual(server.requests.last?.line, "GET \(target) HTTP/1.1")
    }

    @Test func `A redirect shows the interceptors only the first request and the last answer`() async throws {
        let server = try redirecting(302, to: "/end")
        let seen = Recording<String>()
        let watch = ClosureInterceptor { request, next in
            seen.add(request.path)
            let response = try await next.respond(to: request)
            seen.add(response.status.description)
            return response
        }
        _ = try await client(server.url, [watch]).perform(.raw(.get, "start"))
        expectEqual(seen.entries, ["/start", "200"])
    }
}
