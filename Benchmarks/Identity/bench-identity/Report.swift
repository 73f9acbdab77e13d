// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Prints what was measured beside its limit.
struct Report {
    private var missed = 0

    mutating func require(_ what: String, _ value: Double, atLeast limit: Double) {
        line(what, value, "≥ \(Int(limit))", value >= limit)
    }

    mutating func require(_ what: String, _ value: Double, below limit: Double) {
        line(what, value, "< \(Int(limit))", value < limit)
    }

    func note(_ what: String, _ value: Double) { print(String(format: "  %-38@ %9.1f", what as NSString, value)) }

    func finish(isChecking: Bool) {
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, isChecking { exit(1) }
    }

    private mutating func line(_ what: String, _ value: Double, _ limit: String, _ holds: Bool) {
        if !holds { missed += 1 }
        print(
            String(format: "  %-38@ %9.1f   limit %@  %@", what as NSString, value, limit, holds ? "PASS" : "FAIL"))
    }
}
