// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import TestTags
import Testing

/// Tests with a clock that they advance themselves, and the default deadlines.
@Suite(.tags(.slowClient)) struct DeadlineTests {
    static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    static let ok = ClosureHandler { _ in HTTPResponse(status: .ok) }
    let uptime = ManualUptime()

    /// Returns the response to a partial request, followed by a byte every three seconds and then by silence.
    func statuses(of beginning: String, bytes: Int = 0, seconds: Int) async throws -> [HTTPStatus] {
        var configuration = Server.Configuration.kept(by: uptime)
        configuration.maximumHeaderBytes = 1 << 30
        return try await serving(Self.ok, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send(beginning)
            try await Self.settle(address)
            for _ in 0..<bytes {
                uptime.advance(bySeconds: 3)
                await client.send("a")
                try await Self.settle(address)
            }
            uptime.advance(bySeconds: seconds)
            return await client.receiveResponses().map(\.status)
        }
    }

    /// Returns once the server has taken in what was sent before: it is asked by another connection, and takes events in
    /// their order.
    static func settle(_ address: Server.Address) async throws {
        let witness = try RawClient(port: address.port)
        await witness.send(request)
        try #require(await witness.receiveResponse()?.status == .ok)
    }

    @Test func `A trickling client's head gets 408 at the deadline, however steadily it sends`() async throws {
        try await expectEqual(statuses(of: "GET / HTTP/1.1\r\nX: ", bytes: 3, seconds: 2), [408])
    }

    @Test func `A trickling client's content gets 408 at the deadline, however steadily it sends`() async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
        try await expectEqual(statuses(of: head, bytes: 9, seconds: 4), [408])
    }

    @Test(arguments: ["G", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r"])
    func `A trickling client's head that stops gets 408`(beginning: String) async throws {
        try await expectEqual(statuses(of: beginning, seconds: 11), [408])
    }

    @Test func `A trickling client's chunked content that stops gets 408`() async throws {
        let beginning = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"
        try await expectEqual(statuses(of: beginning, seconds: 31), [408])
    }

    @Test(arguments: ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n", "GET / HTTP/1.1\r\nX: "])
    func `A trickling client that completes its request in time gets its response`(beginning: String) async throws {
        try await serving(Self.ok, configuration: .kept(by: uptime)) { address in
            let client = try RawClient(port: address.port)
            await client.send(beginning)
            try await Self.settle(address)
            uptime.advance(bySeconds: 9)
            await client.send(beginning.hasPrefix("GET") ? "\r\nHost: a\r\n\r\n" : "123456789")
            await expectEqual(client.receiveResponse()?.status, .ok)
        }
    }

    @Test func `A trickling client's connection without a request is closed without a response`() async throws {
        try await serving(Self.ok, configuration: .kept(by: uptime)) { address in
            let (silent, idle) = (try RawClient(port: address.port), try RawClient(port: address.port))
            await idle.send(Self.request)
            await expectEqual(idle.receiveResponse()?.status, .ok)
            try await Self.settle(address)
            uptime.advance(bySeconds: 11)
            #expect(await silent.receiveAll().isEmpty)
            uptime.advance(bySeconds: 50)
            #expect(await idle.receiveAll().isEmpty)
        }
    }

    @Test func `A trickling client that does not read its response is closed`() async throws {
        let (asked, signal) = AsyncStream.makeStream(of: Void.self)
        let long = ClosureHandler { _ in
            signal.yield()
            return HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 65, count: 50 << 20)))
        }
        let server = Server(handler: long, configuration: .kept(by: uptime))
        let address = try await server.start()
        let client = try RawClient(port: address.port)
        await client.send(Self.request)
        for await _ in asked { break }
        while server.connectionCount > 0 {
            uptime.advance(bySeconds: 61)
            await Task.yield()
        }
        #expect(await client.receiveAll().count < 50 << 20)
        await server.shutdown(grace: .zero)
    }
}
