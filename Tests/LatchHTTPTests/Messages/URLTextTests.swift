// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct URLTextTests {
    @Test(arguments: [
        ("https://h/a%20b c", "https://h/a%20b%20c"),
        ("https://h/x?f[x]=1&q=a%20b", "https://h/x?f%5Bx%5D=1&q=a%20b"),
        ("https://h/x?sig=a%2Bb&tags={x}|y", "https://h/x?sig=a%2Bb&tags=%7Bx%7D%7Cy"),
        ("https://h/é?q=%C3%A9é#ü%", "https://h/%C3%A9?q=%C3%A9%C3%A9#%C3%BC%25"),
        ("https://h/100%?a=%zz&b=%4", "https://h/100%25?a=%25zz&b=%254"),
        ("https://h/a^b`c\"<d>\\e", "https://h/a%5Eb%60c%22%3Cd%3E%5Ce"),
        ("https://h/a?b?c/d#e?f#g", "https://h/a?b?c/d#e?f%23g"),
        ("https://[::1]:8443/a[1]", "https://[::1]:8443/a%5B1%5D"),
        ("https://h?x=[1]", "https://h?x=%5B1%5D"),
        ("app.example:/callback?state=a b", "app.example:/callback?state=a%20b"),
        ("https://h/a'b(c)*!$&,;=@:~", "https://h/a'b(c)*!$&,;=@:~"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
    ])
    func `A URL from foreign text has its forbidden bytes encoded once, and its encoded ones unchanged`(
        text: String, expected: String
    ) {
        let url = URL(encodingOnce: text)
        expectEqual(url?.absoluteString, expected)
        // What is written by it is read back as it is.
        expectEqual(url.flatMap { URL(encodingOnce: $0.absoluteString) }, url)
    }

    @Test(arguments: [
        "", "https://h h/", "https://h\\@evil.example/", "https://h:80:90/", "https://h<x>/", "a%20b:c",
        "https://[::1/",
    ])
    func `A URL from foreign text is invalid if more than the path needs mending`(text: String) {
        expectNil(URL(encodingOnce: text))
    }

    @Test(arguments: [
        ("/p/2?filter[state]=open&cursor=a%3D%3D", "https://h/p/2?filter%5Bstate%5D=open&cursor=a%3D%3D"),
        ("?q=a%20b c", "https://h/a/b?q=a%20b%20c"), ("c d", "https://h/a/c%20d"),
        ("//other/x y", "https://other/x%20y"), ("../é", "https://h/%C3%A9"), ("http://g/[", "http://g/%5B"),
        ("", "https://h/a/b?c=%20"),
    ])
    func `A URL from foreign text is resolved against another one`(reference: String, expected: String) throws {
        let base = try #require(URL(encodingOnce: "https://h/a/b?c=%20"))
        expectEqual(URL(encodingOnce: reference, relativeTo: base)?.absoluteString, expected)
    }

    @Test(arguments: [UInt64](0..<300))
    func `A URL from foreign text keeps every value of a query`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let pairs = (0..<random.below(4) + 1).map { ("n\($0)", random.text(upTo: 12)) }
        // As a careless program writes it: encoded values, and a part that is not.
        let text = "https://h/p?" + FormEncoding.encode(pairs) + "&x={a}[b]|é"
        let query = try #require(URL(encodingOnce: text)?.query(percentEncoded: true))
        for (number, pair) in pairs.enumerated() {
            let value = query.split(separator: "&")[number].split(separator: "=", omittingEmptySubsequences: false)[1]
            expectEqual(PercentEncoding.decode(value.utf8, plusIsSpace: false), Array(pair.1.utf8))
        }
    }
}
