// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchServer

private func proxies(_ ranges: String..., field: TrustedProxies.Field = .xForwardedFor) throws -> TrustedProxies {
    TrustedProxies(try ranges.map { try #require(NetworkRange($0)) }, field: field)
}

@Suite(.tags(.loginLimits)) struct TrustedProxyTests {
    private let two: TrustedProxies

    init() throws { two = try proxies("10.0.0.0/8", "2001:db8::/32") }

    private func client(
        _ entries: String..., peer: String = "10.0.0.1", of proxies: TrustedProxies? = nil,
        in field: HTTPFieldName = "x-forwarded-for"
    ) -> String {
        var fields = HTTPFields()
        for entry in entries { fields.append(entry, for: field) }
        return (proxies ?? two).client(behind: peer, fields)
    }

    @Test func `The client's address behind proxies is the socket's if the peer is not trusted`() throws {
        expectEqual(client("1.2.3.4", peer: "203.0.113.9"), "203.0.113.9")
        expectEqual(client("1.2.3.4", peer: "10.0.0.1", of: TrustedProxies()), "10.0.0.1")
        expectEqual(client("1.2.3.4", peer: "11.0.0.1"), "11.0.0.1")
        expectEqual(client("1.2.3.4", peer: ""), "")
        expectEqual(client("1.2.3.4", peer: "in process"), "in process")
    }

    @Test func `The client's address behind proxies is the rightmost that is not a trusted proxy`() {
        expectEqual(client("198.51.100.7"), "198.51.100.7")
        expectEqual(client("198.51.100.7, 10.0.0.2"), "198.51.100.7")
        expectEqual(client("198.51.100.7, 10.0.0.3 ,10.0.0.2"), "198.51.100.7")
        expectEqual(client("198.51.100.7", "10.0.0.3", "10.0.0.2"), "198.51.100.7")
        expectEqual(client(",1.1.1.1,,198.51.100.7, ,10.0.0.2,", ",", ""), "10.0.0.2")
        expectEqual(client(",1.1.1.1,,198.51.100.7,,10.0.0.2,", ",", ""), "198.51.100.7")
        expectEqual(client("2001:0DB8::1, 2400:cb00:0:0::7"), "2400:cb00::7")
    }

    @Test func `The client's address behind proxies is not one that a client sent`() {
        // The client sent the first entry, and the proxy appended the client.
        expectEqual(client("1.1.1.1, 198.51.100.7"), "198.51.100.7")
        expectEqual(client("10.0.0.9, 198.51.100.7"), "198.51.100.7")
        expectEqual(client("1.1.1.1", "198.51.100.7, 10.0.0.2"), "198.51.100.7")
        // A stranger who is no proxy tells nothing about whoever is behind it.
        expectEqual(client("1.1.1.1, 10.0.0.4, 203.0.113.9, 10.0.0.2"), "203.0.113.9")
        expectEqual(client("unknown, 198.51.100.7"), "198.51.100.7")
    }

    @Test func `The client's address behind proxies is not hidden by a character that joins the proxy's comma`() {
        // U+0600 and a comma are one Character, and so are a comma and U+0301.
        expectEqual(client("x\u{600}, 198.51.100.7"), "198.51.100.7")
        expectEqual(client("x,\u{301}, 198.51.100.7, 10.0.0.2"), "198.51.100.7")
        expectEqual(client("198.51.100.7,\u{301}10.0.0.2"), "10.0.0.1")
    }

    @Test func `The client's address behind proxies is the proxy's that wrote an unreadable entry`() {
        for entry in [
            "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "a::b::c", "[::1", "<script>",
        ] {
            expectEqual(client(entry), "10.0.0.1", "\(entry)")
            expectEqual(client("198.51.100.7, \(entry), 10.0.0.2"), "10.0.0.2", "\(entry)")
        }
        expectEqual(client(""), "10.0.0.1")
        expectEqual(client(", ,"), "10.0.0.1")
    }

    @Test func `The client's address behind proxies is the leftmost when all are trusted`() {
        expectEqual(client("10.0.0.9, 10.0.0.8"), "10.0.0.9")
        expectEqual(client("10.0.0.9"), "10.0.0.9")
        expectEqual(client(), "10.0.0.1")
    }

    @Test func `The client's address behind proxies is parsed with ports and brackets, and normalized`() {
        expectEqual(client("198.51.100.7:4711"), "198.51.100.7")
        expectEqual(client("[2400:CB00::0007]:443"), "2400:cb00::7")
        expectEqual(client("::ffff:198.51.100.7"), "198.51.100.7")
        expectEqual(client("198.51.100.7", peer: "::ffff:10.0.0.1"), "198.51.100.7")
        expectEqual(client("fe80::1%eth0"), "fe80::1")
    }

    @Test func `The client's address behind proxies is searched in a limited number of entries`() {
        let long = "198.51.100.7, " + Array(repeating: "10.0.0.5", count: 10_000).joined(separator: ", ")
        expectEqual(client(long), "10.0.0.5")
    }

    @Test func `The client's address behind proxies is taken from the configured field only`() throws {
        let standard = try proxies("10.0.0.0/8", field: .forwarded)
        expectEqual(client("198.51.100.7", of: standard), "10.0.0.1")
        expectEqual(client("for=198.51.100.7", in: "forwarded"), "10.0.0.1")
        expectEqual(client("for=198.51.100.7", of: standard, in: "forwarded"), "198.51.100.7")
    }
}

@Suite struct ForwardedFieldTests {
    /// Lines with the nodes of their elements; "-" stands for an element without a node.
    private static let lines: [(String, [String])] = [
        ("for=192.0.2.60;proto=http;by=203.0.113.43", ["192.0.2.60"]),
        ("for=\"_gazonk\"", ["_gazonk"]), ("For=\"[2001:db8:cafe::17]:4711\"", ["[2001:db8:cafe::17]:4711"]),
        ("for=192.0.2.43, for=198.51.100.17", ["192.0.2.43", "198.51.100.17"]),
        ("for=192.0.2.43,for=\"[2001:db8::1]\";host=\"a,b;for=9.9.9.9\"", ["192.0.2.43", "[2001:db8::1]"]),
        ("proto=https", ["-"]), ("for=a , , for=b", ["a", "b"]), ("", []), (" ,", []),
        ("for=\"a\\\"b\"", ["a\"b"]),
        // From here on malformed.
        ("for=1.2.3.4;for=5.6.7.8", ["-"]), ("for=\"1.2.3.4", ["-"]),
        ("for=1.2.3.4;for=5.6.7.8, for=a", ["-", "a"]), ("for=\", for=a", ["-", "a"]),
        ("for=\", for=a;host=\"x, for=b\"", ["-", "a"]), ("x=\"a\\, for=\"b\\\\\\\"c\"", ["-", "b\\\"c"]),
        ("for", ["-"]), ("for=", ["-"]),
        ("for=1.2.3.4 5.6.7.8", ["-"]), ("for=[::1]", ["-"]), ("for=1.2.3.4;;proto=http", ["-"]),
        ("=x", ["-"]), ("for = 1.2.3.4", ["-"]), ("for=9.9.9.9, for=\"1.2.3.4", ["-"]),
    ]

    @Test(arguments: 0..<lines.count)
    func `The field Forwarded is parsed by the grammar of RFC 7239 §4 from the end`(
        index: Int
    ) {
        let (line, nodes) = Self.lines[index]
        expectEqual(ForwardedElements(line).hosts.map { $0 ?? "-" }, nodes)
    }

    @Test func `The field Forwarded states the client's address like X-Forwarded-For`() throws {
        let chain = try proxies("10.0.0.0/8", field: .forwarded)
        let client = { (lines: [String]) in
            var fields = HTTPFields()
            for line in lines { fields.append(line, for: "forwarded") }
            return chain.client(behind: "10.0.0.1", fields)
        }
        expectEqual(client(["for=1.1.1.1", "for=198.51.100.7;by=10.0.0.2, for=10.0.0.2"]), "198.51.100.7")
        expectEqual(client(["for=\"[2400:cb00::7]:80\""]), "2400:cb00::7")
        expectEqual(client(["for=unknown"]), "10.0.0.1")
        expectEqual(client(["for=_secret, for=10.0.0.2"]), "10.0.0.2")
        // What a client quotes and never ends takes nothing of the proxy's along that stands in a line of its own.
        expectEqual(client(["for=\"1.1.1.1", "for=198.51.100.7"]), "198.51.100.7")
        expectEqual(client(["for=\"1.1.1.1, for=198.51.100.7"]), "198.51.100.7")
    }
}

@Suite struct AddressRangeTests {
    @Test func `A range of addresses is parsed in CIDR notation, without bits after its prefix`() {
        for text in ["10.0.0.0/8", "0.0.0.0/0", "192.0.2.1", "::1", "2001:db8::/32", "::/0", "fe80::/10"] {
            expectEqual(NetworkRange(text)?.description, text)
        }
        expectEqual(NetworkRange("192.0.2.1/32")?.description, "192.0.2.1")
        expectEqual(NetworkRange("::ffff:10.0.0.0/104")?.description, "10.0.0.0/8")
        for text in [
            "", "/8", "10.0.0.7/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0/8", "::1/64",
            "2001:db8::/129", "example.com", "10.0.0.0/ 8", "::ffff:10.0.0.0/90", ":::", "1:2:3:4:5:6:7", "1::2::3",
            "12345::", "::1.2.3.4.5", "1.2.3.4::", "1:2:3:4:5:6:7:8:9", "g::",
        ] {
            expectNil(NetworkRange(text), "\(text)")
        }
    }

    @Test func `A range of addresses contains the addresses with its prefix, of its own family`() throws {
        let cases: [(String, inside: [String], outside: [String])] = [
            ("10.128.0.0/9", ["10.128.0.0", "10.255.255.255"], ["10.127.255.255", "11.128.0.0", "::"]),
            ("192.0.2.1", ["192.0.2.1"], ["192.0.2.0", "192.0.2.2"]),
            ("0.0.0.0/0", ["1.2.3.4", "::ffff:1.2.3.4"], ["::1"]),
            ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::", "2001:db9::", "32.1.13.184"]),
        ]
        for (text, inside, outside) in cases {
            let range = try #require(NetworkRange(text))
            for address in inside { #expect(range.contains(try #require(IPAddress(address))), "\(text) \(address)") }
            for address in outside { #expect(!range.contains(try #require(IPAddress(address))), "\(text) \(address)") }
        }
    }

    @Test func `A range of addresses formats each address canonically (RFC 5952)`() throws {
        for (typed, shown) in [
            ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("0:0:0:0:0:0:0:0", "::"), ("::1", "::1"), ("1::", "1::"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("::13.1.68.3", "::d01:4403"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1.2.3.4", "1.2.3.4"),
        ] {
            try expectEqual(#require(IPAddress(typed)).text, shown)
        }
    }
}

@Suite struct ProxiedServerTests {
    private static let told = ClosureHandler { request in
        HTTPResponse(status: .ok, body: HTTPBody(request.remoteAddress ?? "nobody"))
    }

    private static func answer(_ configuration: Server.Configuration, _ field: String) async throws -> String? {
        try await serving(told, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
            client.endSending()
            return await client.receiveResponses().first?.body.text
        }
    }

    @Test func `A server behind a proxy trusts it over a real socket, and no other peer`() async throws {
        var configuration = Server.Configuration()
        let spoof = "X-Forwarded-For: 198.51.100.7"
        try await expectEqual(Self.answer(configuration, spoof), "127.0.0.1")
        configuration.trustedProxies = try proxies("127.0.0.0/8")
        try await expectEqual(Self.answer(configuration, spoof), "198.51.100.7")
        try await expectEqual(Self.answer(configuration, "Forwarded: for=198.51.100.7"), "127.0.0.1")
        configuration.trustedProxies = try proxies("192.168.0.0/16")
        try await expectEqual(Self.answer(configuration, spoof), "127.0.0.1")
    }

    @Test func `A server behind a proxy does not limit its connections, but those of other peers`() async throws {
        var configuration = Server.Configuration()
        configuration.maximumConnectionsPerAddress = 0
        try await expectNotEqual(Self.answer(configuration, "X: y"), "127.0.0.1")
        configuration.trustedProxies = try proxies("127.0.0.1")
        try await expectEqual(Self.answer(configuration, "X: y"), "127.0.0.1")
        configuration.maximumConnections = 0
        try await expectNotEqual(Self.answer(configuration, "X: y"), "127.0.0.1")
    }
}
