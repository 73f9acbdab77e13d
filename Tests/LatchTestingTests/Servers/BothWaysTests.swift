// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite struct BothWaysTests {
    struct Mishap: Error {}

    @Test func `A body that runs both ways runs once in process and once over a socket`() async throws {
        let addresses = Mutex<[String?]>([])
        let handler = ClosureHandler { request in
            addresses.withLock { $0.append(request.remoteAddress) }
            return HTTPResponse(status: .noContent)
        }
        try await bothWays(handler) { api in
            _ = try await api.respond(to: HTTPRequest(authority: "localhost", path: "/"))
        }
        expectEqual(addresses.withLock { $0 }, [nil, "127.0.0.1"])
    }

    @Test func `A body that runs both ways sees a problem in both cases if the handler throws`() async throws {
        let statuses = Mutex<[HTTPStatus]>([])
        try await bothWays(ClosureHandler { _ in throw Mishap() }) { api in
            let response = try await api.respond(to: HTTPRequest(authority: "localhost", path: "/"))
            statuses.withLock { $0.append(response.status) }
        }
        expectEqual(statuses.withLock { $0 }, [.internalServerError, .internalServerError])
    }

    @Test func `A body that runs both ways leaves no server behind when it throws`() async throws {
        let address = Mutex<Server.Address?>(nil)
        // An address that no other test uses, so that nobody takes the port.
        let configuration = Server.Configuration(host: "127.0.0.4", port: 0)
        await #expect(throws: Mishap.self) {
            try await serving(ClosureHandler { _ in HTTPResponse(status: .ok) }, configuration: configuration) {
                served in
                address.withLock { $0 = served }
                throw Mishap()
            }
        }
        let port = try #require(address.withLock { $0 }).port
        #expect(throws: HTTPError.self) { try RawClient(port: port, host: "127.0.0.4") }
    }
}
