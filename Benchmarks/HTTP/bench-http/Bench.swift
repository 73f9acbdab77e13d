// SPDX-License-Identifier: Apache-2.0

import Baselines
import CBareCurl
import LatchFoundation
import LatchHTTP

/// What is measured request by request.
struct Bench {
    private let bare: OpaquePointer
    private let authorization = "Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiI0MiIsImV4cCI6MTc5OTk5OTk5OX0.c2lnbmF0dXJl"
    private let client: Client
    private let chained: Client
    private let system: SystemClient
    private let baseline = Baseline("Benchmarks/HTTP/allocations.txt")

    init(port: Int) throws {
        let url = "http://127.0.0.1:\(port)"
        let field = "Authorization: \(authorization)"
        guard let base = URL(string: url),
            let bare = bare_client_make("\(url)/users/me", field, Int32(BenchHTTP.width))
        else { throw HTTPError.invalidURL }
        self.bare = bare
        let transport = CurlTransport()
        let authorization = authorization
        let bearer = ClosureInterceptor { request, next in
            var request = request
            request.fields[.authorization] = authorization
            return try await next.respond(to: request)
        }
        let nothing = ClosureInterceptor { request, next in try await next.respond(to: request) }
        system = SystemClient(url: base.appending(path: "users/me"), authorization: authorization)
        client = Client(baseURL: base, transport: transport, interceptors: [bearer])
        chained = Client(
            baseURL: base, transport: transport, interceptors: Array(repeating: nothing, count: 10) + [bearer])
    }

    func compareSequential(into report: inout Report) async throws {
        let both = try await Comparison(rounds: BenchHTTP.rounds, of: 2000) {
            Int(bare_sequential(bare, Int32($0)))
        } _: {
            try await sequential(client, $0)
        }
        report.section("one after another", both)
        report.require("requests/s, Client : bare libcurl", both.both { $1.rate / $0.rate }, atLeast: 0.75)
        report.require("CPU, Client : bare libcurl", both.both { $1.cpu / $0.cpu }, atMost: 1.5)
        compareAllocations("sequential", both, into: &report)
    }

    func compareConcurrent(into report: inout Report) async throws {
        let both = try await Comparison(rounds: BenchHTTP.rounds, of: 6400) {
            Int(bare_multi(bare, Int32($0)))
        } _: {
            try await concurrent($0)
        }
        report.section("\(BenchHTTP.width) at a time", both)
        report.require("requests/s, Client : bare libcurl multi", both.both { $1.rate / $0.rate }, atLeast: 0.75)
        report.require("CPU, Client : bare libcurl multi", both.both { $1.cpu / $0.cpu }, atMost: 1.5)
        compareAllocations("concurrent", both, into: &report)
    }

    /// Blocks of memory are counted and not timed, so the limit is what was written down, and half a block.
    private func compareAllocations(_ name: String, _ both: Comparison, into report: inout Report) {
        let count = both.second(\.allocations)
        guard let known = baseline[name] else { return report.note("allocations per request, no baseline", count) }
        report.require("allocations per request", count, atMost: known + (name == "sequential" ? 0.5 : 4))
    }

    func compareSystem(into report: inout Report) async throws {
        let one = try await Comparison(rounds: 5, of: 1000) {
            try await system.sequential($0)
        } _: {
            try await sequential(client, $0)
        }
        report.section("one after another", one, against: "URLSession")
        report.require("requests/s, Client : URLSession", one.both { $1.rate / $0.rate }, atLeast: 5)
        report.note("CPU, Client : URLSession", one.both { $1.cpu / $0.cpu })
        let many = try await Comparison(rounds: 5, of: 3200) {
            try await system.concurrent($0)
        } _: {
            try await concurrent($0)
        }
        report.section("\(BenchHTTP.width) at a time", many, against: "URLSession")
        report.require("requests/s, Client : URLSession", many.both { $1.rate / $0.rate }, atLeast: 5)
        report.note("CPU, Client : URLSession", many.both { $1.cpu / $0.cpu })
    }

    func measureChain(into report: inout Report) async throws {
        let both = try await Comparison(rounds: BenchHTTP.rounds, of: 2000) {
            try await sequential(client, $0)
        } _: {
            try await sequential(chained, $0)
        }
        report.require("µs more for 10 interceptors", both.both { 1e6 / $1.rate - 1e6 / $0.rate }, atMost: 10)
        report.note("CPU µs more for 10 interceptors", both.both { $1.cpu - $0.cpu })
    }

    private func concurrent(_ count: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<BenchHTTP.width {
                group.addTask { [client] in try await sequential(client, count / BenchHTTP.width) }
            }
            return try await group.reduce(0, +)
        }
    }
}

private func sequential(_ client: Client, _ count: Int) async throws -> Int {
    let route = Route<HTTPResponse>.raw(.get, "users/me")
    var good = 0
    for _ in 0..<count where try await client.perform(route).status == .ok { good += 1 }
    return good
}
