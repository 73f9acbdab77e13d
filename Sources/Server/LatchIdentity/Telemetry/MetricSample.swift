// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// The value of one series of a metric.
package struct MetricSample: Sendable, Hashable {
    /// A value of one of the kinds that collectors distinguish.
    package enum Value: Sendable, Hashable {
        /// A number that only grows.
        case counter(Int)
        /// A number that goes up and down; nil if it cannot be read.
        case gauge(Int?)
        /// A distribution of durations.
        case histogram(Histogram)
    }

    let metric: Metric
    /// The value of the metric's label, which comes from a fixed set.
    let label: String
    let value: Value

    /// Creates a sample of a metric, or of one of its series.
    init(_ metric: Metric, _ value: Value, for label: String = "") {
        self.metric = metric
        self.label = label
        self.value = value
    }
}

extension MetricSample {
    /// Returns samples in version 0.0.4 of Prometheus' text format, those of one metric after each other.
    ///
    /// A gauge that cannot be read is NaN.
    static func exposition(of samples: [MetricSample]) -> String {
        var (text, last) = ("", "")
        for sample in samples {
            let name = sample.metric.name
            if name != last { text += "# HELP \(name) \(sample.metric.help)\n# TYPE \(name) \(sample.type)\n" }
            last = name
            text += sample.exposition
        }
        return text
    }

    /// The name of the kind in Prometheus' text format.
    private var type: String {
        switch value {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    /// The lines of the series in Prometheus' text format.
    private var exposition: String {
        let labels = metric.label.map { "\($0)=\"\(label)\"" } ?? ""
        let series = labels.isEmpty ? metric.name : "\(metric.name){\(labels)}"
        switch value {
        case .counter(let number): return "\(series) \(number)\n"
        case .gauge(let number): return "\(series) \(number.map { String($0) } ?? "NaN")\n"
        case .histogram(let histogram): return histogram.exposition(metric.name, labels: labels)
        }
    }

    /// Returns the metrics of samples as the protocol has them, one for each name, in the order of their first samples.
    ///
    /// - Parameter start: The time from which counters count.
    static func messages(_ samples: [MetricSample], since start: Date, at now: Date) -> [OTLPExportedMetric] {
        var metrics: [Metric] = []
        var groups: [String: [MetricSample]] = [:]
        for sample in samples where sample.value != .gauge(nil) {
            if groups[sample.metric.name] == nil { metrics.append(sample.metric) }
            groups[sample.metric.name, default: []].append(sample)
        }
        let times = (start: start.unixNanoseconds, now: now.unixNanoseconds)
        return metrics.map { metric in
            // A number of things has no unit; collectors that write for Prometheus append another one's name to the metric's.
            OTLPExportedMetric(
                name: metric.name, help: metric.help, unit: metric.isOfSeconds ? "s" : "",
                data: data(groups[metric.name] ?? [], times))
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

    private var attributes: [OTLPAttribute] { metric.label.map { [OTLPAttribute($0, .text(label))] } ?? [] }

    private func point(from start: UInt64, at now: UInt64) -> OTLPMetricPoint {
        let number =
            switch value {
            case .counter(let number): number
            case .gauge(let number): number ?? 0
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
