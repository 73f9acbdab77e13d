// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

@Suite(.timeLimit(.minutes(2))) struct PublicTransportTests {
    private static let loopback = ["127.0.0.0/8"].compactMap(NetworkRange.init)

    private func failure(_ url: String, of transport: PublicTransport) async throws -> DocumentError? {
        let (origin, path) = try HTTPOrigin.split(url)
        let request = HTTPRequest(scheme: origin.scheme, authority: origin.authority, path: path)
        do {
            _ = try await DocumentTransport(transport).respond(to: request)
            return nil
        } catch let error as DocumentError {
            return error
        }
    }

    /// A transport that responds without a connection.
    private func scripted(_ response: HTTPResponse, permitting networks: [NetworkRange] = []) -> PublicTransport {
        PublicTransport(permitting: networks, transport: ClosureHandler { _ in response })
    }

    // MARK: URLs

    @Test(
        .tags(.serverSideRequest),
        arguments: [
            "http://app.example/x", "http://127.0.0.1/x", "https://app.example:22/x", "https://app.example:80/x",
            "https://app.example:1023/x", "https://app.example:0/x", "http://localhost:8080/x",
        ])
    func `A URL of a stranger is requested by https only, and not at a port of another protocol`(url: String)
        async throws
    {
        try await expectEqual(failure(url, of: scripted(.json(["a": 1]))), .url)
    }

    @Test(arguments: ["https://app.example/x", "https://app.example:8443/x", "https://app.example:1024/x"])
    func `A URL of a stranger may have a port that needs no privilege`(url: String) async throws {
        try await expectNil(failure(url, of: scripted(.json(["a": 1]))))
    }

    @Test func `A URL of a stranger may be http on this machine if that network is permitted`() async throws {
        let transport = scripted(.json(["a": 1]), permitting: Self.loopback)
        try await expectNil(failure("http://127.0.0.1:8080/x", of: transport))
        try await expectEqual(failure("http://app.example:8080/x", of: transport), .url)
        let other = scripted(.json([:]), permitting: ["10.0.0.0/8"].compactMap(NetworkRange.init))
        try await expectEqual(failure("http://127.0.0.1:8080/x", of: other), .url)
    }

    // MARK: Connections

    @Test(
        .tags(.serverSideRequest),
        arguments: ["127.0.0.1", "localhost", "127.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"])
    func `A URL of a stranger leads to no connection within this machine`(host: String) async throws {
        let server = try RawHTTPServer { _ in .response(body: "{}") }
        try await expectEqual(failure("https://\(host):\(server.port)/x", of: PublicTransport()), .unreachable)
        expectEqual(server.connectionCount, 0)
    }

    @Test func `A URL of a stranger is requested by the name in it, over TLS for that name, without credentials`()
        async throws
    {
        let certificate = try await Certificate(ofAuthority: true)
        let seen = Mutex<[HTTPRequest]>([])
        var configuration = Server.Configuration()
        configuration.tls = try certificate.tls()
        let server = Server(
            handler: ClosureHandler { request in
                seen.withLock { $0.append(request) }
                return .json(["a": 1])
            }, configuration: configuration)
        let address = try await server.start()
        var curl = CurlTransport.Configuration()
        curl.certificateAuthorityFile = certificate.authorityPath
        curl.proxy = nil
        curl.permitsAddress = { $0 == [127, 0, 0, 1] }
        let port = HTTPOrigin(scheme: "https", authority: address.authority).port
        let transport = PublicTransport(transport: CurlTransport(configuration: curl))
        try await expectNil(failure("https://localhost:\(port)/x?y", of: transport))
        let request = try #require(seen.withLock { $0.first })
        #expect(request.authority == "localhost:\(port)" && request.path == "/x?y")
        #expect(request.fields[.authorization] == nil && request.fields["Cookie"] == nil)
        // The same machine under a name that the certificate does not have.
        try await expectEqual(failure("https://other.localhost:\(port)/x", of: transport), .unreachable)
        await server.shutdown(grace: .zero)
    }

    @Test(.tags(.serverSideRequest), arguments: [301, 302, 303, 307, 308, 300])
    func `A URL of a stranger is not left for another one`(status: Int) async throws {
        let server = try RawHTTPServer { request in
            .response(status, fields: ["Location: /next", "Content-Type: application/json"], body: "{}")
        }
        let transport = PublicTransport(permitting: Self.loopback)
        try await expectEqual(failure(server.url + "/x", of: transport), .redirect)
        let post = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/x")
        await #expect(throws: DocumentError.redirect) { try await transport.respond(to: post) }
        expectEqual(server.requests.count, 2)
    }

    @Test(arguments: [
        (404, "application/json", DocumentError.status(404)), (500, "application/json", .status(500)),
        (204, "application/json", .status(204)), (200, "text/html", .type), (200, "text/json", .type),
        (200, "application/javascript", .type), (200, "", .type), (200, "application/json-seq", .type),
    ])
    func `A document of a stranger has the status 200 and is JSON`(status: Int, type: String, expected: DocumentError)
        async throws
    {
        var response = HTTPResponse.json(["a": 1])
        response.status = HTTPStatus(rawValue: status)
        response.fields[.contentType] = type.isEmpty ? nil : type
        try await expectEqual(failure("https://app.example/x", of: scripted(response)), expected)
    }

    @Test(arguments: [
        "application/json", "Application/JSON; charset=utf-8", "application/jwk-set+json", "application/a+json",
    ])
    func `A document of a stranger may have a type for JSON`(type: String) async throws {
        var response = HTTPResponse.json(["a": 1])
        response.fields[.contentType] = type
        try await expectNil(failure("https://app.example/x", of: scripted(response)))
    }

    @Test(arguments: [true, false])
    func `A document of a stranger has 64 KiB at most, whether its size is announced or not`(isAnnounced: Bool)
        async throws
    {
        let limit = PublicTransport.maximumSize
        for (size, expected) in [(limit, nil), (limit + 1, DocumentError.size)] {
            let body = "\"" + String(repeating: "a", count: size - 2) + "\""
            let server = try RawHTTPServer { _ in
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                return .closing(after: head + (isAnnounced ? "Content-Length: \(size)\r\n" : "") + "\r\n" + body)
            }
            let transport = PublicTransport(permitting: Self.loopback)
            try await expectEqual(failure(server.url + "/x", of: transport), expected)
        }
    }

    /// The transport gets the time as a limit of the whole transfer, which TimeLimitTests prove for a dripping server.
    @Test func `A document of a stranger has five seconds in all`() async throws {
        let limits = Mutex<[Duration?]>([])
        let transport = PublicTransport(
            transport: ClosureHandler { request in
                limits.withLock { $0 += [request.timeout, request.deadline?.remaining] }
                throw HTTPError.timeout
            })
        try await expectEqual(failure("https://app.example/x", of: transport), .unreachable)
        for limit in limits.withLock({ $0 }) { #expect(try #require(limit) <= .seconds(5)) }
    }

    @Test func `A host of a stranger gets four requests at once, and all of them sixty-four`() async throws {
        let gate = SharedResult<Void>()
        let begun = Mutex(0)
        let transport = PublicTransport(
            transport: ClosureHandler { _ in
                begun.withLock { $0 += 1 }
                try await gate.value()
                return .json(["a": 1])
            })
        await withTaskGroup(of: DocumentError?.self) { group in
            for host in 0..<16 {
                for _ in 0..<4 {
                    group.addTask { try? await self.failure("https://h\(host).example/x", of: transport) }
                }
            }
            while begun.withLock({ $0 }) < 64 { await Task.yield() }
            expectEqual(try? await failure("https://h0.example/x", of: transport), .busy)
            expectEqual(try? await failure("https://other.example/x", of: transport), .busy)
            gate.finish(.success(()))
            for await result in group { expectNil(result) }
        }
        try await expectNil(failure("https://h0.example/x", of: transport))
    }
}
