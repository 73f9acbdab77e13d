// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestTags
import Testing

@Suite struct RoutePathTests {
    private let client: Client

    init() throws { client = Client(baseURL: try #require(URL(string: "https://h/v1"))) }

    private func path(_ path: RoutePath) throws -> String { try client.request(.get, path).path }

    @Test func `A path with values names its kind for metrics and logs, and shows none of the values`() throws {
        func template(_ path: RoutePath) throws -> String? { try client.request(.get, path).template }
        try expectEqual(template("notes"), "/v1/notes")
        try expectEqual(template("/notes?limit=5"), "/v1/notes")
        let id = "ada"
        try expectEqual(template("users/\(id)/notes/\(7)"), "/v1/users/{}/notes/{}")
        let inner: RoutePath = "users/\(id)"
        try expectEqual(template("\(inner)/notes?after=\(id)"), "/v1/users/{}/notes")
        let given = "users/ada"
        try expectEqual(template("\(RoutePath(given))/notes"), "/v1/{}/notes")
        try expectEqual(template(RoutePath(segments: ["users", id])), "/v1/{}/{}")
        // What comes as text may hold anything.
        try expectNil(template(RoutePath(given)))
    }

    @Test(
        .tags(.endpointSafety),
        arguments: [
            ("ada", "ada"), ("a b", "a%20b"), ("a/b", "a%2Fb"), ("a?b=c&d", "a%3Fb%3Dc%26d"), ("a#b", "a%23b"),
            ("%2e%2e", "%252e%252e"), ("a%2Fb", "a%252Fb"), ("https://evil.example", "https%3A%2F%2Fevil.example"),
            ("é", "%C3%A9"), ("🦊", "%F0%9F%A6%8A"), ("a;b", "a%3Bb"), ("...", "..."), ("a\r\nX: y", "a%0D%0AX%3A%20y"),
            (".a", ".a"), ("\u{301}", "%CC%81"),
        ])
    func `A path with values keeps each within its segment`(value: String, encoded: String) throws {
        try expectEqual(path("users/\(value)/notes"), "/v1/users/\(encoded)/notes")
        try expectEqual(path("users/\(value)"), "/v1/users/\(encoded)")
        try expectEqual(path("\(value)"), "/v1/\(encoded)")
        try expectEqual(path(RoutePath(segments: ["users", value])), "/v1/users/\(encoded)")
        try expectEqual(path("users?next=\(value)"), "/v1/users?next=\(encoded)")
    }

    @Test(
        .tags(.endpointSafety),
        arguments: [
            "", ".", "..", "../admin", "a/../b", "..\\admin", "a\\b", "..;", "..;x=1", ".;a", "a/..;/b", "a\u{0}",
            "/..",
        ])
    func `A path with values is refused if a value would lead elsewhere`(value: String) {
        #expect(throws: HTTPError.invalidURL) { try path("users/\(value)/notes") }
        #expect(throws: HTTPError.invalidURL) { try path("users/\(value)") }
        #expect(throws: HTTPError.invalidURL) { try path(RoutePath(segments: ["users", value])) }
    }

    @Test(.tags(.endpointSafety)) func `A path with values is refused if values form dots together`() {
        let dot = "."
        #expect(throws: HTTPError.invalidURL) { try path("\(dot)\(dot)/x") }
        #expect(throws: HTTPError.invalidURL) { try path("a/.\(dot)") }
    }

    @Test func `A path with values lets an empty value be a part of a segment or of a query`() throws {
        let nothing = ""
        try expectEqual(path("file\(nothing).txt"), "/v1/file.txt")
        try expectEqual(path("\(nothing)file"), "/v1/file")
        try expectEqual(path("a/\(nothing)\("b")"), "/v1/a/b")
        try expectEqual(path("users?after=\(nothing)"), "/v1/users?after=")
        #expect(throws: HTTPError.invalidURL) { try path("users/\(nothing)?x=1") }
        #expect(throws: HTTPError.invalidURL) { try path("users/\(nothing)\(nothing)") }
    }

    @Test func `A path with values takes any value with one spelling`() throws {
        let id = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
        try expectEqual(path("a/\(7)/\(id)/\(true)/\("x"[...])"), "/v1/a/7/\(id.uuidString)/true/x")
    }

    @Test func `A path with values takes an existing path`() throws {
        let folder = RoutePath("a/b")
        try expectEqual(path("\(folder)/\("c/d")"), "/v1/a/b/c%2Fd")
        #expect(throws: HTTPError.invalidURL) { try path("x/\("users/\("")" as RoutePath)") }
    }

    @Test func `A path with values is shown and compared by its spelling`() {
        let value = "a/b"
        expectEqual("users/\(value)" as RoutePath, "users/a%2Fb")
        expectEqual(("users/\(value)" as RoutePath).description, "users/a%2Fb")
        expectNotEqual("users/\(value)" as RoutePath, "users/a/b")
    }

    @Test(.tags(.endpointSafety), arguments: 0..<8 as Range<UInt64>)
    func `A path with values is split by a server into the given segments`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var accepted = 0
        for _ in 0..<400 {
            let values = (0..<1 + random.below(4)).map { _ in random.text(upTo: 5) }
            let target: String
            do { target = try path(RoutePath(segments: values)) } catch {
                // What is refused is so for a reason that a person sees.
                #expect(
                    values.contains { value in
                        value.isEmpty || value.utf8.contains { [0x00, 0x5C].contains($0) }
                            || value.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).contains {
                                [".", ".."].contains(String(decoding: $0.prefix { $0 != 0x3B }, as: UTF8.self))
                            }
                    }, "seed \(seed): \(values)")
                continue
            }
            accepted += 1
            let segments = target.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2)
            expectEqual(segments.count, values.count, "seed \(seed): \(values)")
            for (segment, value) in zip(segments, values) {
                expectEqual(
                    percentDecoded(segment.utf8, plusIsSpace: false).map { Array($0.utf8) }, Array(value.utf8),
                    "seed \(seed): \(values)")
            }
        }
        #expect(accepted > 50)
    }
}

@Suite struct BaseURLTests {
    private func problem(_ base: String) throws -> HTTPError? {
        let client = Client(baseURL: try #require(URL(string: base)))
        do { _ = try client.request(.get, "a") } catch { return error }
        return nil
    }

    @Test(
        .tags(.endpointSafety),
        arguments: [
            "https://user@h", "https://user:pw@h", "https://h@evil.example", "https://[fe80::1%25eth0]", "https://h:",
            "https://h:65536", "ftp://h", "https:h", "//h/a", "file:///etc", "https:///a",
        ])
    func `A base URL is refused if readers could disagree about its host`(base: String) throws {
        try expectEqual(problem(base), HTTPError.invalidURL)
    }

    @Test(
        .tags(.endpointSafety),
        arguments: ["https://h", "https://h:8443/v1/", "https://[::1]:8443", "https://h/v1?key=1", "HTTPS://H/"])
    func `A base URL is accepted if readers cannot disagree about its host`(base: String) throws {
        try expectNil(problem(base))
    }

    /// Foundation writes names of other scripts in the letters of the wire (RFC 5891), or makes no URL of them.
    @Test(.tags(.endpointSafety)) func `A base URL with a name of another script stands for its ASCII form`() throws {
        guard let url = URL(string: "https://bücher.example/v1") else { return }
        let request = try Client(baseURL: url).request(.get, "a")
        expectEqual(request.authority, "xn--bcher-kva.example")
    }
}
