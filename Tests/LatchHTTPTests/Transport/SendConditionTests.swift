// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import Synchronization
import TestSupport
import Testing

@Suite struct `A request with a condition` {
    @Test func `is not sent where it does not meet it, and says so`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let transport = CurlTransport()
        _ = try await transport.respond(to: server.request(.get, "/first"))
        let error = await #expect(throws: HTTPError.self) {
            try await SendCondition.$current.withValue({ false }) {
                try await transport.respond(to: server.request(.get, "/withdrawn"))
            }
        }
        #expect(error?.isUnsent == true)
        // The next one may have the connection.
        _ = try await transport.respond(to: server.request(.get, "/last"))
        #expect(server.requests.map(\.line) == ["GET /first HTTP/1.1", "GET /last HTTP/1.1"])
    }

    @Test func `is sent where it meets it when its connection is there`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let transport = CurlTransport()
        let isConnected = Mutex<[Bool]>([])
        let response = try await SendCondition.$current.withValue(
            {
                isConnected.withLock { $0.append(true) }
                return true
            },
            operation: { try await transport.respond(to: server.request()) })
        #expect(response.status == .ok)
        #expect(isConnected.withLock { $0 } == [true])
        #expect(server.requests.count == 1)
    }
}
