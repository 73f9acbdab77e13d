// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import TestSupport
import Testing

@testable import LatchServer

@Suite struct `The loops of a server` {
    /// Connects one client after the other, each of which gets a response.
    private func connect(_ count: Int, to port: Int) async throws -> [RawClient] {
        var clients: [RawClient] = []
        for _ in 0..<count {
            let client = try RawClient(port: port)
            await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await client.receiveResponse()?.status == .ok)
            clients.append(client)
        }
        return clients
    }

    @Test func `have the same number of connections, whichever of them accepts`() async throws {
        var configuration = Server.Configuration.patient
        configuration.loops = 4
        let (engine, address) = try Engine.start(
            ImmediateClosureHandler { _ in HTTPResponse(status: .ok) }, configuration)
        var clients = try await connect(40, to: address.port)
        #expect(engine.connectionCounts == [10, 10, 10, 10])
        clients.removeFirst(26)
        try await eventually { engine.connectionCounts.reduce(0, +) == 14 }
        clients += try await connect(26, to: address.port)
        #expect(engine.connectionCounts == [10, 10, 10, 10])
        await engine.stop(grace: .zero)
        #expect(engine.connectionCounts == [0, 0, 0, 0])
        withExtendedLifetime(clients) {}
    }

    @Test func `lose no connection that one has accepted for another while they stop`() async throws {
        for _ in 0..<20 {
            var configuration = Server.Configuration.patient
            configuration.loops = 4
            let (engine, address) = try Engine.start(
                ImmediateClosureHandler { _ in HTTPResponse(status: .ok) }, configuration)
            let clients = try (0..<32).map { _ in try RawClient(port: address.port) }
            let requests = clients.map { client in
                Task {
                    await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return await client.receiveResponse()?.status
                }
            }
            await engine.stop(grace: .seconds(600))
            #expect(engine.connectionCount == 0)
            for request in requests {
                // A connection that had sent nothing yet is idle, and may be closed.
                if let status = await request.value { #expect(status == .ok) }
            }
        }
    }
}
