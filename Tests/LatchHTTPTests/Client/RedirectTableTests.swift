// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

/// Every status, method and border together, over a transport that writes down what it is asked.
@Suite struct RedirectTableTests {
    private enum Border: CaseIterable {
        case none, otherPort, otherHost, upwards, downwards

        var urls: (from: String, to: String) {
            switch self {
            case .none: ("https://h/start", "https://h:443/end")
            case .otherPort: ("https://h/start", "https://h:8443/end")
            case .otherHost: ("https://h/start", "https://g.h/end")
            case .upwards: ("http://127.0.0.1/start", "https://127.0.0.1/end")
            case .downwards: ("https://127.0.0.1/start", "http://127.0.0.1/end")
            }
        }
    }

    private static let always: HTTPFields = [
        .authorization: "Bearer secret", .cookie: "secret", "Proxy-Authorization": "secret", "DPoP": "secret",
        "X-Api-Key": "secret", .accept: "text/plain", .contentType: "text/x", "Content-Language": "en",
        "Content-Encoding": "x", "Content-Location": "/x", "Digest": "x", "Last-Modified": "x", .host: "stale",
    ]

    private func follow(
        _ status: Int, _ method: HTTPMethod, _ border: Border, body: HTTPBody, policy: RedirectPolicy
    ) async throws -> [HTTPRequest] {
        let seen = Recording<HTTPRequest>()
        let transport = ClosureHandler { request in
            seen.add(request)
            guard request.path == "/start" else { return HTTPResponse(status: .ok) }
            return HTTPResponse(status: HTTPStatus(rawValue: status), fields: [.location: border.urls.to])
        }
        let client = Client(baseURL: try #require(URL(string: "https://h")), transport: transport, redirects: policy)
        var request = try HTTPRequest(
            method: method, url: #require(URL(string: border.urls.from)), fields: Self.always, body: body)
        request.credentialFields = ["X-Api-Key"]
        _ = try await client.respond(to: request)
        return seen.entries
    }

    /// RFC 9110 §15.4, written again as a table.
    private func methodAfter(_ status: Int, _ method: HTTPMethod) -> HTTPMethod {
        switch (status, method) {
        case (303, .head): .head
        case (303, _), (301, .post), (302, .post): .get
        default: method
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func `Each kind of redirect changes the method, the content and the credentials as required`(
        status: Int, name: String
    ) async throws {
        let method = HTTPMethod(rawValue: name)
        let expected = methodAfter(status, method)
        for border in Border.allCases where border != .downwards {
            let body = method == .head ? HTTPBody.empty : HTTPBody("content")
            let policy = RedirectPolicy(sendsContentToOtherOrigins: true)
            let requests = try await follow(status, method, border, body: body, policy: policy)
            let last = try #require(requests.last)
            let what = Comment("\(status) \(name) \(border)")
            expectEqual(requests.count, 2, what)
            expectEqual(last.method, expected, what)
            expectEqual(last.absoluteURL, border.urls.to.replacing(":443", with: ""), what)
            expectEqual(last.body, expected == method && !(status == 303 && method == .get) ? body : .empty, what)
            expectEqual(last.fields[.accept], "text/plain", what)
            expectNil(last.fields[.host], what)
            let isSame = border == .none
            expectEqual(last.fields[.authorization], isSame ? "Bearer secret" : nil, what)
            expectEqual(last.fields.contains { $0.value == "secret" }, isSame, what)
        }
    }

    @Test(arguments: [(301, "POST"), (302, "POST"), (303, "POST"), (303, "PUT"), (303, "DELETE")])
    func `Each kind of redirect that drops the content drops its describing fields`(status: Int, name: String)
        async throws
    {
        let last = try #require(
            await follow(status, HTTPMethod(rawValue: name), .none, body: HTTPBody("x"), policy: RedirectPolicy()).last)
        expectEqual(last.method, .get)
        let names = last.fields.map(\.name.canonicalName)
        expectEqual(names, ["authorization", "cookie", "proxy-authorization", "dpop", "x-api-key", "accept"])
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["GET", "POST"])
    func `Each kind of redirect from https to http is refused, even to this machine`(status: Int, name: String)
        async throws
    {
        await #expect(throws: HTTPError.redirectRefused) {
            try await follow(
                status, HTTPMethod(rawValue: name), .downwards, body: .empty,
                policy: RedirectPolicy(sendsContentToOtherOrigins: true))
        }
    }

    @Test(arguments: [(301, "PUT"), (302, "PATCH"), (307, "POST"), (308, "POST"), (308, "DELETE"), (307, "GET")])
    func `Each kind of redirect that would carry content to another origin is refused`(status: Int, name: String)
        async throws
    {
        for border in [Border.otherHost, .otherPort, .upwards] {
            await #expect(throws: HTTPError.redirectRefused, "\(border)") {
                try await follow(
                    status, HTTPMethod(rawValue: name), border, body: HTTPBody("secret"), policy: RedirectPolicy())
            }
        }
    }

    @Test(arguments: [300, 304, 305, 306, 309, 200, 201, 401])
    func `No status outside the list is a redirect, whatever location it names`(status: Int) async throws {
        let requests = try await follow(status, .get, .otherHost, body: .empty, policy: RedirectPolicy())
        expectEqual(requests.count, 1)
    }
}

@Suite struct RedirectAddressTests {
    private func path(of location: String?, maximum: Int = 10) async throws -> [String] {
        let seen = Recording<String>()
        let transport = ClosureHandler { request in
            seen.add(request.absoluteURL)
            guard seen.entries.count == 1 else { return HTTPResponse(status: .ok) }
            var response = HTTPResponse(status: 302)
            response.fields[.location] = location
            return response
        }
        let client = Client(
            baseURL: try #require(URL(string: "https://h/a")), transport: transport,
            redirects: RedirectPolicy(maximum: maximum))
        _ = try await client.perform(.raw(.get, "b/c", query: [("q", "1")]))
        return Array(seen.entries.dropFirst())
    }

