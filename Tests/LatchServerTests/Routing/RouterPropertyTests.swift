// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import Testing

/// A comparison of the router with a linear search of the same patterns.
@Suite struct RouterPropertyTests {
    /// A deterministic random number generator (xorshift).
    struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    /// The result of the reference: the pattern and the values of its parameters.
    struct Found: Equatable, CustomStringConvertible {
        var pattern: [String]
        var values: [String]

        var description: String { "/" + pattern.joined(separator: "/") + " " + values.joined(separator: ",") }
    }

    static let words = [
        "a", "b", "ab", "", "users", "%41", "a b", "\u{E9}", "{x", "y}", "..",
        // Equally long, and different before or after the eighth byte.
        "segment-1", "segment-2", "segmenu-1", "sixteen-bytes-01", "sixteen-bytes-02",
    ]

    static func isParameter(_ segment: String) -> Bool {
        segment.count > 2 && segment.hasPrefix("{") && segment.hasSuffix("}")
    }

    static func pattern(_ dice: inout Dice) -> [String] {
        (0..<Int.random(in: 1...4, using: &dice)).map { index in
            Bool.random(using: &dice) ? words.randomElement(using: &dice) ?? "" : "{p\(index)}"
        }
    }

    /// Returns a path that is similar to the patterns, sometimes with an unnecessary escape.
    static func path(near patterns: [[String]], _ dice: inout Dice) -> [String] {
        let pattern = patterns.randomElement(using: &dice) ?? []
        return pattern.map { segment in
            if isParameter(segment) || Int.random(in: 0..<8, using: &dice) == 0 {
                return words.randomElement(using: &dice) ?? ""
            }
            return segment
        }
    }

    static func encoded(_ segment: String, _ dice: inout Dice) -> String {
        segment.utf8.map { byte in
            let isPlain = byte > 0x20 && byte < 0x7F && byte != 0x25 && byte != 0x2F && byte != 0x3F
            if isPlain, Int.random(in: 0..<4, using: &dice) > 0 { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: Bool.random(using: &dice))
        }
        .joined()
    }

    /// Returns whether a pattern takes precedence: it is literal at the first segment where they differ.
    static func reference(_ patterns: [[String]], _ path: [String]) -> Found? {
        let fitting = patterns.filter { pattern in
            guard pattern.count == path.count else { return false }
            return zip(pattern, path).allSatisfy { segment, word in
                isParameter(segment) ? !word.isEmpty && word != "." && word != ".." : segment == word
            }
        }
        let best = fitting.min { one, other in
            for (first, second) in zip(one, other) where isParameter(first) != isParameter(second) {
                return isParameter(second)
            }
            return false
        }
        return best.map { pattern in
            Found(pattern: pattern, values: zip(pattern, path).filter { isParameter($0.0) }.map(\.1))
        }
    }

    static func router(_ patterns: [[String]]) -> Router {
        var router = Router()
        for pattern in patterns {
            let names = pattern.filter(isParameter).map { String($0.dropFirst().dropLast()) }
            router.get("/" + pattern.joined(separator: "/")) { request in
                var lines = ["/" + pattern.joined(separator: "/")]
                lines.append(names.map { request.pathParameter($0) ?? "missing" }.joined(separator: ","))
                return HTTPResponse(status: .ok, body: HTTPBody(lines.joined(separator: " ")))
            }
        }
        return router
    }

    @Test(arguments: 1...60)
    func `A router of random routes finds the same endpoint as a linear search`(seed: UInt64) async throws {
        var dice = Dice(state: seed &* 0x9E37_79B9_7F4A_7C15)
        var patterns: [[String]] = []
        for _ in 0..<Int.random(in: 1...10, using: &dice) {
            let pattern = Self.pattern(&dice)
            if !patterns.contains(pattern) { patterns.append(pattern) }
        }
        let router = Self.router(patterns)
        for _ in 0..<60 {
            let words = Self.path(near: patterns, &dice)
            let path = "/" + words.map { Self.encoded($0, &dice) }.joined(separator: "/")
            let request = HTTPRequest(authority: "localhost", path: path)
            let response = try await router.respond(to: request)
            let expected = Self.reference(patterns, words)
            expectEqual(response.status, expected == nil ? .notFound : .ok, "\(path) of \(patterns)")
            if let expected { expectEqual(response.body.text, expected.description, "\(path) of \(patterns)") }
        }
    }

    @Test
    func `A router of random routes matches the decoded path, even if a pattern looks like an escape`() async throws {
        var router = Router()
        router.get("/a%2Fb") { _ in HTTPResponse(status: .ok) }
        for (path, status) in [("/a%2Fb", HTTPStatus.notFound), ("/a%252Fb", .ok), ("/%61%252Fb", .ok)] {
            try await expectEqual(router.respond(to: HTTPRequest(authority: "localhost", path: path)).status, status)
        }
    }

    @Test func `A router of random routes does not depend on the order of its routes`() async throws {
        let patterns = [["a"], ["{p0}"], ["a", "{p1}"], ["{p0}", "b"], ["{p0}", "{p1}"], ["a", "b", "{p2}"]]
        let paths = ["/a", "/x", "/a/b", "/x/b", "/a/x", "/x/y", "/a/b/c", "/x/b/c"]
        let (one, other) = (Self.router(patterns), Self.router(patterns.reversed()))
        for path in paths {
            let request = HTTPRequest(authority: "localhost", path: path)
            let (first, second) = (try await one.respond(to: request), try await other.respond(to: request))
            expectEqual(first.status, second.status)
            expectEqual(first.body.text, second.body.text, "\(path)")
        }
    }
}
