// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Testing

@Suite struct URLSplitTests {
    @Test(arguments: [
        ("https://api.example.com/v1?x=1#top", "https://api.example.com", "/v1?x=1"),
        ("HTTP://LOCALHOST:8080", "http://localhost:8080", "/"),
        ("https://[::1]:443?q", "https://[::1]", "/?q"),
        ("http://127.0.0.1:65535/", "http://127.0.0.1:65535", "/"),
    ])
    func `The split of a URL gives origin and path`(url: String, origin: String, path: String) throws {
        let split = try HTTPOrigin.split(url)
        expectEqual(split.origin.description, origin)
        expectEqual(split.path, path)
    }

    // Found by fuzz-origin: each of these was an origin for us and may be another one for the transport.
    @Test(arguments: [
        "https://a:4:443", "https://a:+443/", "http://localhost:99999/", "http://a:-1/", "https://[::1/", "https://[]/",
        "https://a]:443/", "https://[::1]x:443/", "https://a:/", "https://:443/", "https://[a@b]/", "https:///path",
    ])
    func `The split of a URL refuses a host or port that another reader can see differently`(url: String) {
        #expect { try HTTPOrigin.split(url) } throws: { HTTPError.invalidURL ~= $0 }
    }
}

@Suite struct HTTPOriginTests {
    @Test(arguments: [
        ("https", "Example.COM", "https://example.com"), ("HTTPS", "a:443", "https://a"), ("http", "a:80", "http://a"),
        ("https", "a:80", "https://a:80"), ("http", "[::1]:8080", "http://[::1]:8080"),
        ("http", "[::1]", "http://[::1]"),
    ])
    func `An origin is scheme, host and port, and leaves out the scheme's own port`(
        scheme: String, authority: String, text: String
    ) {
        expectEqual(HTTPOrigin(scheme: scheme, authority: authority).description, text)
    }

    @Test func `An origin differs by each of its three parts`() {
        let origin = HTTPOrigin(scheme: "https", authority: "a")
        expectEqual(origin, HTTPOrigin(scheme: "https", authority: "A:443"))
        expectNotEqual(origin, HTTPOrigin(scheme: "http", authority: "a"))
        expectNotEqual(origin, HTTPOrigin(scheme: "https", authority: "a:444"))
        expectNotEqual(origin, HTTPOrigin(scheme: "https", authority: "a.b"))
    }

    @Test(arguments: ["localhost", "LOCALHOST:1", "a.localhost", "127.0.0.1", "127.255.1.2:80", "[::1]", "[::1]:9"])
    func `An origin can be this machine`(authority: String) {
        #expect(HTTPOrigin(scheme: "http", authority: authority).isLoopback)
    }

    @Test(arguments: [
        "localhost.example", "notlocalhost", "127.0.0.1.example", "127.1", "128.0.0.1", "0.0.0.0", "[::2]", "10.0.0.1",
        "127.0.0.256", "0x7f.0.0.1", "127.0.0", "xlocalhost", "127.0.0.1.", "127..0.1", "127.0.0.1.1", "1", "",
        "127.+0.0.1",
        "1270.0.1", "12.7.0.1", "127.0.0.99999999999999999999",
    ])
    func `An origin can be another machine`(authority: String) {
        #expect(!HTTPOrigin(scheme: "http", authority: authority).isLoopback)
    }
}
