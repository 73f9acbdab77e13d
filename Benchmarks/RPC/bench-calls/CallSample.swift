// SPDX-License-Identifier: Apache-2.0

import CMeasure

/// The duration of a number of calls, as the median of several rounds.
struct CallSample {
    /// Calls, or messages, per second.
    var rate = 0.0
    /// Microseconds of this process' processor time for each.
    var processor = 0.0
    /// Blocks of memory that this process asked for, for each.
    var allocations = 0.0

    /// Measures `body`, which does `count` things, after a round that only warms up.
    init(rounds: Int = 7, of count: Int, _ body: (Int) async throws -> Void) async throws {
        try await body(count)
        var (rates, times, blocks) = ([Double](), [Double](), [Double]())
        for _ in 0..<rounds {
            let (processor, allocations) = (measure_processor_seconds(), measure_allocations())
            let time = try await ContinuousClock().measure { try await body(count) }
            rates.append(Double(count) / (time / .seconds(1)))
            times.append((measure_processor_seconds() - processor) * 1e6 / Double(count))
            blocks.append(Double(measure_allocations() - allocations) / Double(count))
        }
        rate = rates.sorted()[rounds / 2]
        processor = times.sorted()[rounds / 2]
        allocations = blocks.sorted()[rounds / 2]
    }
}
