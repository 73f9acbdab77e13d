// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchIdentityStorage
import Synchronization

/// The server's counters.
package final class Metrics: Sendable {
    /// The counters of another part of the program.
    private struct Contribution: Sendable { let samples: @Sendable () -> [MetricSample] }

    /// The counts of events, by the name of the metric and the label value; both are constants of this module.
    private let counts: Mutex<[String: [String: Int]]>
    private let others = Mutex<[Contribution]>([])
    /// The uses of the caches of verified tokens.
    package let tokenCache = VerifiedTokenCache.Counts()
    /// The requests by status and duration.
    package let requests = RequestMetrics()
    /// Whether the server is about to end.
    private let draining = Mutex(false)

    /// Creates counters that all start at 0, with a series of issued tokens for each grant.
    package init(grants: [String]) {
        let series = Metric.events.map { metric in
            (metric.name, metric.label == nil ? [""] : metric.values + (metric == .tokensIssued ? grants : []))
        }
        counts = Mutex(
            Dictionary(uniqueKeysWithValues: series.map { ($0, Dictionary(uniqueKeysWithValues: $1.map { ($0, 0) })) }))
    }

    /// Whether the server takes no new clients; a reload keeps the value.
    package var isDraining: Bool {
        get { draining.withLock { $0 } }
        set { draining.withLock { $0 = newValue } }
    }

    /// Adds to a counter; the label value is one of a fixed set, and never comes from a request.
    package func count(_ metric: Metric, _ label: String = "", by amount: Int = 1) {
        counts.withLock { counts in
            assert(counts[metric.name]?[label] != nil, "\(metric.name) begins without \(label)")
            counts[metric.name, default: [:]][label, default: 0] += amount
        }
    }

    /// Adds the counters of another part of the program to the samples.
    package func include(_ samples: @escaping @Sendable () -> [MetricSample]) {
        others.withLock { $0.append(Contribution(samples: samples)) }
    }

    /// The counters, in the order of their names and labels, and the histograms.
    package var samples: [MetricSample] {
        let counts = counts.withLock { $0 }
        let own = Metric.events.sorted { $0.name < $1.name }.flatMap { metric in
            (counts[metric.name] ?? [:]).sorted { $0.key < $1.key }.map {
                MetricSample(metric, .counter($0.value), for: $0.key)
            }
        }
        return own + requests.samples + others.withLock { $0 }.flatMap { $0.samples() }
    }
}
