// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The number of durations in each of several fixed intervals, without exemplars.
package struct Histogram: Sendable, Hashable {
    /// The upper bounds of the intervals in seconds, in order; the last interval has no bound.
    package let bounds: [Double]
    /// The number of durations in each interval: one more interval than bounds.
    package private(set) var intervals: [Int]
    /// The sum of the durations in seconds.
    package private(set) var seconds = 0.0

    package init(bounds: [Double]) {
        self.bounds = bounds
        intervals = Array(repeating: 0, count: bounds.count + 1)
    }

    /// The bounds for requests.
    package static let ofRequests = Histogram(bounds: [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])
    /// The bounds for calls of the store; most of them read a row from memory or wait for one disk.
    package static let ofStoreCalls = Histogram(
        bounds: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

    /// The number of durations.
    package var count: Int { intervals.reduce(0, +) }

    package mutating func add(_ duration: Duration) {
        let value = duration.inSeconds
        intervals[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        seconds += value
    }

    /// Returns the lines of a series in Prometheus' text format: the counts up to each bound, sum and count.
    ///
    /// - Parameter labels: The labels of the series as printed, without braces.
    package func exposition(_ name: String, labels: String) -> String {
        var (text, total) = ("", 0)
        let prefix = labels.isEmpty ? "" : labels + ","
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], intervals) {
            total += count
            text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)\n"
        }
        let series = labels.isEmpty ? "" : "{\(labels)}"
        return text + "\(name)_sum\(series) \(seconds)\n\(name)_count\(series) \(total)\n"
    }
}
