// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct RequestPhaseTests {
    /// Sends a request until it fails after its first parts: on a busy machine its time may pass before.
    private func failure(
        _ request: HTTPRequest, milliseconds: Int, isLate: (HTTPError) -> Bool
    ) async throws -> HTTPError {
        for attempt in 1... {
            var request = request
            request.timeout = .milliseconds(milliseconds * attempt)
            let error = try #require(
                await #expect(throws: HTTPError.self) { try await CurlTransport().respond(to: request) })
            if isLate(error) || attempt == 8 { return error }
        }
        throw HTTPError.timeout
    }

    @Test func `The error of a request says that no connection could be made`() async throws {
        // RFC 1078's port, where nobody listens.
        let request = HTTPRequest(scheme: "http", authority: "127.0.0.1:1", path: "/")
        let error = try #require(
            await #expect(throws: HTTPError.self) { try await CurlTransport().respond(to: request) })
        expectEqual(error.phase, .connecting)
        #expect(error.message.hasPrefix("127.0.0.1:1 could not be reached while connecting: "))
    }

    @Test func `The error of a request says that the host's name is unknown`() async throws {
        let request = HTTPRequest(scheme: "http", authority: "host.invalid", path: "/")
        let error = try #require(
            await #expect(throws: HTTPError.self) { try await CurlTransport().respond(to: request) })
        expectEqual(error.phase, .resolving)
        #expect(error.message.contains("while looking up its name"))
    }

    @Test(arguments: [HTTPBody.empty, HTTPBody("content"), HTTPBody(HTTPBodyStream(Array("content".utf8)))])
    func `The error of a request says that there was no response in time`(body: HTTPBody) async throws {
        let server = try RawHTTPServer { _ in .stall }
        let error = try await failure(server.request(body.isEmpty ? .get : .post, body: body), milliseconds: 100) {
            $0.phase == .awaitingResponse
        }
        expectEqual(error.phase, .awaitingResponse)
        #expect(error.message.hasSuffix("the limit passed while waiting for the response."))
        #expect(!error.isUnsent)
    }

    @Test func `The error of a request says that the server did not read the content in time`() async throws {
        let listener = try RawListener()
        var request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:\(listener.port)", path: "/",
            body: HTTPBody([UInt8](repeating: 0, count: 32 << 20)))
        request.fields["expect"] = ""
        let error = try await failure(request, milliseconds: 200) { $0.phase == .sending }
        expectEqual(error.phase, .sending)
        #expect(error.message.hasSuffix("the limit passed while sending the request."))
    }

    @Test func `The error of a request says that the response broke off`() async throws {
        let server = try RawHTTPServer { _ in .closing(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }
        let error = try #require(
            await #expect(throws: HTTPError.self) { try await CurlTransport().respond(to: server.request()) })
        expectEqual(error.phase, .receiving)
        #expect(error.message.contains(" ended while receiving the response: "))
    }

    @Test func `The error of a request says that the server closed before it responded`() async throws {
        let server = try RawHTTPServer { _ in .closing(after: "") }
        let error = try #require(
            await #expect(throws: HTTPError.self) { try await CurlTransport().respond(to: server.request()) })
        expectEqual(error.phase, .awaitingResponse)
    }

    /// Middleboxes, tunnels and machines that wake up end a handshake so, and the next connection works.
    ///
    /// A peer that ends at once may do so before libcurl has written its first message.
    @Test(arguments: [(true, true), (false, true), (false, false)])
    func `The error of a request does not blame a certificate if the connection ended in the handshake`(
        isReset: Bool, readsFirst: Bool
    ) async throws {
        let listener = try RawListener()
        let request = HTTPRequest(method: .post, scheme: "https", authority: "127.0.0.1:\(listener.port)", path: "/")
        let call = Task { try await CurlTransport().respond(to: request) }
        let peer = try #require(await listener.accept())
        // The first message of the handshake (RFC 8446 §4.1.2).
        if readsFirst { _ = await peer.receive(through: "\u{16}") }
        if isReset { peer.reset() } else { peer.endSending() }
        let error = await #expect(throws: HTTPError.self) { try await call.value }
        #expect(error?.code == HTTPError.offline.code && error?.isConnectivity == true, "\(error?.message ?? "")")
        expectEqual(error?.isUnsent, true)
        expectEqual(error?.phase, .securing)
    }

    @Test(arguments: ["http", "https"])
    func `The error of a request says that the proxy could not be reached`(scheme: String) async {
        await #expect(processExitsWith: .success) { [scheme] in
            alarm(120)
            setenv("\(scheme)_proxy", "http://127.0.0.1:1", 1)
            let error = await #expect(throws: HTTPError.self) {
                try await CurlTransport().respond(to: HTTPRequest(scheme: scheme, authority: "id.invalid", path: "/"))
            }
            expectEqual(error?.phase, .connectingToProxy)
            expectEqual(
                error?.message.hasPrefix("id.invalid could not be reached while connecting to the proxy: "), true)
        }
    }

    @Test func `The error of a request says that the TLS handshake took too long`() async throws {
        let listener = try RawListener()
        let request = HTTPRequest(authority: "127.0.0.1:\(listener.port)", path: "/")
        let error = try await failure(request, milliseconds: 200) { $0.phase == .securing }
        expectEqual(error.code, HTTPError.timeout.code)
        #expect(error.message.hasSuffix("did not respond in time: the limit passed during the TLS handshake."))
        #expect(error.isUnsent)
    }

    @Test func `The error of a request says that the proxy did not connect in time`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            let proxy = try RawHTTPServer { _ in .stall }
            setenv("https_proxy", proxy.url, 1)
            var request = HTTPRequest(authority: "id.invalid", path: "/")
            request.timeout = .seconds(1)
            let error = await #expect(throws: HTTPError.timeout) { try await CurlTransport().respond(to: request) }
            expectEqual(error?.phase, .tunneling)
            expectEqual(error?.message.hasSuffix("the limit passed while the proxy connected to it."), true)
        }
    }
}
