// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct MetricsTests {
    let clock = ManualClock()
    let metrics = SampleRecorder()

    private func client(
        _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) -> any Handler {
        ClosureHandler(answer).intercepted(by: [MetricsInterceptor(metrics, clock: clock.wallClock())])
    }

    private func request(_ method: HTTPMethod = .get, template: String? = nil) -> HTTPRequest {
        var request = HTTPRequest(method: method, authority: "h", path: "/users/42", body: HTTPBody("abc"))
        request.template = template
        return request
    }

    @Test func `Metrics of requests count by method, template and class of status`() async throws {
        for (status, template) in [
            (200, "/a/{id}"), (204, "/a/{id}"), (404, "/a/{id}"), (503, nil), (302, nil), (100, nil),
        ] {
            let client = client { _ in HTTPResponse(status: HTTPStatus(rawValue: status), body: HTTPBody("1234")) }
            _ = try await client.respond(to: request(template: template))
        }
        let expected = [
            ("/a/{id}", "2xx"), ("/a/{id}", "2xx"), ("/a/{id}", "4xx"), ("", "5xx"), ("", "3xx"), ("", "1xx"),
        ]
        expectEqual(metrics.samples.map(\.template), expected.map(\.0))
        expectEqual(metrics.samples.map(\.outcome), expected.map(\.1))
        #expect(metrics.samples.allSatisfy { $0.method == "GET" && $0.sentBytes == 3 && $0.receivedBytes == 4 })
        expectEqual(metrics.inFlight, 0)
    }

    @Test func `Metrics of requests count errors by their code, and those of others as one`() async {
        struct Odd: Error {}
        for error in [HTTPError.timeout, HTTPError.offline, CancellationError(), Odd()] as [any Error] {
            let client = client { _ in throw error }
            await #expect(throws: (any Error).self) { try await client.respond(to: request()) }
        }
        expectEqual(metrics.samples.map(\.outcome), ["timeout", "offline", "cancelled", "error"])
        expectEqual(metrics.inFlight, 0)
    }

    @Test func `Metrics of requests share one method and one outcome for uncommon methods and statuses`() async throws {
        for number in 0..<5 {
            let client = client { _ in HTTPResponse(status: HTTPStatus(rawValue: 600 + number)) }
            _ = try await client.respond(to: request(HTTPMethod(rawValue: "M\(number)")))
        }
        #expect(metrics.samples.allSatisfy { $0.method == "OTHER" && $0.outcome == "other" })
    }

    @Test func `Metrics of requests measure durations on a clock that no date moves`() async throws {
        for milliseconds in [0, 10, 11, 100, 101, 5000] {
            let client = client { [clock] _ in
                clock.jump(by: -3600)
                clock.advance(by: .milliseconds(milliseconds))
                return HTTPResponse(status: .ok)
            }
            _ = try await client.respond(to: request())
        }
        expectEqual(metrics.samples.map(\.duration), [0, 10, 11, 100, 101, 5000].map { .milliseconds($0) })
    }

    @Test func `Metrics of requests count the requests in progress`() async throws {
        let client = client { [clock] _ in
            try await clock.wallClock().sleep(for: .seconds(1))
            return HTTPResponse(status: .ok)
        }
        let tasks = (0..<3).map { _ in Task { try await client.respond(to: request()) } }
        _ = await clock.sleepers(atLeast: 3)
        expectEqual(metrics.inFlight, 3)
        clock.advance(by: .seconds(1))
        for task in tasks { _ = try await task.value }
        expectEqual(metrics.inFlight, 0)
    }
}
