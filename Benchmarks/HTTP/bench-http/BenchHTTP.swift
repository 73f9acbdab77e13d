// SPDX-License-Identifier: Apache-2.0

import CBareCurl
import LatchFoundation
import LatchHTTP

/// Measures an authenticated `Client` over `CurlTransport` beside libcurl in plain C and Foundation's URLSession, on the
/// same server in one run, and what a gigabyte takes.
@main
struct BenchHTTP {
    static let rounds = 21
    static let width = 64

    static func main() async throws {
        // Fork, so they come before any thread.
        let port = bare_server_start()
        let volumePort = bare_volume_start(Int64(Volume.size))
        guard port > 0, volumePort > 0 else { throw HTTPError.offline }
        let bench = try Bench(port: Int(port))
        var report = Report()
        report.load()
        // Names on the command line choose among them; none means all.
        let all = ["sequential", "concurrent", "chain", "system", "volume"]
        let named = all.filter { CommandLine.arguments.dropFirst().contains($0) }
        for name in named.isEmpty ? all : named {
            switch name {
            case "sequential": try await bench.compareSequential(into: &report)
            case "concurrent": try await bench.compareConcurrent(into: &report)
            case "chain": try await bench.measureChain(into: &report)
            case "system": try await bench.compareSystem(into: &report)
            default: try await Volume(port: Int(volumePort)).measure(into: &report)
            }
        }
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }
}
