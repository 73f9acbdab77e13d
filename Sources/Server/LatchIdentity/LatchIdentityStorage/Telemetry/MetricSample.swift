// SPDX-License-Identifier: Apache-2.0

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

    package let metric: Metric
    /// The value of the metric's label, from a fixed set.
    package let label: String
    package let value: Value

    /// Creates a sample of a metric, or of one of its series.
    package init(_ metric: Metric, _ value: Value, for label: String = "") {
        self.metric = metric
        self.label = label
        self.value = value
    }
}

extension MetricSample {
    /// Returns samples in version 0.0.4 of Prometheus' text format, with the samples of one metric together.
    ///
    /// A gauge that cannot be read is NaN.
    package static func exposition(of samples: [MetricSample]) -> String {
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
}
