// SPDX-License-Identifier: Apache-2.0

import CBareCurl
import FoundationEssentials
import LatchHTTP

/// Measures an authenticated `Client` over `CurlTransport` beside libcurl in plain C, on the same server in one run.
@main
struct BenchHTTP {
    static let rounds = 5
    static let width = 64

    static func main() async throws {
        // Forks, so it comes before any thread.
        let port = bare_server_start()
        guard port > 0 else { throw HTTPError.offline }
        let bench = try Bench(port: Int(port))
        var report = Report()
        try await bench.compareSequential(into: &report)
        try await bench.compareConcurrent(into: &report)
        try await bench.measureChain(into: &report)
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }
}
