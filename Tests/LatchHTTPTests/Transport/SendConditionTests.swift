// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite struct SendConditionTests {
    @Test func `A request with a condition is not sent if it does not meet it, and says so`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let transport = CurlTransport()
        _ = try await transport.respond(to: server.request(.get, "/first"))
        let error = await #expect(throws: HTTPError.self) {
            try await SendCondition.$current.withValue({ false }) {
                try await transport.respond(to: server.request(.get, "/withdrawn"))
            }
        }
        expectEqual(error?.isUnsent, true)
        // The next one may have the connection.
        _ = try await transport.respond(to: server.request(.get, "/last"))
        expectEqual(server.requests.map(\.line), ["GET /first HTTP/1.1", "GET /last HTTP/1.1"])
    }

    @Test func `A request with a condition is sent if it meets it when its connection is ready`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let transport = CurlTransport()
        let isConnected = Mutex<[Bool]>([])
        let response = try await SendCondition.$current.withValue(
            {
                isConnected.withLock { $0.append(true) }
                return true
            },
            operation: { try await transport.respond(to: server.request()) })
        expectEqual(response.status, .ok)
        expectEqual(isConnected.withLock { $0 }, [true])
        expectEqual(server.requests.count, 1)
    }

    @Test
    func `A request with a condition has no time limit if it is a POST, since only a refresh has a condition`()
        async throws
    {
        let (answer, end) = (Gate(), Gate())
        let handler = ClosureHandler { request in
            await (request.pathWithoutQuery == "/silent" ? end : answer).pass()
            return HTTPResponse(status: .created)
        }
        try await serving(handler) { address in
            defer { end.open() }
            let url = try #require(URL(string: "http://127.0.0.1:\(address.port)"))
            let transport = CurlTransport()
            @Sendable func send(_ method: HTTPMethod, _ path: String) async throws -> HTTPStatus {
                var request = try HTTPRequest(method: method, url: url.appending(path: path))
                request.timeout = .milliseconds(20)
                return try await transport.respond(to: request).status
            }
            let isOver = Mutex(false)
            try await SendCondition.$current.withValue({ isOver.withLock { $0 } ? nil : true }) {
                async let refreshed = send(.post, "/refresh")
                await answer.reached()
                await #expect(throws: HTTPError.timeout) { try await send(.get, "/silent") }
                answer.open()
                let status = try await refreshed
                expectEqual(status, .created)
                isOver.withLock { $0 = true }
                await #expect(throws: HTTPError.timeout) { try await send(.post, "/silent") }
            }
        }
    }
}
