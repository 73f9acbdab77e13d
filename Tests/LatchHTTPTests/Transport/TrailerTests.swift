// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct TrailerTests {
    private let transport = CurlTransport()
    private static let answer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 12\r\nx-bin:  AAE \r\n\r\n"

    /// Returns the transport's response to a raw one, as a stream or in memory.
    private func response(_ answer: String, isStreamed: Bool) async throws -> HTTPResponse {
        let listener = try RawListener()
        var request = HTTPRequest(scheme: "http", authority: "127.0.0.1:\(listener.port)", path: "/")
        request.wantsStream = isStreamed
        let task = Task { [request] in try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        _ = await peer.receive(through: "\r\n\r\n")
        await peer.send(answer)
        return try await task.value
    }

    @Test func `Trailer fields come with content in memory`() async throws {
        let response = try await response(Self.answer, isStreamed: false)
        expectEqual(response.body.text, "hello")
        expectEqual(response.body.trailers, ["X-Sum": "12", "x-bin": "AAE"])
        expectNil(response.fields["X-Sum"])
    }

    @Test func `Trailer fields come with a stream when it is at its end, and not before`() async throws {
        let response = try await response(Self.answer, isStreamed: true)
        #expect(response.body.trailers.isEmpty || response.body.stream != nil)
        try await expectEqual(response.body.collected(upTo: 100), Array("hello".utf8))
        expectEqual(response.body.trailers, ["X-Sum": "12", "x-bin": "AAE"])
    }

    @Test func `Trailer fields are kept when a stream is collected`() async throws {
        let collected = try await response(Self.answer, isStreamed: true).collected()
        expectEqual(collected.body.trailers["x-sum"], "12")
        expectEqual(collected.body.text, "hello")
    }

    @Test func `Trailer fields are kept when progress is reported`() async throws {
        let response = try await response(Self.answer, isStreamed: true)
        let reporting = response.body.reporting { _, _ in }
        try await expectEqual(reporting.collected(upTo: 100).count, 5)
        expectEqual(reporting.trailers["x-sum"], "12")
    }

    @Test(arguments: [true, false])
    func `Trailer fields are empty if there are none, also for the next answer of a transfer`(isStreamed: Bool)
        async throws
    {
        _ = try await response(Self.answer, isStreamed: isStreamed).collected()
        let next = try await response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", isStreamed: isStreamed)
        try await expectEqual(next.body.collected(upTo: 10), Array("hi".utf8))
        #expect(next.body.trailers.isEmpty)
    }

    @Test(arguments: [true, false])
    func `Trailer fields are limited as a head is`(isStreamed: Bool) async throws {
        let line = "X-A: " + String(repeating: "a", count: 60_000) + "\r\n"
        let answer =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: line, count: 6) + "\r\n"
        await #expect(throws: HTTPError.self) {
            _ = try await response(answer, isStreamed: isStreamed).body.collected(upTo: 10)
        }
    }

    @Test func `Trailer fields accompany content in memory`() {
        let body = HTTPBody(Array("a".utf8), trailers: ["x": "y"])
        expectEqual(body.trailers, ["x": "y"])
        expectNotEqual(body, HTTPBody(Array("a".utf8)))
    }
}
