// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import TestVectors
import Testing

/// RFC 9113 §8.7: a server that ends a connection or a stream can say that it did not process the request.
///
/// Reports 6 and 7 in Documentation/PublicReports.md.
@Suite(
    .enabled(if: TestIdentity.isPossible && PythonCommand.isPresent, "needs openssl and python3"),
    .timeLimit(.minutes(2)))
struct UnprocessedRequestTests {
    private func serving(
        _ ending: LeavingHTTP2Server.Ending, count: Int = 1, after requests: Int = 1,
        _ body: (LeavingHTTP2Server, CurlTransport) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let identity = TestIdentity(folder: folder)
            try await identity.makeCertificate("server")
            let server = try await LeavingHTTP2Server(identity, ending, count: count, after: requests)
            var configuration = CurlTransport.Configuration()
            configuration.certificateAuthorityFile = identity.path("server.pem")
            let transport = CurlTransport(configuration: configuration)
            for number in 0..<requests {
                let response = try await transport.respond(to: server.request())
                expectEqual(response.body.text, "HTTP/2 \(number + 1)")
            }
            try await body(server, transport)
        }
    }

    @Test(arguments: LeavingHTTP2Server.Ending.ofOne.filter(\.isUnprocessed), [0, 1])
    func `An unprocessed request is sent again, whatever its method`(
        ending: LeavingHTTP2Server.Ending, after requests: Int
    ) async throws {
        try await serving(ending, after: requests) { server, transport in
            let response = try await transport.respond(to: server.request(.post, body: HTTPBody("content")))
            // The request itself went out twice.
            expectEqual(response.body.text, (ending == .http11 ? "HTTP/1.1" : "HTTP/2") + " \(requests + 2)")
        }
    }

    @Test(arguments: LeavingHTTP2Server.Ending.ofOne.filter(\.isUnprocessed), [true, false])
    func `An unprocessed request is sent again with a stream that can be read again`(
        ending: LeavingHTTP2Server.Ending, wantsStream: Bool
    ) async throws {
        try await serving(ending) { server, transport in
            let content = HTTPBody(HTTPBodyStream(Array("content".utf8)))
            var request = server.request(.post, body: content)
            request.wantsStream = wantsStream
            let text = try await transport.respond(to: request).body.collected(upTo: 100)
            expectEqual(text, Array(((ending == .http11 ? "HTTP/1.1" : "HTTP/2") + " 3").utf8))
        }
    }

    // A server that refuses the head may leave the stream unread.
    @Test(arguments: LeavingHTTP2Server.Ending.ofOne.filter { $0.isUnprocessed && $0 != .goAwayAtHead })
    func `An unprocessed request is not sent again with a stream that was read`(ending: LeavingHTTP2Server.Ending)
        async throws
    {
        try await serving(ending) { server, transport in
            let source = Piecewise()
            source.give("content")
            source.end()
            let request = server.request(.post, body: HTTPBody(source.stream()))
            let error = await #expect(throws: HTTPError.offline) { try await transport.respond(to: request) }
            expectEqual(error?.isConnectivity, true)
        }
    }

    @Test(arguments: LeavingHTTP2Server.Ending.ofOne.filter { !$0.isUnprocessed }, [0, 1])
    func `An unprocessed request is not one that the server may have processed`(
        ending: LeavingHTTP2Server.Ending, after requests: Int
    ) async throws {
        try await serving(ending, after: requests) { server, transport in
            let request = server.request(.post, body: HTTPBody("content"))
            let error = await #expect(throws: HTTPError.offline) { try await transport.respond(to: request) }
            expectEqual(error?.isUnsent, false)
            // On the connection of an error of the stream the server goes on to fail.
            guard ending != .internalError else { return }
            let next = try await transport.respond(to: server.request())
            expectEqual(next.body.text, "HTTP/2 \(requests + 2)")
        }
    }

    @Test(arguments: [LeavingHTTP2Server.Ending.goAwayAndClose, .refused])
    func `An unprocessed request is sent a few times at most`(ending: LeavingHTTP2Server.Ending) async throws {
        try await serving(ending, count: .max, after: 0) { server, transport in
            let request = server.request(.post, body: HTTPBody("content"))
            let error = await #expect(throws: HTTPError.offline) { try await transport.respond(to: request) }
            expectEqual(error?.isUnsent, true)
        }
    }

    @Test func `An unprocessed request is sent again with another one on its connection`() async throws {
        try await serving(.goAwayForTwo) { server, transport in
            async let one = transport.respond(to: server.request())
            async let other = transport.respond(to: server.request())
            let texts = try await [one, other].map(\.body.text)
            expectEqual(Set(texts), ["HTTP/2 4", "HTTP/2 5"])
        }
    }
}
