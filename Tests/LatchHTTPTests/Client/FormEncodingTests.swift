// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Testing

@Suite struct FormEncodingTests {
    @Test(
        arguments: [
            ([], ""), ([("a", "b")], "a=b"), ([("", "")], "="), ([("", ""), ("", "")], "=&="), ([("a", "")], "a="),
            ([("a", "1"), ("a", "2")], "a=1&a=2"), ([("a b", "c d")], "a%20b=c%20d"), ([("a", "+")], "a=%2B"),
            ([("a&b", "c=d")], "a%26b=c%3Dd"), ([("é", "日")], "%C3%A9=%E6%97%A5"),
            ([("a", "\u{0}\r\n")], "a=%00%0D%0A"),
            ([("a", "-._~")], "a=-._~"), ([("a", "!*'()")], "a=%21%2A%27%28%29"), ([("a", "%41")], "a=%2541"),
            ([("a", "🦊")], "a=%F0%9F%A6%8A"), ([("a", "/?#[]@:")], "a=%2F%3F%23%5B%5D%40%3A"),
        ] as [([(String, String)], String)])
    func `Pairs in a form or a query are encoded except for the unreserved characters`(
        pairs: [(String, String)], text: String
    ) {
        expectEqual(FormEncoding.encode(pairs), text)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Pairs in a form or a query are read as they were written, by the server and by Foundation`(seed: UInt64)
        throws
    {
        var random = SplitMix64(state: seed)
        for _ in 0..<200 {
            let pairs = (0..<random.below(5)).map { _ in (random.text(upTo: 6), random.text(upTo: 6)) }
            let text = FormEncoding.encode(pairs)
            let request = HTTPRequest(authority: "h", path: "/?\(text)")
            let names = pairs.map { Array($0.0.utf8) }
            let values = pairs.map { Array($0.1.utf8) }
            expectEqual(request.queryItems.map { Array($0.name.utf8) }, names, "seed \(seed): \(text)")
            expectEqual(request.queryItems.map { Array($0.value.utf8) }, values, "seed \(seed): \(text)")
            let theirs = try #require(URLComponents(string: "https://h/?\(text)")).queryItems ?? []
            expectEqual(
                theirs.filter { !text.isEmpty || !$0.name.isEmpty }.map(\.value).count, pairs.count, "seed \(seed)")
            // Foundation takes a byte order mark away where a text begins with one.
            let mark = "\u{FEFF}" as Unicode.Scalar
            for (item, pair) in zip(theirs, pairs)
            where ![pair.0.unicodeScalars.first, pair.1.unicodeScalars.first].contains(mark) {
                #expect(item.name.unicodeScalars.elementsEqual(pair.0.unicodeScalars), "seed \(seed): \(text)")
                expectEqual(
                    item.value?.unicodeScalars.elementsEqual(pair.1.unicodeScalars), true, "seed \(seed): \(text)")
            }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Pairs in a form or a query hold no byte with a meaning in a URL`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%".utf8)
        for _ in 0..<300 {
            let text = FormEncoding.encode([(random.text(upTo: 10), random.text(upTo: 10))])
            let pieces = text.split(separator: "=", omittingEmptySubsequences: false)
            expectEqual(pieces.count, 2, "seed \(seed): \(text)")
            #expect(pieces.joined().utf8.allSatisfy(plain.contains), "seed \(seed): \(text)")
        }
    }
}

@Suite struct RandomPathTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `A random path under a base URL is refused or stays under the base, for us and for Foundation`(seed: UInt64)
        throws
    {
        var random = SplitMix64(state: seed)
        let pieces = [
            "/", "..", ".", "%2e", "%2F", "\\", "%5c", "//", ":", "a", "é", "?", "#", "@", "http:", " ", "\u{301}",
        ]
        let client = Client(baseURL: try #require(URL(string: "https://h:8443/v1/api?key=1")))
        var accepted = 0
        for _ in 0..<1_500 {
            let path = (0..<random.below(8)).map { _ in random.pick(pieces) }.joined()
            let request: HTTPRequest
            do { request = try client.request(.get, RoutePath(path)) } catch {
                expectEqual(error, HTTPError.invalidURL)
                continue
            }
            accepted += 1
            expectEqual(request.origin.description, "https://h:8443", "seed \(seed): \(path)")
            try request.validateForSending()
            let url = try #require(URL(string: request.absoluteURL), "seed \(seed): \(path)").standardized
            expectEqual(url.host(), "h", "seed \(seed): \(path)")
            #expect(
                url.path == "/v1/api" || url.path.utf8.starts(with: "/v1/api/".utf8),
                "seed \(seed): \(path) became \(url)")
            expectEqual(request.query?.utf8.starts(with: "key=1".utf8), true, "seed \(seed): \(path)")
        }
        #expect(accepted > 50)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `A random path under a base URL of one encoded segment decodes to that segment`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let client = Client(baseURL: try #require(URL(string: "https://h/users")))
        let unreserved = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~")
        for _ in 0..<300 {
            let name = random.text(upTo: 8)
            let segment = try #require(name.addingPercentEncoding(withAllowedCharacters: unreserved))
            guard !name.utf8.contains(where: { [0x00, 0x2F, 0x5C].contains($0) }), !name.isEmpty, name != ".",
                name != ".."
            else {
                continue
            }
            let request = try client.request(.get, RoutePath(segment))
            expectEqual(request.path, "/users/\(segment)", "seed \(seed)")
        }
    }
}
