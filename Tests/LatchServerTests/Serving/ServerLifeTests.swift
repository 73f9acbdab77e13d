// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct ServerLifeTests {
    static let ok = ClosureHandler { _ in HTTPResponse(status: .ok) }
    static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `A server returns its address`() async throws {
        let server = Server(handler: Self.ok)
        expectNil(server.address)
        let address = try await server.start()
        expectEqual(address.url, "http://127.0.0.1:\(address.port)")
        #expect(address.port > 0)
        expectEqual(server.address, address)
        await server.shutdown(grace: .seconds(1))
        expectNil(server.address)
    }

    @Test func `A server refuses clients between its address and its start`() async throws {
        let server = Server(handler: Self.ok)
        let address = try server.bind()
        expectEqual(server.address, address)
        #expect(throws: ServerError.alreadyStarted) { try server.bind() }
        #expect(throws: (any Error).self) { try RawClient(port: address.port) }
        try await expectEqual(server.start(), address)
        let client = try RawClient(port: address.port)
        await client.send(Self.request)
        await expectEqual(client.receiveResponse()?.status, .ok)
        await server.shutdown(grace: .zero)
    }

    @Test func `A server leaves its address to others if it does not start`() async throws {
        let server = Server(handler: Self.ok, configuration: .init(host: Loopback.address(4), port: 0))
        let port = try server.bind().port
        await server.shutdown(grace: .zero)
        expectNil(server.address)
        let other = Server(handler: Self.ok, configuration: .init(host: Loopback.address(4), port: port))
        try await expectEqual(other.start().port, port)
        await other.shutdown(grace: .zero)
    }

    @Test func `A server reports at its start that another one has begun to listen at its address`() async throws {
        let first = Server(handler: Self.ok)
        let port = try first.bind().port
        let second = Server(handler: Self.ok, configuration: .init(port: port))
        try await expectEqual(second.start().port, port)
        await #expect(throws: ServerError.portInUse) { try await first.start() }
        await second.shutdown(grace: .zero)
    }

    @Test func `A server listens on a name and on IPv6`() async throws {
        let byName = Server(handler: Self.ok, configuration: .init(host: "localhost", port: 0))
        #expect(try await byName.start().port > 0)
        await byName.shutdown(grace: .zero)
        let sixth = Server(handler: Self.ok, configuration: .init(host: "::1", port: 0))
        let (address, failure) = await Self.outcome(of: sixth)
        if let address {
            expectEqual(address.url, "http://[::1]:\(address.port)")
        } else {
            // A machine without IPv6 says just this.
            expectEqual(failure?.code, ServerError.addressUnavailable.code)
        }
        await sixth.shutdown(grace: .zero)
    }

    static func outcome(of server: Server) async -> (Server.Address?, ServerError?) {
        do throws(ServerError) { return (try await server.start(), nil) } catch { return (nil, error) }
    }

    @Test func `A server reports a port that is in use`() async throws {
        try await serving(Self.ok) { address in
            let second = Server(handler: Self.ok, configuration: .init(port: address.port))
            let error = await #expect(throws: ServerError.self) { try await second.start() }
            expectEqual(error?.code, ServerError.portInUse.code)
            expectEqual(error?.message.contains(String(address.port)), true)
            #expect(error?.hint != nil)
        }
    }

    @Test(arguments: [("203.0.113.7", 0), ("no such host", 0), ("127.0.0.1", 65536), ("127.0.0.1", -1)])
    func `A server reports an address that is unavailable`(host: String, port: Int) async throws {
        let server = Server(handler: Self.ok, configuration: .init(host: host, port: port))
        let error = await #expect(throws: ServerError.self) { try await server.start() }
        expectEqual(error?.code, ServerError.addressUnavailable.code)
        #expect(error?.hint != nil)
    }

    @Test func `A server starts once`() async throws {
        let server = Server(handler: Self.ok)
        try await server.start()
        let error = await #expect(throws: ServerError.self) { try await server.start() }
        expectEqual(error?.code, ServerError.alreadyStarted.code)
        await server.shutdown(grace: .zero)
        await server.shutdown(grace: .zero)
    }

    @Test func `A server can listen again at once after another has stopped`() async throws {
        var listensAgain = false
        for _ in 0..<20 where !listensAgain { listensAgain = try await Self.listensAgain() }
        #expect(listensAgain)
    }

    /// Returns whether a server can listen on a port that another one with a connection has just released.
    ///
    /// A server of another test may take the port in between, hence the Bool. In one function with the loop this made the
    /// compiler of Swift 6.3 hang.
    private static func listensAgain() async throws -> Bool {
        let left = try await serving(Self.ok) { address in
            let client = try RawClient(port: address.port)
            await client.send(Self.request)
            await expectEqual(client.receiveResponse()?.status, .ok)
            return address.port
        }
        let second = Server(handler: Self.ok, configuration: .init(port: left))
        do {
            let port = try await second.start().port
            await second.shutdown(grace: .zero)
            return port == left
        } catch ServerError.portInUse {
            return false
        }
    }

    /// An address that one test uses alone, so that no other test takes a released port.
    static func patient(at host: String) -> Server.Configuration {
        var configuration = Server.Configuration.patient
        configuration.host = host
        return configuration
    }

    /// A handler that responds when the test wants it.
    struct Gate: Handler {
        let entered = AsyncStream<Void>.makeStream()
        let leave = AsyncStream<Void>.makeStream()

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            entered.continuation.yield()
            for await _ in leave.stream { break }
            return HTTPResponse(status: Task.isCancelled ? .serviceUnavailable : .ok)
        }
    }

    @Test func `A server lets requests in flight finish and closes the others when it stops`() async throws {
        let gate = Gate()
        let server = Server(handler: gate, configuration: Self.patient(at: Loopback.address(2)))
        let address = try await server.start()
        let (busy, idle) = (
            try RawClient(port: address.port, host: Loopback.address(2)),
            try RawClient(port: address.port, host: Loopback.address(2))
        )
        await busy.send(Self.request)
        for await _ in gate.entered.stream { break }
        async let stopped: Void = server.shutdown(grace: .seconds(600))
        // An idle connection is closed as the first thing, so from then on the server is draining.
        #expect(await idle.receiveAll().isEmpty)
        gate.leave.continuation.yield()
        let responses = await busy.receiveResponses()
        expectEqual(responses.map(\.status), [.ok])
        expectEqual(responses.first?.fields["Connection"], "close")
        busy.reset()
        await stopped
        #expect(throws: HTTPError.self) { try RawClient(port: address.port, host: Loopback.address(2)) }
    }

    @Test func `A server cancels unfinished requests after its grace period`() async throws {
        let gate = Gate()
        let server = Server(handler: gate, configuration: .patient)
        let address = try await server.start()
        let client = try RawClient(port: address.port)
        await client.send(Self.request)
        for await _ in gate.entered.stream { break }
        await server.shutdown(grace: .milliseconds(50))
        #expect(await client.receiveAll().isEmpty)
    }

    @Test func `A server finishes a request that is still arriving when it stops`() async throws {
        let server = Server(handler: Self.ok, configuration: .patient)
        let address = try await server.start()
        let (slow, idle) = (try RawClient(port: address.port), try RawClient(port: address.port))
        await slow.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        await expectEqual(slow.receiveResponse()?.status, 100)
        async let stopped: Void = server.shutdown(grace: .seconds(600))
        #expect(await idle.receiveAll().isEmpty)
        await slow.send("abc")
        await expectEqual(slow.receiveResponses().map(\.status), [.ok])
        slow.reset()
        await stopped
    }

    @Test func `A server runs until its task is canceled`() async throws {
        let server = Server(handler: Self.ok, configuration: Self.patient(at: Loopback.address(3)))
        let address = try await server.start()
        let run = Task { try await server.run() }
        let client = try RawClient(port: address.port, host: Loopback.address(3))
        await client.send(Self.request)
        await expectEqual(client.receiveResponse()?.status, .ok)
        run.cancel()
        try await run.value
        #expect(await client.receiveAll().isEmpty)
        #expect(throws: HTTPError.self) { try RawClient(port: address.port, host: Loopback.address(3)) }
    }

    @Test func `A server ends its run when it is shut down`() async throws {
        let server = Server(handler: Self.ok, configuration: .patient)
        let run = Task { try await server.run() }
        try await eventually { server.address != nil }
        await server.shutdown(grace: .seconds(1))
        try await run.value
    }

    @Test func `A server fails its run when it cannot start`() async throws {
        await #expect(throws: ServerError.self) {
            try await Server(handler: Self.ok, configuration: .init(host: "203.0.113.7", port: 1)).run()
        }
    }
}
