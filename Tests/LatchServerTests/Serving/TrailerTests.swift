// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A streamed answer with trailers` {
    private func served(
        _ trailers: HTTPFields, pieces: [String] = ["one", "two"],
        _ body: (HTTPRequest) async throws -> Void
    ) async throws {
        let server = Server(
            handler: HandlerFunction { _ in
                let rest = Lock(pieces[...])
                let stream = HTTPBodyStream(
                    once: { rest.withLock { $0.popFirst().map { Array($0.utf8) } } }, trailers: { trailers })
                return HTTPResponse(status: .ok, body: HTTPBody(stream))
            })
        let address = try await server.start()
        try await body(HTTPRequest(scheme: "http", authority: address.authority, path: "/"))
        await server.shutdown(grace: .zero)
    }

    @Test(arguments: [["one", "two"], []])
    func `gives them to a client, and serves the next request`(pieces: [String]) async throws {
        try await served(["X-Sum": "12", "x-sum": "13"], pieces: pieces) { request in
            let transport = CurlTransport()
            for _ in 0..<2 {
                let response = try await transport.respond(to: request)
                #expect(response.body.text == pieces.joined())
                #expect(response.body.trailers.values(of: "x-sum") == ["12", "13"])
            }
        }
    }

    @Test func `leaves out those that would break the framing`() async throws {
        try await served([
            "x-good": "1", "x-bad": "a\r\nx-evil: 2", "bad name": "3", "Content-Length": "4", "Transfer-Encoding": "5",
        ]) { request in
            let response = try await CurlTransport().respond(to: request)
            #expect(response.body.trailers == ["x-good": "1"])
        }
    }
}
