// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import TestSupport
import Testing

@testable import LatchServer

@Suite struct LoopBalanceTests {
    /// Connects one client after the other, each of which gets a response.
    private func connect(_ count: Int, to port: Int) async throws -> [RawClient] {
        var clients: [RawClient] = []
        for _ in 0..<count {
            let client = try RawClient(port: port)
            await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await expectEqual(client.receiveResponse()?.status, .ok)
            clients.append(client)
        }
        return clients
    }

    @Test func `The loops of a server have the same number of connections, whichever accepts them`() async throws {
        let configuration = Server.Configuration.patient
        let shared = try EngineConfiguration(
            ImmediateClosureHandler { _ in HTTPResponse(status: .ok) }, configuration, ConnectionLimiter(configuration))
        let (engine, address) = (try Engine.start(shared, loops: 4), shared.address)
        var clients = try await connect(40, to: address.port)
        expectEqual(engine.connectionCounts, [10, 10, 10, 10])
        clients.removeFirst(26)
        try await eventually { engine.connectionCounts.reduce(0, +) == 14 }
        clients += try await connect(26, to: address.port)
        expectEqual(engine.connectionCounts, [10, 10, 10, 10])
        await engine.stop(grace: .zero)
        expectEqual(engine.connectionCounts, [0, 0, 0, 0])
        withExtendedLifetime(clients) {}
    }

    @Test
    func `The loops of a server answer the requests that have arrived when they stop`()
        async throws
    {
        let blocker = LoopBlocker()
        let shared = try EngineConfiguration(blocker.handler, .patient, ConnectionLimiter(.patient))
        let (engine, address) = (try Engine.start(shared, loops: 2), shared.address)
        var clients: [RawClient] = []
        func ask(_ path: String, times count: Int = 1) async throws {
            for _ in 0..<count {
                clients.append(try RawClient(port: address.port))
                await clients.last?.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            }
        }
        try await ask("/block")
        await blocker.waitUntilBlocked()
        // The other loop accepts them, and keeps half: the rest waits for the loop that is blocked.
        try await ask("/", times: 31)
        try await eventually { engine.connectionCounts == [16, 16] }
        let stop = Task { await engine.stop(grace: .seconds(600)) }
        try await eventually { engine.connectionCounts.min() == 0 }
        // Nobody accepts these before the blocked loop begins to stop.
        try await ask("/", times: 8)
        blocker.release()
        for client in clients { await expectEqual(client.receiveResponse()?.status, .ok) }
        await stop.value
        expectEqual(shared.limiter.total, 0)
    }

    @Test(.timeLimit(.minutes(2)))
    func `The loops of a server leave connections at an inherited socket to the process that takes over`() async throws
    {
        let manager = try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 16)
        try manager.startListening()
        defer { manager.close() }
        var configuration = Server.Configuration.patient
        configuration.inheritedSockets = [dup(manager.descriptor)]
        let blocker = LoopBlocker()
        let shared = try EngineConfiguration(blocker.handler, configuration, ConnectionLimiter(configuration))
        let engine = try Engine.start(shared, loops: 2)
        let idle = try RawClient(port: manager.port)
        await idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await expectEqual(idle.receiveResponse()?.status, .ok)
        let busy = try RawClient(port: manager.port)
        await busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await expectEqual(busy.receiveResponse()?.status, .ok)
        // In a later turn than that of the connection, whose loop may accept more until the turn ends.
        await busy.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
        await blocker.waitUntilBlocked()
        let stop = Task { await engine.stop(grace: .seconds(600)) }
        try await eventually { engine.connectionCounts.min() == 0 }
        // Nobody accepts it before the blocked loop begins to stop, nor then.
        let next = try RawClient(port: manager.port)
        blocker.release()
        await expectEqual(busy.receiveResponse()?.status, .ok)
        await stop.value
        let accepted = try #require(manager.accept())
        withExtendedLifetime(next) { SystemSocket.close(accepted.descriptor) }
    }
}
