// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// The number of requests by the class of their status, and a histogram of their durations.
final class RequestMetrics: Sendable {
    private struct State {
        /// The requests of 1xx to 5xx.
        var statuses = [Int](repeating: 0, count: 5)
        var durations = Histogram.ofRequests
    }

    private let state = Mutex(State())

    /// Counts a request; one that threw an error is counted as 500.
    func count(_ status: HTTPStatus?, _ duration: Duration) {
        let index = min(max((status?.rawValue ?? 500) / 100 - 1, 0), 4)
        state.withLock { state in
            state.statuses[index] += 1
            state.durations.add(duration)
        }
    }

    /// The counters by status, and the durations.
    var samples: [MetricSample] {
        let state = state.withLock { $0 }
        return state.statuses.enumerated().map { index, count in
            MetricSample("latch_requests_total", ("status", "\(index + 1)xx"), .counter(count))
        } + [MetricSample("latch_request_seconds", .histogram(state.durations))]
    }
}

/// An interceptor that counts each request of the server.
struct RequestMetricsInterceptor: Filter {
    let metrics: RequestMetrics
    let clock: WallClock

    func filter(_ request: inout HTTPRequest) -> Filtering<Duration> { .proceed(clock.uptime) }

    func complete(_ outcome: inout Outcome, _ start: consuming Duration) {
        metrics.count(outcome.error == nil ? outcome.response.status : nil, clock.uptime - start)
    }
}
