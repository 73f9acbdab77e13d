// SPDX-License-Identifier: Apache-2.0

import CBareCurl
import FoundationEssentials
import LatchHTTP

/// Measures an authenticated `Client` over `CurlTransport` beside libcurl in plain C, on the same server in one run.
@main
struct BenchHTTP {
    static let rounds = 21
    static let width = 64

    static func main() async throws {
        // Forks, so it comes before any thread.
        let port = bare_server_start()
        guard port > 0 else { throw HTTPError.offline }
        let bench = try Bench(port: Int(port))
        var report = Report()
        report.load()
        // Names on the command line choose among the three; none means all.
        let names = Set(CommandLine.arguments.dropFirst()).intersection(["sequential", "concurrent", "chain"])
        if names.isEmpty || names.contains("sequential") { try await bench.compareSequential(into: &report) }
        if names.isEmpty || names.contains("concurrent") { try await bench.compareConcurrent(into: &report) }
        if names.isEmpty || names.contains("chain") { try await bench.measureChain(into: &report) }
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }
}