    @Test(arguments: [
        ("d", "https://h/a/b/d"), ("./d", "https://h/a/b/d"), ("../d", "https://h/a/d"), ("../../../d", "https://h/d"),
        ("/d", "https://h/d"), ("//g/d", "https://g/d"), ("//g:1", "https://g:1/"), ("https://g", "https://g/"),
        ("HTTPS://G/d", "https://g/d"), ("?x=1", "https://h/a/b/c?x=1"), ("d#top", "https://h/a/b/d"),
        ("/d?x=%2F", "https://h/d?x=%2F"), ("https://h:443/d", "https://h/d"), ("/a%20b", "https://h/a%20b"),
    ])
    func `The address of a redirect is resolved against the requested one`(location: String, target: String)
        async throws
    {
        try await expectEqual(path(of: location), [target])
    }

    @Test(arguments: [
        "https://", "https:///d", "https://u:p@g/", "https://g:99999/", "https://[::1/", "ftp://g/d",
        "data:text/plain,x",
        "javascript:alert(1)", "file:///etc/passwd", "mailto:a@b", "https://g\\@h/",
    ])
    func `The address of a redirect that cannot be requested is refused`(location: String) async {
        await #expect(throws: HTTPError.redirectRefused) { try await path(of: location) }
    }

    @Test func `The address of a redirect can be missing, and then the answer is returned`() async throws {
        #expect(try await path(of: nil).isEmpty)
        #expect(try await path(of: "").isEmpty)
    }

    @Test(arguments: [(0, 1), (-1, 1), (1, 2), (3, 4)])
    func `The address of a redirect is followed as often as allowed and no more`(maximum: Int, asked: Int) async throws
    {
        let seen = Recording<String>()
        let transport = ClosureHandler { request in
            seen.add(request.path)
            return HTTPResponse(status: 307, fields: [.location: "/\(seen.entries.count)"])
        }
        let client = Client(
            baseURL: try #require(URL(string: "https://h")), transport: transport,
            redirects: RedirectPolicy(maximum: maximum))
        if maximum > 0 {
            await #expect(throws: HTTPError.redirectRefused) { try await client.perform(.raw(.get, "0")) }
        } else {
            try await expectEqual(client.perform(.raw(.get, "0")).status, 307)
        }
        expectEqual(seen.entries, (0..<asked).map { "/\($0)" })
    }

    @Test
    func `The address of a plain-http redirect is refused before sending, unless all hosts are allowed`() async throws {
        let seen = Recording<String>()
        let transport = ClosureHandler { request in
            seen.add(request.absoluteURL)
            let isFirst = seen.entries.count == 1
            return HTTPResponse(status: isFirst ? 302 : 200, fields: isFirst ? [.location: "http://g/"] : [:])
        }
        let base = try #require(URL(string: "http://h"))
        let careless = Client(
            baseURL: base, transport: transport, allowingInsecureHTTP: .anyHostWithoutEncryption)
        _ = try await careless.perform(.raw(.get, ""))
        expectEqual(seen.entries, ["http://h/", "http://g/"])
        let careful = Client(baseURL: base, transport: transport)
        await #expect(throws: HTTPError.insecureURL) { try await careful.perform(.raw(.get, "")) }
        expectEqual(seen.entries.count, 2)
    }
}
