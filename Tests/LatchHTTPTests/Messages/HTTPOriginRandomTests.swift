// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct RandomURLTests {
    private func mixedCase(_ text: String, _ random: inout SplitMix64) -> String {
        String(text.map { random.below(2) == 0 ? Character($0.uppercased()) : $0 })
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `A random URL is split into its origin and its path`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let hosts = [
            "a", "api.example.com", "xn--nxasmq6b", "127.0.0.1", "[::1]", "[2001:db8::7]", "a-b_c.d", "1.2.3.4",
        ]
        for _ in 0..<500 {
            let scheme = random.pick(["http", "https"])
            let host = random.pick(hosts)
            let usual = scheme == "https" ? 443 : 80
            let port = random.pick([usual, random.below(65_536)])
            let shown = port == usual && random.below(2) == 0 ? "" : ":\(port)"
            let path = random.pick(["", "/", "/a/b", "/a?b=c", "?q", "/%2e%2e/", "//x", "/a:b@c"])
            let fragment = random.pick(["", "#", "#top", "#a?b/c"])
            let url = "\(mixedCase(scheme, &random))://\(mixedCase(host, &random))\(shown)\(path)\(fragment)"
            let split = try HTTPOrigin.split(url)
            expectEqual(split.origin.scheme, scheme, "seed \(seed): \(url)")
            expectEqual(split.origin.host, host, "seed \(seed): \(url)")
            expectEqual(split.origin.port, port, "seed \(seed): \(url)")
            expectEqual(split.path, path.hasPrefix("/") ? path : "/" + path, "seed \(seed): \(url)")
            try expectEqual(HTTPOrigin.split(split.origin.description).origin, split.origin, "seed \(seed): \(url)")
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `A random URL is refused or split in a way that reads back`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        for _ in 0..<2_000 {
            let url = "\(random.pick(["http", "https"]))://\(random.pick(["", "h", "h:1"]))\(random.text(upTo: 5))"
            do {
                let split = try HTTPOrigin.split(url)
                let again = try HTTPOrigin.split(split.origin.description + split.path)
                #expect(
                    again.origin == split.origin && again.path == split.path, "seed \(seed): \(url.debugDescription)")
                #expect(split.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "seed \(seed): \(url.debugDescription)")
            } catch {
                expectEqual(error, HTTPError.invalidURL)
                #expect(!error.message.contains("\n"))
            }
        }
    }

    @Test(arguments: [
        ("", "scheme"), ("example.com", "scheme"), ("http:/h", "scheme"), ("ftp://h", "scheme"), ("://h", "scheme"),
        ("https://", "host"), ("https://?q", "host"), ("https://#f", "host"), ("https://u@h", "user information"),
        ("https://u:p@h/", "user information"), ("https://h:65536", "port"), ("https://h:1:2", "port"),
        ("https://h:x", "port"), ("https://[::1", "port"), ("https://[g]", "port"), ("https://h /", "percent-encoded"),
        ("https://h/a b", "percent-encoded"), ("https://h/é", "percent-encoded"), ("https://h/a\\b", "percent-encoded"),
        ("https://h/\u{7F}", "percent-encoded"), ("https://h/\r\n", "percent-encoded"),
    ])
    func `A random URL that is refused is refused for its reason`(url: String, reason: String) {
        do {
            _ = try HTTPOrigin.split(url)
            Issue.record("It was split.")
        } catch {
            #expect(error.message.contains(reason))
        }
    }
}

@Suite struct OriginCredentialTests {
    /// Unicode would take KELVIN SIGN for a K, and a credential for the one host must not go to the other.
    @Test func `The border of an origin has no other letter equal to one of ASCII`() {
        expectNotEqual(
            HTTPOrigin(scheme: "https", authority: "ban\u{212A}.example"),
            HTTPOrigin(scheme: "https", authority: "bank.example"))
        expectEqual(
            HTTPOrigin(scheme: "https", authority: "BANK.example"),
            HTTPOrigin(scheme: "https", authority: "bank.EXAMPLE"))
    }

    @Test(arguments: [
        ("h", "h", 443), ("h:1", "h", 1), ("h:0", "h", 0), ("h:65535", "h", 65_535), ("[::1]:9", "[::1]", 9),
        ("h:", "h:", 443), ("h:65536", "h:65536", 443), ("h:+1", "h:+1", 443), ("[::1]", "[::1]", 443),
        ("h:00080", "h", 80),
    ])
    func `The border of an origin reads a valid port and leaves an invalid one`(
        authority: String, host: String, port: Int
    ) {
        let origin = HTTPOrigin(scheme: "https", authority: authority)
        expectEqual(origin.host, host)
        expectEqual(origin.port, port)
    }

    @Test func `The border of an origin writes the port of the other scheme`() {
        expectEqual(HTTPOrigin(scheme: "http", authority: "h:443").description, "http://h:443")
        expectEqual(HTTPOrigin(scheme: "https", authority: "h:80").authority, "h:80")
        expectEqual(HTTPOrigin(scheme: "https", authority: "h:443").authority, "h")
    }
}
