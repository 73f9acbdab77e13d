// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Testing

@Suite struct `The split of a URL` {
    @Test(arguments: [
        ("https://api.example.com/v1?x=1#top", "https://api.example.com", "/v1?x=1"),
        ("HTTP://LOCALHOST:8080", "http://localhost:8080", "/"),
        ("https://[::1]:443?q", "https://[::1]", "/?q"),
        ("http://127.0.0.1:65535/", "http://127.0.0.1:65535", "/"),
    ])
    func `gives origin and path`(url: String, origin: String, path: String) throws {
        let split = try HTTPOrigin.split(url)
        #expect(split.origin.description == origin)
        #expect(split.path == path)
    }

    // Found by fuzz-origin: each of these was an origin for us and may be another one for the transport.
    @Test(arguments: [
        "https://a:4:443", "https://a:+443/", "http://localhost:99999/", "http://a:-1/", "https://[::1/", "https://[]/",
        "https://a]:443/", "https://[::1]x:443/", "https://a:/", "https://:443/", "https://[a@b]/", "https:///path",
    ])
    func `refuses a host or port that another reader may see differently`(url: String) {
        #expect { try HTTPOrigin.split(url) } throws: { HTTPError.invalidURL ~= $0 }
    }
}
