// SPDX-License-Identifier: Apache-2.0

import CBareCurl
import CMeasure
import LatchHTTP

/// What one side did in one round.
struct Sample {
    /// Requests per second.
    let rate: Double
    /// Microseconds of processor time of this process per request.
    let cpu: Double
    /// Blocks of memory per request.
    let allocations: Double

    init(of count: Int, _ body: (Int) async throws -> Int) async throws {
        let cpu = bare_cpu_microseconds()
        let blocks = measure_allocations()
        var good = 0
        let time = try await ContinuousClock().measure { good = try await body(count) }
        guard good == count else { throw HTTPError.unacceptableStatus }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        rate = Double(count) / seconds
        self.cpu = (bare_cpu_microseconds() - cpu) / Double(count)
        allocations = Double(measure_allocations() - blocks) / Double(count)
    }
}

/// Two sides measured in turns.
///
/// A figure that compares them is the median of what each round says, since the two halves of a round meet the same
/// load of the machine; which side comes first alternates, and a first round that only warms up is not counted.
struct Comparison {
    private var rounds: [(first: Sample, second: Sample)] = []

    init(
        rounds count: Int, of requests: Int,
        _ first: (Int) async throws -> Int, _ second: (Int) async throws -> Int
    ) async throws {
        for round in 0...count {
            let samples: (first: Sample, second: Sample)
            if round.isMultiple(of: 2) {
                let early = try await Sample(of: requests, first)
                samples = (early, try await Sample(of: requests, second))
            } else {
                let early = try await Sample(of: requests, second)
                samples = (try await Sample(of: requests, first), early)
            }
            if round > 0 { rounds.append(samples) }
        }
    }

    /// The median over the rounds of a figure of one side.
    func first(_ figure: (Sample) -> Double) -> Double { Self.median(rounds.map { figure($0.first) }) }

    /// The median over the rounds of a figure of the other side.
    func second(_ figure: (Sample) -> Double) -> Double { Self.median(rounds.map { figure($0.second) }) }

    /// The median over the rounds of a figure that compares the two.
    func both(_ figure: (_ first: Sample, _ second: Sample) -> Double) -> Double {
        Self.median(rounds.map { figure($0.first, $0.second) })
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}
