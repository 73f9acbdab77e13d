// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchHTTP

@Suite(.timeLimit(.minutes(2))) struct TransportProxyTests {
    private static func transport(_ proxy: HTTPProxy?, trusting file: String? = nil) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        (configuration.proxy, configuration.certificateAuthorityFile) = (proxy, file)
        return CurlTransport(configuration: configuration)
    }

    private static func request(_ host: String, scheme: String = "http") -> HTTPRequest {
        HTTPRequest(scheme: scheme, authority: host, path: "/x")
    }

    // RFC 7617 §2: "ada:sécret" in Base64.
    private static let basic = "Basic YWRhOnPDqWNyZXQ="

    @Test(arguments: [true, false])
    func `The proxy of a transport gets the requests, and its user and password`(isInURL: Bool) async throws {
        let proxy = try RawHTTPServer { _ in .response(body: "through the proxy") }
        let server = try RawHTTPServer { _ in .response(body: "direct") }
        let address =
            isInURL
            ? try HTTPProxy("http://ada:s%C3%A9cret@127.0.0.1:\(proxy.port)/")
            : try HTTPProxy(proxy.url, user: "ada", password: "s\u{E9}cret")
        let transport = Self.transport(address)
        for _ in 0..<2 {
            let response = try await transport.respond(to: Self.request("host.invalid"))
            expectEqual(response.body.text, "through the proxy")
            try await expectEqual(transport.respond(to: server.request()).body.text, "direct")
        }
        expectEqual(proxy.requests.map(\.line), Array(repeating: "GET http://host.invalid/x HTTP/1.1", count: 2))
        #expect(proxy.requests.allSatisfy { $0.values(of: "Proxy-Authorization") == [Self.basic] })
        #expect(server.requests.allSatisfy { $0.values(of: "Proxy-Authorization").isEmpty })
    }

    @Test func `The proxy of a transport connects to hosts with TLS`() async throws {
        let proxy = try RawHTTPServer { _ in .response(407, body: "no") }
        let transport = Self.transport(try HTTPProxy(proxy.url, user: "ada", password: "s\u{E9}cret"))
        let error = await #expect(throws: HTTPError.self) {
            try await transport.respond(to: Self.request("id.invalid", scheme: "https"))
        }
        expectEqual(error?.message, "The proxy refused to connect to id.invalid, with status 407.")
        expectEqual(error.map { "\($0)" }?.contains("cret"), false)
        expectEqual(proxy.requests.first?.line, "CONNECT id.invalid:443 HTTP/1.1")
        expectEqual(proxy.requests.first?.values(of: "Proxy-Authorization"), [Self.basic])
    }

    @Test func `The proxy of a transport gets no request for its exceptions`() async throws {
        let proxy = try RawHTTPServer { _ in .response(body: "through the proxy") }
        let transport = Self.transport(
            try HTTPProxy(proxy.url, user: "ada", password: "secret", except: ["one.invalid", ".corp.invalid"]))
        for host in ["one.invalid", "ONE.invalid:80", "corp.invalid", "a.b.corp.invalid"] {
            let error = await #expect(throws: HTTPError.offline) { try await transport.respond(to: Self.request(host)) }
            expectEqual(error?.phase, .resolving)
        }
        #expect(proxy.requests.isEmpty)
        for host in ["a.one.invalid", "badcorp.invalid"] {
            try await expectEqual(transport.respond(to: Self.request(host)).body.text, "through the proxy")
        }
    }

    @Test func `The proxy of a transport replaces the environment's`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            let (mine, other) = (try RawHTTPServer { _ in .response() }, try RawHTTPServer { _ in .response() })
            setenv("http_proxy", other.url, 1)
            setenv("no_proxy", "host.invalid", 1)
            _ = try await Self.transport(try HTTPProxy(mine.url)).respond(to: Self.request("host.invalid"))
            expectEqual(mine.requests.count, 1)
            let none = Self.transport(nil)
            await #expect(throws: HTTPError.offline) { try await none.respond(to: Self.request("else.invalid")) }
            #expect(other.requests.isEmpty)
            _ = try await Self.transport(.system).respond(to: Self.request("else.invalid"))
            expectEqual(other.requests.count, 1)
        }
    }

    // RFC 1928 and RFC 1929.
    @Test func `The proxy of a transport can be one of SOCKS`() async throws {
        let listener = try RawListener()
        let transport = Self.transport(
            try HTTPProxy("socks5h://127.0.0.1:\(listener.port)", user: "ada", password: "secret"))
        let call = Task { try await transport.respond(to: Self.request("host.invalid")) }
        let peer = try #require(await listener.accept())
        await expectEqual(peer.receive()?.first, 5)
        await peer.send([5, 2])
        await expectEqual(peer.receive(), [1, 3] + Array("ada".utf8) + [6] + Array("secret".utf8))
        await peer.send([1, 0])
        await expectEqual(peer.receive(), [5, 1, 0, 3, 12] + Array("host.invalid".utf8) + [0, 80])
        await peer.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        await expectEqual(peer.receive(through: "\r\n\r\n")?.starts(with: "GET /x HTTP/1.1\r\n".utf8), true)
        await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
        try await expectEqual(call.value.body.text, "good")
    }

    @Test(.enabled(if: TestIdentity.isPossible))
    func `The proxy of a transport can be reached with TLS, if its certificate is trusted`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let identity = TestIdentity(folder: folder)
            try await identity.makeCertificate("proxy")
            try await identity.serving("proxy") { address in
                let proxy = try HTTPProxy("https://127.0.0.1:\(address.port)")
                let request = Self.request("id.invalid", scheme: "https")
                let refused = await #expect(throws: HTTPError.offline) {
                    try await Self.transport(proxy, trusting: identity.path("proxy.pem")).respond(to: request)
                }
                expectEqual(refused?.message.hasPrefix("The proxy refused to connect to id.invalid"), true)
                await #expect(throws: HTTPError.tls) { try await Self.transport(proxy).respond(to: request) }
            }
        }
    }

    @Test func `The proxy of a transport shows neither user nor password`() throws {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = try HTTPProxy("http://canary:canary2@proxy.example", except: ["a.example"])
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("canary"))
            #expect(text.contains("proxy.example"))
        }
    }

    @Test(arguments: [
        ("http://p.example", "http://p.example:80"), ("HTTPS://p.example", "https://p.example:443"),
        ("socks5://p.example", "socks5://p.example:1080"), ("socks5h://[::1]", "socks5h://[::1]:1080"),
        ("socks5://p.example:443/", "socks5://p.example:443"), ("http://[::1]:3128", "http://[::1]:3128"),
        ("http://a@p.example:1", "http://p.example:1"),
    ])
    func `The proxy of a transport has the usual port of its scheme unless it names one`(address: String, url: String)
        throws
    {
        try expectEqual(HTTPProxy(address).address?.url, url)
    }

    @Test(arguments: [
        "", "proxy.example:3128", "ftp://canary", "http://", "http://canary:x", "http://canary:99999", "http://canary:",
        "http://canary/path", "http://canary?x", "http://a:b\u{0}@canary", "http://ca nary", "http://%FF:x@canary",
        "http://a:%0Ab@canary", "http://:canary@proxy.example", "http://a%3Ab:canary@proxy.example", "http://[canary",
    ])
    func `The proxy of a transport is refused if its address is unclear, without showing it`(address: String) {
        let error = #expect(throws: HTTPError.invalidURL) { try HTTPProxy(address) }
        expectEqual(error.map { "\($0)\($0.message)" }?.contains("canary"), false)
    }

    @Test func `The proxy of a transport is refused with ambiguous user, password or exceptions`() {
        for (user, password) in [("a:b", "c"), ("", "c"), ("a", "c\r\nX: y"), ("a\u{0}", "c")] {
            #expect(throws: HTTPError.invalidURL) { try HTTPProxy("http://p", user: user, password: password) }
        }
        for host in ["", "*", "a b", "https://a.example", "a.example:80"] {
            #expect(throws: HTTPError.invalidURL) { try HTTPProxy("http://p", except: [host]) }
        }
    }
}
