// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A report of measurements and their limits.
package struct Report: Sendable {
    private var missed = 0

    package init() {}

    package mutating func require(_ name: String, _ value: Double, atLeast limit: Double) {
        line(name, value, "≥ \(Int(limit))", value >= limit)
    }

    package mutating func require(_ name: String, _ value: Double, below limit: Double) {
        line(name, value, "< \(Int(limit))", value < limit)
    }

    package func note(_ name: String, _ value: Double) {
        print(String(format: "  %-38@ %9.1f", name as NSString, value))
    }

    package func finish(isChecking: Bool) {
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, isChecking { exit(1) }
    }

    private mutating func line(_ name: String, _ value: Double, _ limit: String, _ holds: Bool) {
        if !holds { missed += 1 }
        print(
            String(format: "  %-38@ %9.1f   limit %@  %@", name as NSString, value, limit, holds ? "PASS" : "FAIL"))
    }
}
