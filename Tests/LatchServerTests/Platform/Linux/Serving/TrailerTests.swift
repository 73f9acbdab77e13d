// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TrailerTests {
    private func served(
        _ trailers: HTTPFields, pieces: [String] = ["one", "two"],
        _ body: (HTTPRequest) async throws -> Void
    ) async throws {
        let server = Server(
            handler: ClosureHandler { _ in
                let rest = Mutex(pieces[...])
                let stream = HTTPBodyStream(
                    once: { rest.withLock { $0.popFirst().map { Array($0.utf8) } } }, trailers: { trailers })
                return HTTPResponse(status: .ok, body: HTTPBody(stream))
            })
        let address = try await server.start()
        try await body(HTTPRequest(scheme: "http", authority: address.authority, path: "/"))
        await server.shutdown(grace: .zero)
    }

    @Test(arguments: [["one", "two"], []])
    func `A response with trailers delivers them, and serves the next request`(pieces: [String]) async throws {
        try await served(["X-Sum": "12", "x-sum": "13"], pieces: pieces) { request in
            let transport = CurlTransport()
            for _ in 0..<2 {
                let response = try await transport.respond(to: request)
                expectEqual(response.body.text, pieces.joined())
                expectEqual(response.body.trailers.values(of: "x-sum"), ["12", "13"])
            }
        }
    }

    @Test func `A response with trailers omits those that would break the framing`() async throws {
        try await served([
            "x-good": "1", "x-bad": "a\r\nx-evil: 2", "bad name": "3", "Content-Length": "4", "Transfer-Encoding": "5",
        ]) { request in
            let response = try await CurlTransport().respond(to: request)
            expectEqual(response.body.trailers, ["x-good": "1"])
        }
    }

    @Test(arguments: [0, 3, 40_000])
    func `A response with trailers also has them when its content is in memory`(count: Int) async throws {
        let content = [UInt8](repeating: 7, count: count)
        let echo = ClosureHandler { request in
            let body = HTTPBody(content, trailers: request.path == "/plain" ? [:] : ["X-Sum": "12"])
            return HTTPResponse(status: request.path == "/reset" ? 205 : .ok, body: body)
        }
        try await serving(echo) { address in
            let transport = CurlTransport()
            for path in ["/", "/reset", "/plain", "/"] {
                let request = HTTPRequest(scheme: "http", authority: address.authority, path: path)
                let response = try await transport.respond(to: request)
                expectEqual(response.body.bytes, path == "/reset" ? [] : content)
                expectEqual(response.body.trailers["x-sum"], path == "/" ? "12" : nil)
                expectEqual(response.fields[.contentLength] == nil, path == "/")
                let head = HTTPRequest(method: .head, scheme: "http", authority: address.authority, path: path)
                #expect(try await transport.respond(to: head).body.isEmpty)
            }
        }
    }
}

#endif
