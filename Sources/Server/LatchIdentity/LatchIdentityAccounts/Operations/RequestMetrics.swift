// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchHTTP
package import LatchIdentityStorage
package import LatchServer
import Synchronization

/// The number of requests by status class, and a histogram of their durations.
package final class RequestMetrics: Sendable {
    private struct State {
        /// The counts of 1xx to 5xx.
        var statuses = [Int](repeating: 0, count: 5)
        var durations = Histogram.ofRequests
    }

    private let state = Mutex(State())

    /// Counts a request; without a status, since it threw an error or the server failed, it counts as 500.
    package func count(_ status: HTTPStatus?, _ duration: Duration) {
        let index = min(max((status?.rawValue ?? 500) / 100 - 1, 0), 4)
        state.withLock { state in
            state.statuses[index] += 1
            state.durations.add(duration)
        }
    }

    package var samples: [MetricSample] {
        let state = state.withLock { $0 }
        return state.statuses.enumerated().map { index, count in
            MetricSample(.requests, .counter(count), for: "\(index + 1)xx")
        } + [MetricSample(.requestSeconds, .histogram(state.durations))]
    }
}

/// An interceptor that counts each request of the server.
package struct RequestMetricsInterceptor: Filter {
    package let metrics: RequestMetrics
    package let clock: WallClock

    package init(metrics: RequestMetrics, clock: WallClock) {
        self.metrics = metrics
        self.clock = clock
    }

    /// A request that is being handled.
    package struct Counted {
        package let start: Duration
        package let route: MatchedRoute
    }

    package func filter(_ request: inout HTTPRequest) -> Filtering<Counted> {
        .proceed(Counted(start: clock.uptime, route: request.askForRoute()))
    }

    package func complete(_ outcome: inout Outcome, _ request: consuming Counted) {
        let hasFailed = outcome.error != nil || request.route.failure != nil
        metrics.count(hasFailed ? nil : outcome.response.status, clock.uptime - request.start)
    }
}
