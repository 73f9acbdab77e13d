// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct PublicKeyPinTests {
    private static let first = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let second = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

    @Test func `A set of pins is read with and without the name of the digest`() throws {
        let pins = try PublicKeyPins(for: "Api.Example.com", "sha256/" + Self.first, backup: Self.second)
        expectEqual(pins.digests, [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 1, count: 32)])
        expectEqual(pins.hosts.description, "api.example.com")
    }

    @Test(arguments: [
        "", "sha256/", "AAAA", "sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "SHA256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-A=",
        " AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==", "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    ])
    func `A set of pins takes only the base64 of 32 bytes`(text: String) {
        #expect(throws: HTTPError.invalidTLSPolicy) { try PublicKeyPins(for: "a.example", text, backup: Self.second) }
        #expect(throws: HTTPError.invalidTLSPolicy) { try PublicKeyPins(for: "a.example", Self.second, backup: text) }
    }

    @Test func `A set of pins has a backup that is another key`() {
        #expect(throws: HTTPError.invalidTLSPolicy) {
            try PublicKeyPins(for: "a.example", Self.first, backup: "sha256/" + Self.first)
        }
        #expect(throws: HTTPError.invalidTLSPolicy) {
            try PublicKeyPins(for: "a.example", Self.first, backup: Self.second, Self.second)
        }
    }

    @Test func `A set of pins applies by its narrowest pattern`() throws {
        var policy = TLSPolicy()
        policy.pins = try [".example.com", "api.example.com", ".api.example.com", "localhost"].map {
            try PublicKeyPins(for: $0, Self.first, backup: Self.second)
        }
        let expected: [(String, String?)] = [
            ("example.com", ".example.com"), ("www.example.com", ".example.com"),
            ("api.example.com", "api.example.com"), ("v1.api.example.com", ".api.example.com"),
            ("badexample.com", nil), ("localhost", "localhost"), ("x.localhost", nil), ("com", nil),
        ]
        for (host, pattern) in expected { expectEqual(policy.pins(for: host)?.hosts.description, pattern, "\(host)") }
    }

    @Test func `A set of pins keeps hosts apart that must not share a connection`() throws {
        var policy = TLSPolicy()
        policy.pins = [
            try PublicKeyPins(for: ".example.com", Self.first, backup: Self.second),
            try PublicKeyPins(for: "api.example.com", Self.second, backup: Self.first),
        ]
        policy.clientCertificates = [try ClientCertificate(pkcs12: [1], passphrase: "", for: "b.example.com", "c.net")]
        // One certificate may name all of them.
        let groups = [
            ["example.com", "a.example.com"], ["api.example.com"], ["b.example.com"], ["c.net"], ["d", "e.net"],
        ]
        let requirements = groups.map { Set($0.map(policy.requirements)) }
        #expect(requirements.allSatisfy { $0.count == 1 })
        expectEqual(Set(requirements).count, groups.count)
        expectEqual(TLSPolicy().requirements(for: "a.net"), TLSPolicy().requirements(for: "b.net"))
    }
}

