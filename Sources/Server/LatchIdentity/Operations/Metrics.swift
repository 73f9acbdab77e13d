// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Counters, shown in Prometheus' text format.
final class Metrics: Sendable {
    /// A counter's name together with its labels as they are printed.
    private struct Series: Hashable {
        let name: String
        let labels: String
    }

    /// Memory is bounded, since the names and labels are all written in this module.
    private let counts: Mutex<[Series: Int]>

    init() {
        // What a script looks for is there from the beginning, as 0.
        let first = [
            ("latch_tokens_issued_total", #"{grant="password"}"#),
            ("latch_tokens_issued_total", #"{grant="refresh_token"}"#),
            ("latch_token_replays_total", #"{outcome="repeated"}"#),
            ("latch_token_replays_total", #"{outcome="revoked"}"#),
            ("latch_families_revoked_total", ""), ("latch_logins_total", #"{result="success"}"#),
            ("latch_logins_total", #"{result="failure"}"#), ("latch_logins_total", #"{result="limited"}"#),
        ]
        counts = Mutex(Dictionary(uniqueKeysWithValues: first.map { (Series(name: $0.0, labels: $0.1), 0) }))
    }

    /// Adds to a counter.
    ///
    /// Labels come from a fixed set of values and never from a request.
    ///
    /// - Parameters:
    ///   - name: With `_total` at its end, as Prometheus wants counters to be named.
    ///   - labels: Printed in the order given; another order would be another series.
    func count(_ name: String, _ labels: KeyValuePairs<String, String> = [:], by amount: Int = 1) {
        let text = labels.isEmpty ? "" : "{" + labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",") + "}"
        counts.withLock { $0[Series(name: name, labels: text), default: 0] += amount }
    }

    /// All counters in Prometheus' text format, together with gauges that are read now.
    ///
    /// Version 0.0.4 of the text format; series of one name stand together under one TYPE line, sorted, so that two
    /// scrapes can be compared line by line.
    func exposition(gauges: KeyValuePairs<String, Int>) -> String {
        let lines = counts.withLock { counts in
            counts.sorted { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }.map { ($0.key, $0.value) }
        }
        var text = ""
        var last = ""
        for (series, value) in lines {
            if series.name != last { text += "# TYPE \(series.name) counter\n" }
            last = series.name
            text += "\(series.name)\(series.labels) \(value)\n"
        }
        for (name, value) in gauges { text += "# TYPE \(name) gauge\n\(name) \(value)\n" }
        return text
    }
}
