// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

// RFC 9110 §5.5; report R7 in Documentation/PublicReports.md.
@Suite(.timeLimit(.minutes(1))) struct FieldOctetTests {
    /// All octets of ISO-8859-1 beyond ASCII, which are no UTF-8 together, and their text.
    private static let octets = Array(UInt8(0x80)...0xFF)
    private static let text = String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))

    @Test(arguments: [true, false])
    func `Octets of a field that are not UTF-8 arrive in a response and its trailers`(isStream: Bool) async throws {
        let listener = try RawListener()
        var request = HTTPRequest(scheme: "http", authority: "127.0.0.1:\(listener.port)", path: "/")
        (request.wantsStream, request.fields["TE"]) = (isStream, "trailers")
        let call = Task { [request] in try await CurlTransport().respond(to: request) }
        let peer = try #require(await listener.accept())
        _ = await peer.receive(through: "\r\n\r\n")
        let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-UTF: \u{E9}\r\nX-Name: ".utf8)
        await peer.send(head + Self.octets + Array("\r\n\r\n1\r\na\r\n0\r\nX-End: ".utf8) + Self.octets)
        await peer.send("\r\n\r\n")
        let response = try await call.value
        expectEqual(response.fields["X-Name"], Self.text)
        expectEqual(response.fields["X-UTF"], "\u{E9}")
        _ = try await response.body.collected(upTo: 100)
        expectEqual(response.body.trailers["X-End"], Self.text)
    }

    @Test func `Octets of a field that are not UTF-8 arrive in a request of a server`() async throws {
        let seen = Recording<String?>()
        let handler = ClosureHandler { request in
            seen.add(request.fields["X-Name"])
            return HTTPResponse(status: .noContent)
        }
        try await serving(handler) { address in
            let client = try RawClient(port: address.port)
            await client.send(
                Array("GET / HTTP/1.1\r\nHost: a\r\nX-Name: ".utf8) + Self.octets + Array("\r\n\r\n".utf8))
            await expectEqual(client.receiveResponse()?.status, .noContent)
        }
        expectEqual(seen.entries, [Self.text])
    }
}
