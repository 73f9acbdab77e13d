// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct SlowReaderTests {
    static let length = 100 << 20
    static let long = ClosureHandler { _ in
        HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 65, count: length)))
    }

    /// Returns how much of a long response a client gets that reads small pieces without stopping.
    static func received(
        _ configuration: Server.Configuration, pieces: Int, receiveBuffer: Int? = nil
    ) async throws -> Int {
        let server = Server(handler: long, configuration: configuration)
        let client = try RawClient(port: try await server.start().port, receiveBuffer: receiveBuffer)
        await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        var count = 0
        while count < length, let bytes = await client.receive(upTo: pieces) {
            count += bytes.count
        }
        client.reset()
        await server.shutdown(grace: .zero)
        return count
    }

    @Test func `A client that reads slowly is closed although each of its reads is progress`() async throws {
        var configuration = Server.Configuration.patient
        configuration.idleTimeout = .milliseconds(100)
        // Nobody is as fast as this, so whatever the client takes is a drip.
        configuration.minimumSendRate = 1 << 40
        #expect(try await Self.received(configuration, pieces: 2048, receiveBuffer: 1 << 18) < Self.length)
    }

    @Test func `A client that reads slowly gets everything if it keeps up with the minimum rate`() async throws {
        var configuration = Server.Configuration.patient
        configuration.idleTimeout = .seconds(600)
        configuration.minimumSendRate = 1
        #expect(try await Self.received(configuration, pieces: 1 << 20) >= Self.length)
    }
}
