// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// The value of one series of a metric.
package struct MetricSample: Sendable, Hashable {
    /// A label, whose values come from fixed sets.
    package struct Label: Sendable, Hashable {
        package let key: String
        package let value: String
    }

    /// A value of one of the kinds that collectors distinguish.
    package enum Value: Sendable, Hashable {
        /// A number that only grows.
        case counter(Int)
        /// A number that goes up and down.
        case gauge(Int)
        /// A distribution of durations.
        case histogram(Histogram)
    }

    package let name: String
    package let labels: [Label]
    package let value: Value

    /// Creates a sample of a series without labels.
    init(_ name: String, _ value: Value) { self.init(name, labels: [], value) }

    /// Creates a sample of a series with one label.
    init(_ name: String, _ label: (key: String, value: String), _ value: Value) {
        self.init(name, labels: [Label(key: label.key, value: label.value)], value)
    }

    /// Creates a sample.
    init(_ name: String, labels: [Label], _ value: Value) {
        self.name = name
        self.labels = labels
        self.value = value
    }
}

extension MetricSample {
    /// The name of the kind in Prometheus' text format.
    var type: String {
        switch value {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    /// The lines of the series in Prometheus' text format.
    var exposition: String {
        let labels = labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
        switch value {
        case .counter(let number), .gauge(let number):
            return "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(number)\n"
        case .histogram(let histogram):
            return histogram.exposition(name, labels: labels)
        }
    }

    /// Returns the metrics of samples as the protocol has them, one for each name, in the order of their first samples.
    ///
    /// - Parameter start: The time from which counters count.
    static func messages(_ samples: [MetricSample], since start: Date, at now: Date) -> [OTLPExportedMetric] {
        var names: [String] = []
        var groups: [String: [MetricSample]] = [:]
        for sample in samples {
            if groups[sample.name] == nil { names.append(sample.name) }
            groups[sample.name, default: []].append(sample)
        }
        let times = (start: start.unixNanoseconds, now: now.unixNanoseconds)
        return names.map { name in
            // A number of things has no unit; collectors that write for Prometheus append another one's name to the metric's.
            OTLPExportedMetric(
                name: name, unit: name.utf8.reversed().starts(with: "_seconds".utf8.reversed()) ? "s" : "",
                data: data(groups[name] ?? [], times))
        }
    }

    /// Returns the series of a metric, all of which are of one kind.
    private static func data(_ group: [MetricSample], _ times: (start: UInt64, now: UInt64)) -> OTLPExportedMetric
        .DataOneof?
    {
        switch group.first?.value {
        case .counter:
            let points = group.map { $0.point(from: times.start, at: times.now) }
            return .sum(OTLPMetricSum(points: points, temporality: .cumulative, isMonotonic: true))
        case .gauge:
            return .gauge(OTLPMetricGauge(points: group.map { $0.point(from: 0, at: times.now) }))
        case .histogram:
            let points = group.compactMap { $0.distribution(from: times.start, at: times.now) }
            return .histogram(OTLPMetricHistogram(points: points, temporality: .cumulative))
        case nil: return nil
        }
    }

    private var attributes: [OTLPAttribute] { labels.map { OTLPAttribute($0.key, .text($0.value)) } }

    private func point(from start: UInt64, at now: UInt64) -> OTLPMetricPoint {
        let number =
            switch value {
            case .counter(let number), .gauge(let number): number
            case .histogram(let histogram): histogram.count
            }
        return OTLPMetricPoint(
            startTimeUnixNano: start, timeUnixNano: now, asInt: Int64(number), attributes: attributes)
    }

    private func distribution(from start: UInt64, at now: UInt64) -> OTLPHistogramPoint? {
        guard case .histogram(let histogram) = value else { return nil }
        return OTLPHistogramPoint(
            startTimeUnixNano: start, timeUnixNano: now, count: UInt64(histogram.count), sum: histogram.seconds,
            bucketCounts: histogram.intervals.map { UInt64($0) }, explicitBounds: histogram.bounds,
            attributes: attributes)
    }
}
