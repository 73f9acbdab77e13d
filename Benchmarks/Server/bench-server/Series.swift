// SPDX-License-Identifier: Apache-2.0

import CBareServer
import LatchServer

/// The measurements of one server over all rounds.
struct Series {
    private var rates: [Double] = []
    private var cpus: [Double] = []

    /// The number of requests per second.
    var rate: Double { Self.median(rates) }
    /// The processor time of the server per request, in microseconds.
    var cpu: Double { Self.median(cpus) }

    mutating func measure(_ subject: Subject, _ connections: Int) throws {
        let before = subject.cpuMicroseconds
        let load = bare_load_run(Int32(subject.port), Int32(connections), BenchServer.seconds)
        guard load.failures == 0, load.answers > 0 else { throw ServerError.outOfResources }
        rates.append(Double(load.answers) / load.seconds)
        cpus.append((subject.cpuMicroseconds - before) / Double(load.answers))
    }

    /// Returns the median of the ratios of each round.
    func rateRatio(to other: Series) -> Double { Self.median(zip(rates, other.rates).map { $0 / $1 }) }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}
