// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The server's counters.
final class Metrics: Sendable {
    /// The counters of another part of the program.
    private struct Contribution: Sendable { let samples: @Sendable () -> [MetricSample] }

    /// The numbers of events by the name of their metric and the value of its label, all of which are written in this module.
    private let counts: Mutex<[String: [String: Int]]>
    private let others = Mutex<[Contribution]>([])
    /// The uses of the caches of verified tokens.
    let tokenCache = VerifiedTokenCache.Counts()
    /// The requests by status and duration.
    let requests = RequestMetrics()
    /// Whether the server is about to end.
    private let draining = Mutex(false)

    /// Creates counters, which are all 0.
    init(grantHandlers: [any GrantHandler.Type] = GrantHandlers.all) {
        let grants = grantHandlers.map { $0.grantType.rawValue }
        let series = Metric.events.map { metric in
            (metric.name, metric.label == nil ? [""] : metric.values + (metric == .tokensIssued ? grants : []))
        }
        counts = Mutex(
            Dictionary(uniqueKeysWithValues: series.map { ($0, Dictionary(uniqueKeysWithValues: $1.map { ($0, 0) })) }))
    }

    /// Whether the server takes no new clients any more; it stays so through reloads.
    var isDraining: Bool {
        get { draining.withLock { $0 } }
        set { draining.withLock { $0 = newValue } }
    }

    /// Adds to a counter; the value of its label is one of a fixed set, and never of a request.
    func count(_ metric: Metric, _ label: String = "", by amount: Int = 1) {
        counts.withLock { counts in
            assert(counts[metric.name]?[label] != nil, "\(metric.name) begins without \(label)")
            counts[metric.name, default: [:]][label, default: 0] += amount
        }
    }

    /// Adds counters that another part of the program keeps, which appear with the server's own from now on.
    func include(_ samples: @escaping @Sendable () -> [MetricSample]) {
        others.withLock { $0.append(Contribution(samples: samples)) }
    }

    /// The counters, in the order of their names and labels, and the histograms.
    var samples: [MetricSample] {
        let counts = counts.withLock { $0 }
        let own = Metric.events.sorted { $0.name < $1.name }.flatMap { metric in
            (counts[metric.name] ?? [:]).sorted { $0.key < $1.key }.map {
                MetricSample(metric, .counter($0.value), for: $0.key)
            }
        }
        return own + requests.samples + others.withLock { $0 }.flatMap { $0.samples() }
    }
}
