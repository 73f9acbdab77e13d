// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// The value of one series of a metric.
package struct MetricSample: Sendable, Hashable {
    /// A label, whose values come from fixed sets.
    package struct Label: Sendable, Hashable {
        package let key: String
        package let value: String
    }

    package let name: String
    package let labels: [Label]
    package let value: Int
    /// Whether the value only grows.
    package let isCounter: Bool
}

extension MetricSample {
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
        return names.map { name in
            let group = groups[name] ?? []
            let points = group.map { sample in
                OTLPMetricPoint(
                    startTimeUnixNano: sample.isCounter ? start.unixNanoseconds : 0,
                    timeUnixNano: now.unixNanoseconds, asInt: Int64(sample.value),
                    attributes: sample.labels.map { OTLPAttribute($0.key, .text($0.value)) })
            }
            guard group.first?.isCounter == true else {
                return OTLPExportedMetric(name: name, unit: "1", data: .gauge(OTLPMetricGauge(points: points)))
            }
            let sum = OTLPMetricSum(points: points, temporality: .cumulative, isMonotonic: true)
            return OTLPExportedMetric(name: name, unit: "1", data: .sum(sum))
        }
    }
}
