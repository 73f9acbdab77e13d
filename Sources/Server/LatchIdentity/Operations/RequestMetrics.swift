// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// The number of requests by the class of their status, and a histogram of their durations.
final class RequestMetrics: Sendable {
    /// The upper bounds of the histogram in seconds; a last interval has none.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        /// The requests of 1xx to 5xx.
        var statuses = [Int](repeating: 0, count: 5)
        var intervals = [Int](repeating: 0, count: RequestMetrics.bounds.count + 1)
        var seconds = 0.0
    }

    private let state = Mutex(State())

    /// Counts a request; one that threw an error is counted as 500.
    func count(_ status: HTTPStatus?, _ duration: Duration) {
        let seconds = duration.inSeconds
        let interval = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        let index = min(max((status?.rawValue ?? 500) / 100 - 1, 0), 4)
        state.withLock { state in
            state.statuses[index] += 1
            state.intervals[interval] += 1
            state.seconds += seconds
        }
    }

    /// The counters by status.
    var samples: [MetricSample] {
        state.withLock { $0.statuses }.enumerated().map { index, count in
            MetricSample(
                name: "latch_requests_total", labels: [.init(key: "status", value: "\(index + 1)xx")], value: count,
                isCounter: true)
        }
    }

    /// The histogram in Prometheus' text format, without exemplars.
    var exposition: String {
        let state = state.withLock { $0 }
        var (text, total) = ("# TYPE latch_request_seconds histogram\n", 0)
        for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], state.intervals) {
            total += count
            text += "latch_request_seconds_bucket{le=\"\(bound)\"} \(total)\n"
        }
        return text + "latch_request_seconds_sum \(state.seconds)\nlatch_request_seconds_count \(total)\n"
    }
}

/// An interceptor that counts each request of the server.
struct RequestMetricsInterceptor: Interceptor {
    let metrics: RequestMetrics
    let clock: WallClock

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let start = clock.uptime
        do {
            let response = try await next.respond(to: request)
            metrics.count(response.status, clock.uptime - start)
            return response
        } catch {
            metrics.count(nil, clock.uptime - start)
            throw error
        }
    }
}
