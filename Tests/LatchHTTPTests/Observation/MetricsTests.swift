// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct `Metrics of requests` {
    let clock = ManualClock()
    let metrics = RequestMetrics(bounds: [.milliseconds(10), .milliseconds(100)])

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

    private func labels(_ method: String, _ template: String, _ outcome: String) -> RequestSample.Labels {
        RequestSample.Labels(method: method, template: template, outcome: outcome)
    }

    @Test func `count by method, template and class of status`() async throws {
        for (status, template) in [
            (200, "/a/{id}"), (204, "/a/{id}"), (404, "/a/{id}"), (503, nil), (302, nil), (100, nil),
        ] {
            let client = client { _ in HTTPResponse(status: HTTPStatus(rawValue: status), body: HTTPBody("1234")) }
            _ = try await client.respond(to: request(template: template))
        }
        let series = metrics.snapshot().series
        #expect(series[labels("GET", "/a/{id}", "2xx")]?.durations.count == 2)
        #expect(series[labels("GET", "/a/{id}", "4xx")]?.durations.count == 1)
        #expect(series[labels("GET", "", "5xx")]?.durations.count == 1)
        #expect(series[labels("GET", "", "3xx")]?.durations.count == 1)
        #expect(series[labels("GET", "", "1xx")]?.durations.count == 1)
        #expect(series[labels("GET", "/a/{id}", "2xx")]?.sentBytes == 6)
        #expect(series[labels("GET", "/a/{id}", "2xx")]?.receivedBytes == 8)
        #expect(metrics.snapshot().count == 6)
        #expect(metrics.snapshot().inFlight == 0)
    }

    @Test func `count errors by their code, and those of others as one`() async {
        struct Odd: Error {}
        for error in [HTTPError.timeout, HTTPError.offline, CancellationError(), Odd()] as [any Error] {
            let client = client { _ in throw error }
            await #expect(throws: (any Error).self) { try await client.respond(to: request()) }
        }
        let outcomes = metrics.snapshot().series.keys.map(\.outcome).sorted()
        #expect(outcomes == ["cancelled", "error", "offline", "timeout"])
        #expect(metrics.snapshot().inFlight == 0)
    }

    @Test func `keep methods and statuses that nobody knows from making series without end`() async throws {
        for number in 0..<50 {
            let client = client { _ in HTTPResponse(status: HTTPStatus(rawValue: 600 + number)) }
            _ = try await client.respond(to: request(HTTPMethod(rawValue: "M\(number)")))
        }
        #expect(Array(metrics.snapshot().series.keys) == [labels("OTHER", "", "other")])
    }

    @Test func `keep templates from making series without end`() async throws {
        let client = client { _ in HTTPResponse(status: .ok) }
        for number in 0..<1100 { _ = try await client.respond(to: request(template: "/\(number)")) }
        #expect(metrics.snapshot().series.count == 1025)
        #expect(metrics.snapshot().series[labels("GET", "", "2xx")]?.durations.count == 76)
    }

    @Test func `measure how long requests take, on a clock that no date moves`() async throws {
        for milliseconds in [0, 10, 11, 100, 101, 5000] {
            let client = client { [clock] _ in
                clock.jump(by: -3600)
                clock.advance(by: .milliseconds(milliseconds))
                return HTTPResponse(status: .ok)
            }
            _ = try await client.respond(to: request())
        }
        let durations = try #require(metrics.snapshot().series.values.first?.durations)
        #expect(durations.counts == [2, 2, 2])
        #expect(durations.sum == .milliseconds(5222))
        #expect(durations.bounds == [.milliseconds(10), .milliseconds(100)])
    }

    @Test func `know how many are under way`() async throws {
        let client = client { [clock] _ in
            try await clock.wallClock().sleep(for: .seconds(1))
            return HTTPResponse(status: .ok)
        }
        let tasks = (0..<3).map { _ in Task { try await client.respond(to: request()) } }
        _ = await clock.sleepers(atLeast: 3)
        #expect(metrics.snapshot().inFlight == 3)
        clock.advance(by: .seconds(1))
        for task in tasks { _ = try await task.value }
        #expect(metrics.snapshot().inFlight == 0)
    }

    @Test func `are the same whoever counts at the same time`() async throws {
        let client = client { _ in HTTPResponse(status: .ok) }
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 { group.addTask { _ = try await client.respond(to: request()) } }
            try await group.waitForAll()
        }
        #expect(metrics.snapshot().count == 200)
        #expect(metrics.snapshot().inFlight == 0)
    }
}

@Suite struct `A histogram of durations` {
    @Test func `sorts its bounds, and counts a bound with what lies below it`() {
        var histogram = DurationHistogram(bounds: [.seconds(2), .seconds(1)])
        for duration in [Duration.zero, .seconds(1), .seconds(2), .seconds(3), .seconds(-1)] { histogram.add(duration) }
        #expect(histogram.bounds == [.seconds(1), .seconds(2)])
        #expect(histogram.counts == [3, 1, 1])
        #expect(histogram.count == 5)
        #expect(histogram.sum == .seconds(5))
    }

    @Test func `has one part where it has no bounds, and usual ones that rise`() {
        var histogram = DurationHistogram(bounds: [])
        histogram.add(.seconds(9))
        #expect(histogram.counts == [1])
        #expect(DurationHistogram.defaultBounds == DurationHistogram.defaultBounds.sorted())
    }
}
