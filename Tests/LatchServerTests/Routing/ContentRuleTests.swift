// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct ContentRuleTests {
    static let router: Router = {
        var router = Router(interceptors: [RequestIDInterceptor(), ProblemInterceptor()])
        router.group(prefix: "/v1") { group in
            group.post("/files/{id}", content: .streamed(upTo: 100)) { request in
                var total = 0
                for try await piece in request.body.chunks { total += piece.count }
                let id = request.pathParameter("id") ?? ""
                return HTTPResponse(status: .ok, body: HTTPBody("\(id) \(total) \(request.body.bytes.isEmpty)"))
            }
            group.post("/files/new") { HTTPResponse(status: .ok, body: HTTPBody("new \($0.body.bytes.count)")) }
        }
        router.put("/forms", content: .collected(upTo: 100)) { request in ["bytes": request.body.bytes.count] }
        router.post("/careless", content: .streamed(upTo: 100)) { _ in HTTPResponse(status: .noContent) }
        return router
    }()

    static let small: Server.Configuration = {
        var configuration = Server.Configuration.patient
        configuration.maximumBodyBytes = 10
        return configuration
    }()

    private func request(_ method: HTTPMethod, _ path: String, _ count: Int) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "http", authority: "localhost", path: path,
            body: HTTPBody([UInt8](repeating: 65, count: count)))
    }

    @Test func `An endpoint's rule of content limits its content, in process and behind a socket`() async throws {
        try await bothWays(Self.router, configuration: Self.small) { api in
            for (method, path) in [(HTTPMethod.post, "/v1/files/a%62?q=1"), (.put, "/forms")] {
                try await expectEqual(api.respond(to: request(method, path, 100)).status, .ok)
                let refused = try await api.respond(to: request(method, path, 101))
                expectEqual(refused.status, .contentTooLarge)
                // The interceptors see the refusal.
                #expect(refused.fields[.requestID] != nil)
            }
        }
    }

    @Test func `An endpoint's rule of content does not change other endpoints and methods`() async throws {
        try await serving(Self.router, configuration: Self.small) { address in
            let client = try RawClient(port: address.port)
            var rest: [UInt8] = []
            func post(_ path: String, _ count: Int, as method: String = "POST") async -> HTTPResponse? {
                let text = String(repeating: "a", count: count)
                await client.send(
                    "\(method) \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n\(text)")
                return await client.receiveResponse(rest: &rest)
            }
            await expectEqual(post("/v1/files/ab", 50)?.body.text, "ab 50 true")
            await expectEqual(post("/v1/files/new", 10)?.body.text, "new 10")
            await expectEqual(post("/forms", 20, as: "PUT")?.body.text, #"{"bytes":20}"#)
            await expectEqual(post("/careless", 60)?.status, .noContent)
            await expectEqual(post("/v1/files/new", 11)?.status, .contentTooLarge)
        }
    }

    @Test(arguments: ["Content-Length: 101\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n65\r\n"])
    func `An endpoint's rule of content ends the connection for larger content, and asks for none announced`(
        framing: String
    )
        async throws
    {
        try await serving(Self.router, configuration: Self.small) { address in
            let client = try RawClient(port: address.port)
            let isAnnounced = framing.hasPrefix("Content")
            let expectation = isAnnounced ? "Expect: 100-continue\r\n" : ""
            await client.send("POST /v1/files/a HTTP/1.1\r\nHost: a\r\n" + expectation + framing)
            if !isAnnounced { await client.send(String(repeating: "a", count: 101)) }
            await expectEqual(client.receiveResponses().map(\.status), [.contentTooLarge])
        }
    }

    @Test func `An endpoint's rule of content holds over HTTP/2`() async throws {
        try await serving(Self.router, configuration: Self.small) { address in
            for (method, path, count, status) in [
                (HTTPMethod.post, "/v1/files/a", 100, 200), (.post, "/v1/files/a", 101, 413),
                (.put, "/forms", 100, 200),
                (.put, "/forms", 101, 413), (.post, "/v1/files/new", 11, 413),
            ] {
                var request = request(method, path, count)
                (request.authority, request.assumesHTTP2) = (address.authority, true)
                let response = try await CurlTransport().respond(to: request)
                expectEqual(response.status.rawValue, status)
            }
        }
    }

    @Test func `An endpoint's rule of content does not override the configuration`() async throws {
        var configuration = Self.small
        configuration.contentLimits = ["/v1/files/": 20, "/forms": 200]
        try await serving(Self.router, configuration: configuration) { address in
            for (line, count, status) in [
                ("POST /v1/files/a", 20, 200), ("POST /v1/files/a", 21, 413), ("PUT /forms", 200, 200),
                ("PUT /forms", 201, 413),
            ] {
                let client = try RawClient(port: address.port)
                let text = String(repeating: "a", count: count)
                await client.send("\(line) HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n\(text)")
                await expectEqual(client.receiveResponse()?.status.rawValue, status)
            }
        }
    }
}
