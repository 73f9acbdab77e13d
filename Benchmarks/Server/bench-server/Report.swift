// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A report of measurements with their limits.
struct Report {
    private var missed = 0

    func section(_ title: String, bare: Series, ours: Series) {
        print("\(title)   (median of \(BenchServer.rounds) interleaved rounds)")
        for (name, series) in [("libmicrohttpd", bare), ("Server", ours)] {
            let text = String(
                format: "  %-14@ %9.0f requests/s %9.2f µs CPU", name as NSString, series.rate, series.cpu)
            print(text)
        }
    }

    mutating func require(_ what: String, _ value: Double, atLeast limit: Double) {
        line(what, value, "≥ \(limit)", value >= limit)
    }

    mutating func require(_ what: String, _ value: Double, atMost limit: Double) {
        line(what, value, "≤ \(limit)", value <= limit)
    }

    func note(_ what: String, _ value: Double) {
        print(String(format: "  %-45@ %7.2f", what as NSString, value))
    }

    func finish(isChecking: Bool) {
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, isChecking { exit(1) }
    }

    private mutating func line(_ what: String, _ value: Double, _ limit: String, _ holds: Bool) {
        if !holds { missed += 1 }
        print(String(format: "  %-45@ %7.2f   limit %@  %@", what as NSString, value, limit, holds ? "PASS" : "FAIL"))
    }
}
