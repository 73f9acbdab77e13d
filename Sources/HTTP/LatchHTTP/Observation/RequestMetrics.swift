// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Request counts and durations, kept in memory.
package final class RequestMetrics: MetricsSink {
    /// The metrics at one point in time.
    package struct Snapshot: Sendable, Hashable {
        /// The number of requests in flight.
        package internal(set) var inFlight = 0
        /// The completed requests, by labels.
        package internal(set) var series: [RequestSample.Labels: Series] = [:]

        /// The number of completed requests.
        package var count: Int { series.values.reduce(0) { $0 + $1.durations.count } }
    }

    /// The metrics of all requests with the same labels.
    package struct Series: Sendable, Hashable {
        /// The durations and the number of requests.
        package internal(set) var durations: DurationHistogram
        /// The number of bytes of content sent.
        package internal(set) var sentBytes = 0
        /// The number of bytes of content received.
        package internal(set) var receivedBytes = 0
    }

    private let state = Mutex(Snapshot())
    private let bounds: [Duration]

    /// The maximum number of series; further requests are counted without their template.
    private static let maximumSeries = 1024

    /// Creates empty metrics.
    ///
    /// - Parameter bounds: The upper bounds of the histogram buckets.
    package init(bounds: [Duration] = DurationHistogram.defaultBounds) { self.bounds = bounds }

    /// Counts a request that starts.
    package func began() { state.withLock { $0.inFlight += 1 } }

    /// Counts a request that has ended.
    package func ended(_ sample: RequestSample) {
        state.withLock { state in
            state.inFlight -= 1
            var labels = sample.labels
            if state.series.count >= Self.maximumSeries, state.series[labels] == nil {
                labels = RequestSample.Labels(method: labels.method, template: "", outcome: labels.outcome)
            }
            state.series[labels, default: Series(durations: DurationHistogram(bounds: bounds))].add(sample)
        }
    }

    /// Returns the current metrics.
    package func snapshot() -> Snapshot { state.withLock { $0 } }
}

extension RequestMetrics.Series {
    fileprivate mutating func add(_ sample: RequestSample) {
        durations.add(sample.duration)
        sentBytes += sample.sentBytes
        receivedBytes += sample.receivedBytes
    }
}

/// A histogram of durations with fixed bucket bounds.
package struct DurationHistogram: Sendable, Hashable {
    /// The default bounds, from a millisecond to 30 seconds, with factors of about 2.5.
    package static let defaultBounds: [Duration] = [
        .milliseconds(1), .milliseconds(2), .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50),
        .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .milliseconds(2_500), .seconds(5),
        .seconds(10), .seconds(30),
    ]

    /// The inclusive upper bounds of the buckets, ascending; one more bucket holds longer durations.
    package let bounds: [Duration]
    /// The number of durations in each bucket: above the previous bound and not above its own.
    package private(set) var counts: [Int]
    /// The sum of all durations.
    package private(set) var sum = Duration.zero

    /// Creates an empty histogram.
    package init(bounds: [Duration]) {
        self.bounds = bounds.sorted()
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// The number of durations.
    package var count: Int { counts.reduce(0, +) }

    /// Adds a duration.
    package mutating func add(_ duration: Duration) {
        counts[bounds.firstIndex { duration <= $0 } ?? bounds.count] += 1
        sum += duration
    }
}
