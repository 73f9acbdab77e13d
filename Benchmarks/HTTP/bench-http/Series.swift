// SPDX-License-Identifier: Apache-2.0

import CBareCurl
import LatchHTTP

/// The figures of one side over all rounds.
struct Series {
    private var rates: [Double] = []
    private var cpus: [Double] = []
    private var allocationCounts: [Double] = []

    /// Requests per second.
    var rate: Double { Self.median(rates) }
    /// Microseconds of processor time of this process per request.
    var cpu: Double { Self.median(cpus) }
    /// Blocks of memory per request.
    var allocations: Double { Self.median(allocationCounts) }

    mutating func measure(_ count: Int, _ body: (Int) async throws -> Int) async throws {
        let cpu = bare_cpu_microseconds()
        let blocks = bare_allocations()
        var good = 0
        let time = try await ContinuousClock().measure { good = try await body(count) }
        guard good == count else { throw HTTPError.unacceptableStatus }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        rates.append(Double(count) / seconds)
        cpus.append((bare_cpu_microseconds() - cpu) / Double(count))
        allocationCounts.append(Double(bare_allocations() - blocks) / Double(count))
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}
