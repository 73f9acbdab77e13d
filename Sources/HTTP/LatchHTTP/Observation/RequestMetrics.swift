// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Counts of requests and their durations, kept in memory.
public final class RequestMetrics: MetricsSink {
    /// What was counted up to one moment.
    public struct Snapshot: Sendable, Hashable {
        /// How many requests have begun and not ended.
        public internal(set) var inFlight = 0
        /// What has ended, by kind.
        public internal(set) var series: [RequestSample.Kind: Series] = [:]

        /// How many requests have ended.
        public var count: Int { series.values.reduce(0) { $0 + $1.durations.count } }
    }

    /// All requests of one kind.
    public struct Series: Sendable, Hashable {
        /// How long they took, and how many there were.
        public internal(set) var durations: DurationHistogram
        /// How many bytes of content they sent.
        public internal(set) var sentBytes = 0
        /// How many bytes of content came for them.
        public internal(set) var receivedBytes = 0
    }

    private let state = Mutex(Snapshot())
    private let bounds: [Duration]

    /// More kinds than a program has; what comes after is counted without its template.
    private static let mostKinds = 1024

    /// Nothing counted yet.
    ///
    /// - Parameter bounds: Up to where each part of the histograms reaches, in rising order.
    public init(bounds: [Duration] = DurationHistogram.usualBounds) { self.bounds = bounds }

    /// Counts a request that begins.
    public func began() { state.withLock { $0.inFlight += 1 } }

    /// Counts a request that has ended.
    public func ended(_ sample: RequestSample) {
        state.withLock { state in
            state.inFlight -= 1
            var kind = sample.kind
            if state.series.count >= Self.mostKinds, state.series[kind] == nil {
                kind = RequestSample.Kind(method: kind.method, template: "", outcome: kind.outcome)
            }
            state.series[kind, default: Series(durations: DurationHistogram(bounds: bounds))].add(sample)
        }
    }

    /// What was counted until now.
    public func snapshot() -> Snapshot { state.withLock { $0 } }
}

extension RequestMetrics.Series {
    fileprivate mutating func add(_ sample: RequestSample) {
        durations.add(sample.duration)
        sentBytes += sample.sentBytes
        receivedBytes += sample.receivedBytes
    }
}
