// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import TestSupport
import Testing

@testable import LatchHTTP

@Suite(.timeLimit(.minutes(2))) struct RequestLimitTests {
    private static let ages = Duration.seconds(600)

    /// A transport whose own limits end nothing here.
    private func transport(connectTimeout: Duration = ages) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        (configuration.connectTimeout, configuration.timeout) = (connectTimeout, Self.ages)
        return CurlTransport(configuration: configuration)
    }

    private func request(_ listener: RawListener, scheme: String = "http") -> HTTPRequest {
        HTTPRequest(scheme: scheme, authority: "127.0.0.1:\(listener.port)", path: "/")
    }

    /// The error of a request whose limit grows until it passes in a phase: on a busy machine it may pass before.
    private func failure(
        in phase: RequestPhase, _ call: (Duration) async throws -> Void
    ) async throws -> HTTPError {
        for attempt in 1... {
            let error = try #require(
                await #expect(throws: HTTPError.timeout) { try await call(.milliseconds(100 * attempt)) })
            if error.phase == phase || attempt == 8 { return error }
        }
        throw HTTPError.timeout
    }

    @Test(arguments: [true, false])
    func `A request's timeout ends a handshake that takes too long`(isStream: Bool) async throws {
        let (listener, transport) = (try RawListener(), transport())
        let error = try await failure(in: .securing) { limit in
            var request = request(listener, scheme: "https")
            (request.connectTimeout, request.wantsStream) = (limit, isStream)
            _ = try await transport.respond(to: request)
        }
        #expect(error.phase == .securing && error.isUnsent)
        #expect(error.message.hasSuffix("the limit passed during the TLS handshake."))
    }

    @Test func `A request's limits do not replace the transport's for later requests`() async throws {
        let (listener, transport) = (try RawListener(), transport(connectTimeout: .milliseconds(200)))
        let server = try RawHTTPServer { _ in .response(body: "good") }
        var longer = server.request()
        longer.connectTimeout = Self.ages
        try await expectEqual(transport.respond(to: longer).body.text, "good")
        let error = await #expect(throws: HTTPError.timeout) {
            try await transport.respond(to: request(listener, scheme: "https"))
        }
        expectEqual(error?.isUnsent, true)
    }

    @Test(arguments: [true, false])
    func `A request's idle timeout ends a silence before the response head`(isStream: Bool) async throws {
        let (server, transport) = (try RawHTTPServer { _ in .stall }, transport())
        let error = try await failure(in: .awaitingResponse) { limit in
            var request = server.request()
            (request.idleTimeout, request.wantsStream) = (limit, isStream)
            _ = try await transport.respond(to: request)
        }
        expectEqual(error.phase, .awaitingResponse)
    }

    /// RFC 9110 §15.2: a client waits on for the final response.
    @Test(arguments: [true, false])
    func `An interim response does not count as progress for the idle timeout`(isIdle: Bool)
        async throws
    {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let (server, transport) = (try RawHTTPServer { _ in .text(interim + interim) }, transport())
        let error = try await failure(in: .awaitingResponse) { limit in
            var request = server.request()
            if isIdle { request.idleTimeout = limit } else { request.timeout = limit }
            _ = try await transport.respond(to: request)
        }
        #expect(error.phase == .awaitingResponse && !error.isUnsent)
        #expect(error.message.hasSuffix("while waiting for the response."))
    }

    @Test(arguments: [true, false])
    func `A request's idle timeout ends a silence in the content`(isStream: Bool) async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }
        let transport = transport()
        let error = try await failure(in: .receiving) { limit in
            var request = server.request()
            (request.idleTimeout, request.wantsStream) = (limit, isStream)
            _ = try await transport.respond(to: request).body.collected(upTo: 100)
        }
        expectEqual(error.phase, .receiving)
    }

    /// Calls a body with an idle timeout, beyond which a server makes progress; on a busy machine it may be too short for that.
    private func patiently(_ body: (Duration) async throws -> Void) async throws {
        for attempt in 1...5 {
            do {
                return try await body(.milliseconds(1000 * attempt))
            } catch HTTPError.timeout where attempt < 5 {}
        }
    }

    @Test
    func `A response that makes progress is not ended by the idle timeout`() async throws {
        try await patiently(respond)
    }

    private func respond(idle: Duration) async throws {
        let listener = try RawListener()
        var request = request(listener)
        request.idleTimeout = idle
        let call = Task { [request, transport = transport()] in try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        _ = await peer.receive(through: "\r\n\r\n")
        await peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        let start = ContinuousClock.now
        var count = 0
        while ContinuousClock.now - start < idle * 2, await peer.send([0x61]) { count += 1 }
        peer.endSending()
        try await expectEqual(call.value.body.bytes.count, count)
    }

    @Test
    func `Sent content counts as progress for the idle timeout`() async throws {
        try await patiently(upload)
    }

    /// The kernel holds 85 KB of the content, and takes more each time when the server has read 8 KiB.
    private func upload(idle: Duration) async throws {
        let listener = try RawListener(receiveBuffer: 4096, segmentSize: 1000)
        var request = request(listener)
        (request.method, request.body) = (.post, HTTPBody([UInt8](repeating: 0x61, count: 16 << 20)))
        request.idleTimeout = idle
        let call = Task { [request, transport = transport()] in try await transport.respond(to: request) }
        let peer = try #require(await listener.accept())
        let head = try #require(await peer.receive(through: "\r\n\r\n"))
        let start = try #require(head.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
        var left = request.body.bytes.count - (head.count - start)
        // In drips for twice the limit, in which less is read than the content has, and then as fast as it comes.
        let end = ContinuousClock.now + idle * 2
        while left > 0, let bytes = await peer.receive(upTo: ContinuousClock.now < end ? 16 : 1 << 16) {
            left -= bytes.count
        }
        await peer.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await expectEqual(call.value.status, .noContent)
        expectEqual(left, 0)
    }

    @Test func `With an idle timeout, a request's timeout ends the whole stream`() async throws {
        let listener = try RawListener()
        let sending = Task {
            guard let peer = await listener.accept() else { return }
            _ = await peer.receive(through: "\r\n\r\n")
            await peer.send("HTTP/1.1 200 OK\r\n\r\n")
            while !Task.isCancelled, await peer.send([UInt8](repeating: 1, count: 1000)) {}
        }
        var request = request(listener)
        (request.wantsStream, request.timeout, request.idleTimeout) = (true, .milliseconds(500), Self.ages)
        let (endless, transport) = (request, transport())
        await #expect(throws: HTTPError.timeout) {
            for try await _ in try await transport.respond(to: endless).body.chunks {}
        }
        sending.cancel()
        await sending.value
    }
}