@Suite struct HostPatternTests {
    @Test(arguments: [
        ("api.example.com", ["api.example.com"], ["example.com", "x.api.example.com", "api.example.com.evil.com"]),
        (".Example.com", ["example.com", "a.example.com", "a.b.example.com"], ["badexample.com", "example.com.evil"]),
        ("127.0.0.1", ["127.0.0.1"], ["127.0.0.11", "1.127.0.0.1"]), ("[::1]", ["[::1]"], ["[::11]", "::1"]),
        ("localhost", ["localhost"], ["a.localhost", "localhost.com"]),
    ])
    func `A host pattern matches whole hosts`(text: String, matching: [String], others: [String]) throws {
        let pattern = try HostPattern(text)
        for host in matching { #expect(pattern.matches(host), "\(host)") }
        for host in others { #expect(!pattern.matches(host), "\(host)") }
    }

    @Test(arguments: [
        "", ".", "..", ".com", "a..b", "a.", ".a.", "*.example.com", "a.example.com:443", "https://a.example", "a/b",
        "a b",
        "ä.example", "[", "[]", "[::1", "[::1]:80", "[a.example]x", "a\0b", "user@a.example", "a,b",
    ])
    func `A host pattern is refused if it is invalid`(text: String) {
        #expect(throws: HTTPError.invalidTLSPolicy) { try HostPattern(text) }
    }
}

@Suite(.enabled(if: TestIdentity.isPossible, "needs the openssl command"), .timeLimit(.minutes(2)))
struct PinnedHostTests {
    private static let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let third = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

    private func transport(
        trusting authorities: String?, _ pins: [PublicKeyPins]
    ) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = authorities
        configuration.tls.pins = pins
        return CurlTransport(configuration: configuration)
    }

    private func withServer(
        _ body: (_ identity: TestIdentity, _ pin: String, _ address: Server.Address) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let identity = TestIdentity(folder: folder)
            try await identity.makeCertificate("server")
            let pin = try await identity.pin(of: "server")
            try await identity.serving("server") { try await body(identity, pin, $0) }
        }
    }

    private func request(_ address: Server.Address, host: String = "127.0.0.1") -> HTTPRequest {
        HTTPRequest(scheme: "https", authority: "\(host):\(address.port)", path: "/?token=secret")
    }

    @Test func `A host whose key is pinned is reached with its key and with the backup`() async throws {
        try await withServer { identity, pin, address in
            for (first, second) in [(pin, Self.other), (Self.other, pin)] {
                let pins = try PublicKeyPins(for: "127.0.0.1", first, backup: second)
                let transport = transport(trusting: identity.path("server.pem"), [pins])
                for _ in 0..<2 {
                    try await expectEqual(transport.respond(to: request(address)).body.text, "hello")
                }
            }
        }
    }

    @Test
    func `A host whose key is pinned is not reached with another key, and that is a separate error`() async throws {
        try await withServer { identity, _, address in
            let pins = try PublicKeyPins(for: "127.0.0.1", Self.other, backup: Self.third)
            let transport = transport(trusting: identity.path("server.pem"), [pins])
            let error = await #expect(throws: HTTPError.self) { try await transport.respond(to: request(address)) }
            expectEqual(error?.code, HTTPError.pinMismatch.code)
            expectEqual(error?.isConnectivity, false)
            expectEqual(error?.description.contains("secret"), false)
        }
    }

    @Test func `A host whose key is pinned is not reached with its key if no authority trusts it`() async throws {
        try await withServer { _, pin, address in
            let pins = try PublicKeyPins(for: "127.0.0.1", pin, backup: Self.other)
            let error = await #expect(throws: HTTPError.self) {
                try await transport(trusting: nil, [pins]).respond(to: request(address))
            }
            expectEqual(error?.code, HTTPError.tls.code)
        }
    }

    @Test func `A host whose key is pinned does not affect other hosts, request by request`() async throws {
        try await withServer { identity, _, address in
            let pins = try PublicKeyPins(for: "localhost", Self.other, backup: Self.third)
            let transport = transport(trusting: identity.path("server.pem"), [pins])
            for _ in 0..<3 {
                try await expectEqual(transport.respond(to: request(address)).body.text, "hello")
                await #expect(throws: HTTPError.pinMismatch) {
                    try await transport.respond(to: request(address, host: "localhost"))
                }
            }
        }
    }

    @Test func `A host whose key is pinned is not reached by a streamed request either`() async throws {
        try await withServer { identity, _, address in
            let pins = try PublicKeyPins(for: "127.0.0.1", Self.other, backup: Self.third)
            let transport = transport(trusting: identity.path("server.pem"), [pins])
            let source = Piecewise()
            var request = request(address)
            request.method = .post
            request.wantsStream = true
            request.body = HTTPBody(source.stream(isReplayable: true))
            let asked = request
            await #expect(throws: HTTPError.pinMismatch) { try await transport.respond(to: asked) }
            expectEqual(source.openingCount, 0)
        }
    }
}
