// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The server's counters, in the text format of Prometheus.
final class Metrics: Sendable {
    /// A counter's name and its labels as printed.
    private struct Series: Hashable {
        let name: String
        let labels: String
    }

    /// The counters, a bounded number, since all names and labels are written in this module.
    private let counts: Mutex<[Series: Int]>
    /// The counters of another part of the program.
    private struct Contribution: Sendable { let samples: @Sendable () -> [MetricSample] }

    private let others = Mutex<[Contribution]>([])
    /// The requests by status and duration.
    let requests = RequestMetrics()
    /// Whether the server is about to end.
    private let draining = Mutex(false)

    /// Creates counters; those that scripts and alerts rely on exist from the beginning.
    init(grantHandlers: [any GrantHandler.Type] = GrantHandlers.all) {
        let grants = grantHandlers.map { ("latch_tokens_issued_total", #"{grant="\#($0.grantType.rawValue)"}"#) }
        let first = [
            ("latch_token_replays_total", #"{outcome="repeated"}"#),
            ("latch_token_replays_total", #"{outcome="revoked"}"#),
            ("latch_code_replays_total", ""), ("latch_housekeeping_failures_total", ""),
            ("latch_key_refresh_failures_total", ""), ("latch_mail_store_failures_total", ""),
            ("latch_mails_total", #"{result="abandoned"}"#), ("latch_families_revoked_total", ""),
            ("latch_logins_total", #"{result="success"}"#),
            ("latch_logins_total", #"{result="failure"}"#), ("latch_logins_total", #"{result="limited"}"#),
        ]
        counts = Mutex(Dictionary(uniqueKeysWithValues: (grants + first).map { (Series(name: $0.0, labels: $0.1), 0) }))
    }

    /// Whether the server takes no new clients any more; it stays so through reloads.
    var isDraining: Bool {
        get { draining.withLock { $0 } }
        set { draining.withLock { $0 = newValue } }
    }

    /// Adds to a counter; labels come from a fixed set of values and never from a request.
    ///
    /// - Parameters:
    ///   - name: A name that ends with `_total`, as Prometheus recommends for counters.
    ///   - labels: The labels in the order in which they are printed; another order would be another series.
    func count(_ name: String, _ labels: KeyValuePairs<String, String> = [:], by amount: Int = 1) {
        let text = labels.isEmpty ? "" : "{" + labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",") + "}"
        counts.withLock { $0[Series(name: name, labels: text), default: 0] += amount }
    }

    /// Adds counters that another part of the program keeps, which appear with the server's own from now on.
    func include(_ samples: @escaping @Sendable () -> [MetricSample]) {
        others.withLock { $0.append(Contribution(samples: samples)) }
    }

    /// The counters, sorted by their names and labels, and the histograms.
    var samples: [MetricSample] {
        let own = counts.withLock { counts in
            counts.sorted { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }.map { series, value in
                MetricSample(series.name, labels: Self.labels(series.labels), .counter(value))
            }
        }
        return own + requests.samples + others.withLock { $0 }.flatMap { $0.samples() }
    }

    /// Parses the labels of a series, whose values have no quotation marks and commas.
    private static func labels(_ text: String) -> [MetricSample.Label] {
        text.utf8.dropFirst().dropLast().split(separator: 0x2C).compactMap { pair in
            guard let equals = pair.firstIndex(of: 0x3D) else { return nil }
            let value = pair[pair.index(after: equals)...].dropFirst().dropLast()
            return MetricSample.Label(
                key: String(decoding: pair[..<equals], as: UTF8.self), value: String(decoding: value, as: UTF8.self))
        }
    }

    /// Returns all counters and histograms and the given gauges in version 0.0.4 of the text format.
    ///
    /// Series of one name are grouped under one TYPE line and sorted, so that scrapes can be compared line by line. A gauge
    /// that cannot be read is NaN.
    func exposition(gauges: KeyValuePairs<String, Int?>) -> String {
        var text = ""
        var last = ""
        for sample in samples {
            if sample.name != last { text += "# TYPE \(sample.name) \(sample.type)\n" }
            last = sample.name
            text += sample.exposition
        }
        for (name, value) in gauges { text += "# TYPE \(name) gauge\n\(name) \(value.map { String($0) } ?? "NaN")\n" }
        return text
    }
}
