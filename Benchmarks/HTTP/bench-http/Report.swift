// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Prints what was measured beside its limit.
struct Report {
    private var missed = 0

    func section(_ title: String, _ both: Comparison, against peer: String = "bare libcurl") {
        print(title)
        line(peer, both.first(\.rate), both.first(\.cpu), both.first(\.allocations))
        line("Client", both.second(\.rate), both.second(\.cpu), both.second(\.allocations))
    }

    /// How busy the machine is with other things: above its number of processors, times mean little.
    func load() {
        var averages = [0.0]
        guard getloadavg(&averages, 1) == 1 else { return }
        let processors = ProcessInfo.processInfo.activeProcessorCount
        print(
            String(
                format: "load %.1f on %d processors; medians of %d rounds", averages[0], processors, BenchHTTP.rounds))
    }

    private func line(_ name: String, _ rate: Double, _ cpu: Double, _ allocations: Double) {
        print(
            String(
                format: "  %@ %9.0f requests/s %9.2f µs CPU %7.1f allocations",
                name.padding(toLength: 14, withPad: " ", startingAt: 0), rate, cpu, allocations))
    }

    mutating func require(_ what: String, _ value: Double, atLeast limit: Double) {
        line(what, value, "≥ \(limit)", value >= limit)
    }

    mutating func require(_ what: String, _ value: Double, atMost limit: Double) {
        line(what, value, "≤ \(limit)", value <= limit)
    }

    func note(_ what: String, _ value: Double) {
        print(String(format: "  %@ %7.2f", padded(what), value))
    }

    func finish(isChecking: Bool) {
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, isChecking { exit(1) }
    }

    private mutating func line(_ what: String, _ value: Double, _ limit: String, _ holds: Bool) {
        if !holds { missed += 1 }
        print(String(format: "  %@ %7.2f   limit %@  %@", padded(what), value, limit, holds ? "PASS" : "FAIL"))
    }

    private func padded(_ text: String) -> String { text.padding(toLength: 42, withPad: " ", startingAt: 0) }
}
