// SPDX-License-Identifier: Apache-2.0

import Baselines
import Foundation
import LatchCore

/// Prints what was measured beside its limit.
struct CallReport {
    /// Unary calls per second one after another, by subject.
    var rates: [String: Double] = [:]
    /// Messages of streams per second, by subject.
    var streams: [String: Double] = [:]
    private var missed = 0
    private let baseline = Baseline("Benchmarks/RPC/calls.txt")

    init() {
        var averages = [0.0]
        guard getloadavg(&averages, 1) == 1 else { return }
        print(String(format: "load %.1f on %d processors", averages[0], ProcessInfo.processInfo.activeProcessorCount))
    }

    /// A line of figures; the blocks of memory may be as many as were written down, and half a block.
    mutating func line(_ name: String, _ sample: CallSample, unit: String, baseline key: String? = nil) {
        var verdict = ""
        if let known = key.flatMap({ baseline[$0] }) {
            let holds = sample.allocations <= known + 0.5
            if !holds { missed += 1 }
            verdict = String(format: "limit ≤ %.1f  %@", known + 0.5, holds ? "PASS" : "FAIL")
        } else if let key {
            verdict = "no baseline \(key)"
        }
        print(
            String(
                format: "  %@ %8.0f %@ %8.2f µs CPU %8.2f allocations  %@",
                name.padding(toLength: 30, withPad: " ", startingAt: 0), sample.rate,
                unit.padding(toLength: 10, withPad: " ", startingAt: 0), sample.processor, sample.allocations, verdict))
    }

    /// A ratio, which carries over to another machine.
    mutating func compare(_ name: String, _ ours: Double?, _ theirs: JSONValue?, atLeast limit: Double) {
        guard let ours, let theirs = theirs?.doubleValue, theirs > 0 else { return }
        let holds = ours / theirs >= limit
        if !holds { missed += 1 }
        print(String(format: "  %@ %.2f  limit ≥ %.1f  %@", name, ours / theirs, limit, holds ? "PASS" : "FAIL"))
    }

    func finish(isChecking: Bool) {
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, isChecking { exit(1) }
    }
}
