// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer
import LatchTesting
import Testing

@Suite struct `A client that reads slowly` {
    static let length = 100 << 20
    static let long = HandlerFunction { _ in
        HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 65, count: length)))
    }

    /// How much of a long answer a client gets that reads small pieces without ever stopping.
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

    @Test func `is closed though each of its drips is progress`() async throws {
        var configuration = Server.Configuration.patient
        configuration.idleTimeout = .milliseconds(100)
        // Nobody is as fast as this, so whatever the client takes is a drip.
        configuration.minimumAnswerRate = 1 << 40
        #expect(try await Self.received(configuration, pieces: 2048, receiveBuffer: 1 << 18) < Self.length)
    }

    @Test func `gets everything where it keeps up with the rate that is asked of it`() async throws {
        var configuration = Server.Configuration.patient
        configuration.idleTimeout = .seconds(600)
        configuration.minimumAnswerRate = 1
        #expect(try await Self.received(configuration, pieces: 1 << 20) >= Self.length)
    }
}