@Suite struct RouteLimitTests {
    private func request<Response>(_ route: Route<Response>, timeout: Duration? = .seconds(30)) throws -> HTTPRequest {
        let url = try #require(URL(string: "https://h/v1"))
        let transport = ClosureHandler { _ in HTTPResponse(status: .ok) }
        return try Client(baseURL: url, transport: transport, timeout: timeout).request(for: route)
    }

    @Test func `A route's limits become the limits of its request`() throws {
        let plain = try request(Route<Void>.get("x"))
        #expect(plain.timeout == .seconds(30) && plain.connectTimeout == nil && plain.idleTimeout == nil)
        #expect(try request(.get("x"), timeout: nil).limits.isEmpty)
        let all = Route<Void>.get("x").timeout(.seconds(9), connect: .seconds(1), idle: .seconds(2))
        let request = try request(all)
        expectEqual(request.timeout, .seconds(9))
        #expect(request.connectTimeout == .seconds(1) && request.idleTimeout == .seconds(2))
        let later = try self.request(all.timeout(.seconds(8)).timeout(connect: .seconds(3)))
        #expect(later.timeout == .seconds(8) && later.connectTimeout == .seconds(3))
        expectEqual(later.idleTimeout, .seconds(2))
    }

    @Test func `A route's timeout ends a whole stream only if the route sets it`() throws {
        let stream = Route<HTTPBodyStream>.stream(.get, "x")
        try expectNil(request(stream).streamTimeLimit)
        try expectNil(request(stream.timeout(.seconds(9))).streamTimeLimit)
        try expectNil(request(stream.timeout(idle: .seconds(2))).streamTimeLimit)
        var request = try request(stream.timeout(.seconds(9), idle: .seconds(2)))
        expectEqual(request.streamTimeLimit, .seconds(9))
        request.tighten(to: Deadline(in: .seconds(7), clock: ManualClock().wallClock()))
        expectEqual(request.streamTimeLimit, .seconds(7))
        request.timeout = .seconds(1)
        expectEqual(request.streamTimeLimit, .seconds(1))
    }

    @Test func `A route's limits do not end a request that only its connection can end`() throws {
        var request = try request(Route<Void>.post("x").timeout(.seconds(9), idle: .seconds(2)))
        expectEqual(request.silenceLimit, .seconds(2))
        request.isUninterruptible = true
        #expect(request.silenceLimit == nil && request.streamTimeLimit == nil)
    }
}
