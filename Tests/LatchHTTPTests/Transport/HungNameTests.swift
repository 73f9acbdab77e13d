// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchHTTP
import TestSupport
import Testing

/// A name server that does not answer keeps a lookup for half a minute; it must not keep anything else.
///
/// `make interop` runs these tests, with a resolver that never answers for this host.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["LATCH_HUNG_NAME"] != nil, "needs the resolver of make interop"),
    .timeLimit(.minutes(1)))
struct HungNameTests {
    private func request(_ timeout: Duration) -> HTTPRequest {
        let host = ProcessInfo.processInfo.environment["LATCH_HUNG_NAME"] ?? ""
        var request = HTTPRequest(scheme: "http", authority: host, path: "/")
        request.timeout = timeout
        return request
    }

    @Test
    func `A request whose host is never resolved times out, and the next one to another host is answered`() async throws
    {
        let server = try RawHTTPServer { _ in .response(body: "good") }
        let transport = CurlTransport()
        await #expect(throws: HTTPError.timeout) { try await transport.respond(to: request(.milliseconds(200))) }
        try await expectEqual(transport.respond(to: server.request()).body.text, "good")
    }

    @Test func `A request whose host is never resolved is canceled while others are answered`() async throws {
        let server = try RawHTTPServer { _ in .response(body: "good") }
        let transport = CurlTransport()
        let task = Task { try await transport.respond(to: request(.seconds(600))) }
        for _ in 0..<20 { try await expectEqual(transport.respond(to: server.request()).body.text, "good") }
        task.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        try await expectEqual(transport.respond(to: server.request()).body.text, "good")
    }
}
