// SPDX-License-Identifier: Apache-2.0

import CBareCurl
import FoundationEssentials
import LatchHTTP

/// The three measurements.
struct Bench {
    private let url: String
    private let authorization = "Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiI0MiIsImV4cCI6MTc5OTk5OTk5OX0.c2lnbmF0dXJl"
    private let client: Client
    private let chained: Client
    private let route = Route<HTTPResponse>.raw(.get, "users/me")

    init(port: Int) throws {
        url = "http://127.0.0.1:\(port)"
        guard let base = URL(string: url) else { throw HTTPError.invalidURL }
        let transport = CurlTransport()
        let authorization = authorization
        let bearer = InterceptorFunction { request, next in
            var request = request
            request.fields[.authorization] = authorization
            return try await next.respond(to: request)
        }
        let nothing = InterceptorFunction { request, next in try await next.respond(to: request) }
        client = Client(baseURL: base, transport: transport, interceptors: [bearer])
        chained = Client(
            baseURL: base, transport: transport, interceptors: Array(repeating: nothing, count: 10) + [bearer])
    }

    func compareSequential(into report: inout Report) async throws {
        var (bare, ours) = (Series(), Series())
        for _ in 0..<BenchHTTP.rounds {
            try await bare.measure(8000) { bareSequential($0) }
            try await ours.measure(8000) { try await sequential(client, $0) }
        }
        report.section("one after another", bare: bare, ours: ours)
        report.require("requests/s, Client : bare libcurl", ours.rate / bare.rate, atLeast: 0.5)
        report.note("CPU, Client : bare libcurl", ours.cpu / bare.cpu)
    }

    func compareConcurrent(into report: inout Report) async throws {
        var (bare, ours) = (Series(), Series())
        for _ in 0..<BenchHTTP.rounds {
            try await bare.measure(8000) { bareConcurrent($0) }
            try await ours.measure(8000) { try await concurrent($0) }
        }
        report.section("\(BenchHTTP.width) at a time", bare: bare, ours: ours)
        report.require("requests/s, Client : bare libcurl multi", ours.rate / bare.rate, atLeast: 0.75)
        report.require("CPU, Client : bare libcurl multi", ours.cpu / bare.cpu, atMost: 1.5)
    }

    func measureChain(into report: inout Report) async throws {
        var (short, long) = (Series(), Series())
        for _ in 0..<BenchHTTP.rounds {
            try await short.measure(8000) { try await sequential(client, $0) }
            try await long.measure(8000) { try await sequential(chained, $0) }
        }
        report.require("µs more for 10 interceptors", 1e6 / long.rate - 1e6 / short.rate, atMost: 10)
        report.note("CPU µs more for 10 interceptors", long.cpu - short.cpu)
    }

    private func bareSequential(_ count: Int) -> Int {
        Int(bare_sequential("\(url)/users/me", "Authorization: \(authorization)", Int32(count)))
    }

    private func bareConcurrent(_ count: Int) -> Int {
        Int(bare_multi("\(url)/users/me", "Authorization: \(authorization)", Int32(count), Int32(BenchHTTP.width)))
    }

    private func sequential(_ client: Client, _ count: Int) async throws -> Int {
        var good = 0
        for _ in 0..<count where try await client.perform(route).status == .ok { good += 1 }
        return good
    }

    private func concurrent(_ count: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<BenchHTTP.width {
                group.addTask { try await sequential(client, count / BenchHTTP.width) }
            }
            return try await group.reduce(0, +)
        }
    }
}
