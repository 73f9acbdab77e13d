// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

/// Report Q9 in Documentation/PublicReports.md.
@Suite struct TransferCodingTests {
    private static let content = "hello world"

    private func server(_ codings: String, isCoded: Bool = true) throws -> RawHTTPServer {
        let bytes = isCoded ? Deflated.gzip(Array(Self.content.utf8)) : Array(Self.content.utf8)
        return try RawHTTPServer { _ in
            var response = RawHTTPServer.Response.text(
                "HTTP/1.1 200 OK\r\n\(codings)\r\n\r\n\(String(bytes.count, radix: 16))\r\n")
            response.bytes += bytes + Array("\r\n0\r\n\r\n".utf8)
            response.closes = true
            return response
        }
    }

    @Test(arguments: [
        ("Transfer-Encoding: gzip, chunked", "gzip"), ("transfer-encoding: GZIP,chunked", "GZIP"),
        ("Transfer-Encoding: x-gzip\r\nTransfer-Encoding: chunked", "x-gzip"),
        ("Transfer-Encoding: chunked, gzip", "gzip"), ("Transfer-Encoding: deflate, gzip, chunked", "deflate"),
    ])
    func `A response with a transfer coding that no request allows is an error, whole or as a stream`(
        fields: String, coding: String
    ) async throws {
        let server = try server(fields)
        for wantsStream in [false, true] {
            var request = server.request()
            request.wantsStream = wantsStream
            let error = await #expect(throws: HTTPError.self) {
                _ = try await CurlTransport().respond(to: request).body.collected(upTo: 1_000)
            }
            expectEqual(error?.code, HTTPError.malformedMessage.code)
            expectEqual(error?.message.contains(coding), true, "\(error?.message ?? "")")
        }
    }

    @Test(arguments: ["chunked", "Chunked", "identity, chunked", ", chunked"])
    func `A response with a transfer coding of chunks is read`(codings: String) async throws {
        let server = try server("Transfer-Encoding: \(codings)", isCoded: false)
        try await expectEqual(CurlTransport().respond(to: server.request()).body.text, Self.content)
    }

    @Test func `A response with a transfer coding and no content is read`() async throws {
        let server = try RawHTTPServer { _ in
            .closing(after: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
        }
        try await expectEqual(CurlTransport().respond(to: server.request()).status, 304)
    }
}
