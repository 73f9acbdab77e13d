// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import Synchronization

/// The number of requests by status class, and a histogram of their durations.
final class RequestMetrics: Sendable {
    private struct State {
        /// The counts of 1xx to 5xx.
        var statuses = [Int](repeating: 0, count: 5)
        var durations = Histogram.ofRequests
    }

    private let state = Mutex(State())

    /// Counts a request; without a status, since it threw an error or the server failed, it counts as 500.
    func count(_ status: HTTPStatus?, _ duration: Duration) {
        let index = min(max((status?.rawValue ?? 500) / 100 - 1, 0), 4)
        state.withLock { state in
            state.statuses[index] += 1
            state.durations.add(duration)
        }
    }

    var samples: [MetricSample] {
        let state = state.withLock { $0 }
        return state.statuses.enumerated().map { index, count in
            MetricSample(.requests, .counter(count), for: "\(index + 1)xx")
        } + [MetricSample(.requestSeconds, .histogram(state.durations))]
    }
}

/// An interceptor that counts each request of the server.
struct RequestMetricsInterceptor: Filter {
    let metrics: RequestMetrics
    let clock: WallClock

    /// A request that is being handled.
    struct Counted {
        let start: Duration
        let route: MatchedRoute
    }

    func filter(_ request: inout HTTPRequest) -> Filtering<Counted> {
        .proceed(Counted(start: clock.uptime, route: request.askForRoute()))
    }

    func complete(_ outcome: inout Outcome, _ request: consuming Counted) {
        let hasFailed = outcome.error != nil || request.route.failure != nil
        metrics.count(hasFailed ? nil : outcome.response.status, clock.uptime - request.start)
    }
}
