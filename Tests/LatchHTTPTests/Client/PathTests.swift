// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct PathTests {
    private func target(_ base: String, _ path: String, query: [(String, String)] = []) throws -> String {
        let url = try #require(URL(string: base))
        return try Client(baseURL: url).request(.get, RoutePath(path), query: query).absoluteURL
    }

    @Test(arguments: [
        ("https://h", "", "https://h/"),
        ("https://h/", "", "https://h/"),
        ("https://h", "users", "https://h/users"),
        ("https://h", "/users", "https://h/users"),
        ("https://h/v1", "users/1", "https://h/v1/users/1"),
        ("https://h/v1/", "/users/1", "https://h/v1/users/1"),
        ("https://h/v1", "users/", "https://h/v1/users/"),
        ("https://h/v1", "", "https://h/v1"),
        ("https://h:8443/v1", "a", "https://h:8443/v1/a"),
        ("https://h/v1?key=1", "users", "https://h/v1/users?key=1"),
        ("https://h/v1?key=1", "users?b=2", "https://h/v1/users?key=1&b=2"),
        ("https://h", "users/josé", "https://h/users/jos%C3%A9"),
        ("https://h", "a b", "https://h/a%20b"),
        ("https://h", "a%20b", "https://h/a%20b"),
        ("https://h", "a%2Fb", "https://h/a%2Fb"),
        ("https://h", "users:batch", "https://h/users:batch"),
        ("https://h", "a..b/...", "https://h/a..b/..."),
        ("https://h", "search?next=/a/../b", "https://h/search?next=/a/../b"),
    ])
    func `A path under a base URL is joined so that the base stays`(base: String, path: String, expected: String) throws
    {
        try expectEqual(target(base, path), expected)
    }

    @Test(arguments: [
        "..", "../admin", "a/../../b", "a/..", ".", "./a", "%2e%2e/a", "%2E./a", ".%2e", "a%2f..%2fb", "..%2Fadmin",
        "//evil.example", "///x", "https://evil.example/", "http://evil.example", "a/https://x", "\\evil", "a\\..\\b",
        "a%5cb", "a%5C..", "..\\..", "a#b", "a%", "a%2", "a%zz", "a\r\nX: y", "a\u{0}", "a\tb", "\u{7F}",
        "../\u{301}x", "a/../\u{301}", "a\\\u{301}",
    ])
    func `A path under a base URL is refused if it could lead elsewhere`(path: String) {
        #expect(throws: HTTPError.self) { try target("https://h/v1", path) }
    }

    @Test func `A path under a base URL keeps its query unchanged`() async throws {
        let pairs = [
            ("plus", "a+b"), ("amp", "a&b=c"), ("percent", "100%25"), ("space", "a b "), ("semi;colon", "x;y"),
            ("ünï", "日本 🦊"), ("empty", ""), ("same", "1"), ("same", "2"), ("hash", "#?/"), ("quote", "\"'<>\\"),
            ("line", "a\r\nb\u{0}"), ("=", "=="),
        ]
        let server = try RawHTTPServer { _ in .response(204) }
        let base = try #require(URL(string: server.url))
        let request = try Client(baseURL: base).request(.get, "q", query: pairs)
        _ = try await CurlTransport().respond(to: request)
        let sent = try #require(server.requests.first?.line.split(separator: " ").dropFirst().first)
        let received = HTTPRequest(authority: "h", path: String(sent))
        expectEqual(received.queryItems.map { [$0.name, $0.value] }, pairs.map { [$0.0, $0.1] })
    }

    @Test func `A path under a base URL is not joined to a base that cannot be requested`() async throws {
        for base in ["ftp://h/", "https://user:pw@h/", "mailto:a@b", "relative"] {
            let client = Client(baseURL: try #require(URL(string: base)))
            let error = await #expect(throws: HTTPError.self) { try await client.perform(.get("a")) }
            expectEqual(error?.code, HTTPError.invalidURL.code)
        }
    }
}
