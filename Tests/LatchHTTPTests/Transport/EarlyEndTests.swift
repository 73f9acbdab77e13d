// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import TestSupport
import Testing

@testable import LatchHTTP

/// A server that ends its response and resets the stream while the source of the request is silent (RFC 9113 §8.1).
///
/// A transfer that does not notice it waits for ever: the time limit is what fails then. `make interop` runs the tests
/// with another libcurl, too.
@Suite(.timeLimit(.minutes(1))) struct EarlyEndTests {
    /// The bytes that a test's server sends, in two writes.
    struct Script: Sendable, CustomTestStringConvertible {
        let name: String
        /// Sent after the first chunk of the request, before the response is awaited; empty if all is sent in one
        /// piece.
        let first: [UInt8]
        /// Sent in one piece after the second chunk of the request, while its source is silent.
        let second: [UInt8]
        /// The whole content of the response.
        let content: String
        /// Whether the response says how long it is.
        var hasLength = false
        var hasTrailers = false

        var testDescription: String { name }

        private static let end = Frame.data("", isLast: true) + Frame.reset

        static let all = [
            Script(name: "the end after a head", first: Frame.head(), second: end, content: ""),
            Script(
                name: "content and end after a head", first: Frame.head(), second: Frame.data("ab") + end,
                content: "ab"),
            Script(
                name: "the end after content", first: Frame.head() + Frame.data("ab"), second: end, content: "ab"),
            Script(
                name: "more content and the end after content", first: Frame.head() + Frame.data("ab"),
                second: Frame.data("cd") + Frame.data("ef") + end, content: "abcdef"),
            Script(
                name: "content of a known length, and the end", first: Frame.head(length: 2),
                second: Frame.data("ab") + end, content: "ab", hasLength: true),
            Script(
                name: "the end after content of a known length", first: Frame.head(length: 2) + Frame.data("ab"),
                second: end, content: "ab", hasLength: true),
            Script(
                name: "content and trailers after a head", first: Frame.head(),
                second: Frame.data("ab") + Frame.trailers + Frame.reset, content: "ab", hasTrailers: true),
        ]

        static let atOnce = [
            Script(name: "a head and the end", first: [], second: Frame.head() + end, content: ""),
            Script(
                name: "a head, content and the end", first: [], second: Frame.head() + Frame.data("ab") + end,
                content: "ab"),
            Script(
                name: "a head and trailers", first: [], second: Frame.head() + Frame.trailers + Frame.reset,
                content: "", hasTrailers: true),
        ]
    }

    /// Sends the parts of a script after the first and the second chunk, of which each is an empty line.
    private func server(_ script: Script) throws -> RawHTTPServer {
        try RawHTTPServer { request in
            var response = RawHTTPServer.Response.stall
            // RFC 9113 §3.4: the preface looks like two requests.
            if request.number == 1 { response.bytes = Frame.settings }
            if request.number == 2 { response.bytes = script.first }
            if request.number == 3 { response.bytes = script.second }
            return response
        }
    }

    private func request(_ script: Script, _ source: Piecewise, to server: RawHTTPServer) -> HTTPRequest {
        var request = server.request(.post, body: HTTPBody(source.stream()))
        request.assumesHTTP2 = true
        request.wantsStream = true
        if script.hasTrailers { request.fields["te"] = "trailers" }
        return request
    }

    @Test(arguments: Script.all)
    func `A response that ends before its request over HTTP/2 is noticed while the source is silent`(script: Script)
        async throws
    {
        let server = try server(script)
        let source = Piecewise()
        source.give("\r\n\r\n")
        let response = try await CurlTransport().respond(to: request(script, source, to: server))
        expectEqual(response.status, .ok)
        source.give("\r\n\r\n")
        try await expectEnd(of: response, script)
    }

    @Test(arguments: Script.atOnce)
    func `An early HTTP/2 response is noticed even if it arrives in one piece`(script: Script)
        async throws
    {
        let server = try server(script)
        let source = Piecewise()
        source.give("\r\n\r\n")
        source.give("\r\n\r\n")
        do {
            let response = try await CurlTransport().respond(to: request(script, source, to: server))
            expectEqual(response.status, .ok)
            try await expectEnd(of: response, script)
        } catch let error as HTTPError {
            #expect(CurlLoop.losesBufferedData && error ~= .malformedMessage)
        }
    }

    /// Expects the whole content, or the error that says that an old libcurl may have lost the end of it.
    ///
    /// What that reads in one piece with the reset is lost, without a notice only if trailers have arrived.
    private func expectEnd(of response: HTTPResponse, _ script: Script) async throws {
        var content: [UInt8] = []
        var mayLose = CurlLoop.losesBufferedData && script.hasTrailers
        do {
            for try await chunk in response.body.chunks { content += chunk }
        } catch let error as HTTPError {
            mayLose = CurlLoop.losesBufferedData
            #expect(mayLose && error ~= .malformedMessage)
        }
        #expect(script.content.utf8.starts(with: content))
        #expect(mayLose || content.count == script.content.utf8.count)
    }
}

/// Frames of HTTP/2 on stream 1 (RFC 9113 §6).
private enum Frame {
    static let settings = frame(4, stream: 0, [])
    /// RST_STREAM with NO_ERROR.
    static let reset = frame(3, [0, 0, 0, 0])
    /// HEADERS with END_STREAM and END_HEADERS: `x-after: 7`, a literal with a new name (RFC 7541 §6.2.2).
    static let trailers = frame(1, flags: 5, [0, 7] + Array("x-after".utf8) + [1] + Array("7".utf8))

    /// HEADERS with END_HEADERS: `:status: 200`, and a content-length of one digit.
    static func head(length: Int? = nil) -> [UInt8] {
        frame(1, flags: 4, [0x88] + (length.map { [0x0F, 0x0D, 1, UInt8(0x30 + $0)] } ?? []))
    }

    static func data(_ text: String, isLast: Bool = false) -> [UInt8] {
        frame(0, flags: isLast ? 1 : 0, Array(text.utf8))
    }

    private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 1, _ content: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(content.count), type, flags, 0, 0, 0, stream] + content
    }
}
