// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer
import LatchTesting
import Testing

@Suite struct `A client that trickles` {
    static let impatient: Server.Configuration = {
        var configuration = Server.Configuration()
        configuration.headDeadline = .milliseconds(150)
        configuration.bodyDeadline = .milliseconds(150)
        configuration.idleTimeout = .milliseconds(150)
        return configuration
    }()

    /// Sends a beginning, then a byte whenever the last is taken, until the server has had enough of it.
    static func responses(toTrickleAfter beginning: String) async throws -> [HTTPResponse] {
        let ok = HandlerFunction { _ in HTTPResponse(status: .ok) }
        return try await serving(ok, configuration: impatient) { address in
            let client = try RawClient(port: address.port)
            await client.send(beginning)
            let trickle = Task {
                while !Task.isCancelled, await client.send("a") { await Task.yield() }
            }
            let responses = await client.receiveResponses()
            trickle.cancel()
            await trickle.value
            return responses
        }
    }

    @Test func `its head gets 408 at the deadline, however steadily it sends`() async throws {
        var configuration = Self.impatient
        configuration.maximumHeaderBytes = 1 << 30
        let ok = HandlerFunction { _ in HTTPResponse(status: .ok) }
        try await serving(ok, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send("GET / HTTP/1.1\r\nX: ")
            let trickle = Task { while !Task.isCancelled, await client.send("a") { await Task.yield() } }
            #expect(await client.receiveResponses().map(\.status) == [408])
            trickle.cancel()
            await trickle.value
        }
    }

    @Test func `its content gets 408 at the deadline, however steadily it sends`() async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
        #expect(try await Self.responses(toTrickleAfter: head).map(\.status) == [408])
    }

    @Test(arguments: ["G", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r"])
    func `a head that stops gets 408`(beginning: String) async throws {
        let ok = HandlerFunction { _ in HTTPResponse(status: .ok) }
        try await serving(ok, configuration: Self.impatient) { address in
            let client = try RawClient(port: address.port)
            await client.send(beginning)
            #expect(await client.receiveResponses().map(\.status) == [408])
        }
    }

    @Test func `a chunked content that stops gets 408`() async throws {
        let ok = HandlerFunction { _ in HTTPResponse(status: .ok) }
        try await serving(ok, configuration: Self.impatient) { address in
            let client = try RawClient(port: address.port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
            #expect(await client.receiveResponses().map(\.status) == [408])
        }
    }

    @Test func `a connection without a request is closed without a word`() async throws {
        let ok = HandlerFunction { _ in HTTPResponse(status: .ok) }
        try await serving(ok, configuration: Self.impatient) { address in
            let silent = try RawClient(port: address.port)
            #expect(await silent.receiveAll().isEmpty)
            let idle = try RawClient(port: address.port)
            await idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await idle.receiveResponses().map(\.status) == [.ok])
        }
    }

    @Test func `one that reads nothing of its answer is closed`() async throws {
        let (asked, signal) = AsyncStream.makeStream(of: Void.self)
        let long = HandlerFunction { _ in
            signal.yield()
            return HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 65, count: 50 << 20)))
        }
        let server = Server(handler: long, configuration: Self.impatient)
        let address = try await server.start()
        let client = try RawClient(port: address.port)
        await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in asked { break }
        while server.connectionCount > 0 { await Task.yield() }
        #expect(await client.receiveAll().count < 50 << 20)
        await server.shutdown(grace: .zero)
    }
}
