// SPDX-License-Identifier: Apache-2.0

import CMeasure
import Foundation
import LatchCore
import LatchHTTP
import Synchronization

/// What each interceptor costs a request that goes well: processor time and allocations, beside a handler that answers
/// immediately.
///
/// It is the process' own time and not the clock's, so that another program beside it changes little.
@main
enum BenchInterceptors {
    static let rounds = 100_000
    static let request = HTTPRequest(
        authority: "api.example.com", path: "/v1/notes?page=2", fields: [.accept: "application/json"])
    static let sink = ClosureHandler { _ in HTTPResponse(status: .noContent) }

    static func main() async throws {
        var missed = 0
        let bare = try await cost(of: [])
        let lines = Mutex(0)
        let quiet = LoggingInterceptor(LoggingOptions(minimumLevel: .warning)) { _ in lines.withLock { $0 += 1 } }
        let loud = LoggingInterceptor { _ in lines.withLock { $0 += 1 } }
        let limit = RateLimitInterceptor(requests: 1_000_000_000, per: .milliseconds(1))
        let single: [(String, [any Interceptor], limit: Double)] = [
            ("fields", [HeaderInterceptor([.userAgent: "Notes/1"])], 500),
            ("logging, nothing to say", [quiet], 400),
            ("logging, a line each", [loud], 5_000),
            ("metrics", [MetricsInterceptor(SampleCounter())], 1_000),
            ("a trace, told", [TraceInterceptor(propagatingTo: { _ in true })], 7_000),
            ("a deadline", [TimeoutInterceptor(.seconds(60))], 15_000),
            ("an idempotency key", [IdempotencyInterceptor(methods: [.get])], 3_000),
            ("a retry that is not needed", [RetryInterceptor()], 500),
            ("a rate limit that is not reached", [limit], 1_200),
        ]
        for (name, interceptors, limit) in single {
            missed += line(name, try await cost(of: interceptors), over: bare, limit: limit)
        }
        let chain = [single[4], single[1], single[3], single[0], single[5], single[6], single[7], single[8]].flatMap(
            \.1)
        missed += line("all of them, in the right order", try await cost(of: chain), over: bare, limit: 36_000)
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, CommandLine.arguments.contains("--check") { exit(1) }
    }

    private final class SampleCounter: MetricsSink {
        private let durations = Mutex<[String: (count: Int, sum: Duration)]>([:])

        func began() {}

        func ended(_ sample: RequestSample) {
            durations.withLock { durations in
                durations[sample.outcome, default: (0, .zero)].count += 1
                durations[sample.outcome, default: (0, .zero)].sum += sample.duration
            }
        }
    }

    private struct Cost {
        let nanoseconds: Double
        let allocations: Double
    }

    /// The median of five rounds, after one that warms up.
    private static func cost(of interceptors: [any Interceptor]) async throws -> Cost {
        let handler = sink.intercepted(by: interceptors)
        for _ in 0..<(rounds / 10) { _ = try await handler.respond(to: request) }
        var times: [Double] = []
        let blocks = measure_allocations()
        for _ in 0..<5 {
            let began = clock()
            for _ in 0..<rounds { _ = try await handler.respond(to: request) }
            times.append(Double(clock() - began) / Double(CLOCKS_PER_SEC) * 1e9 / Double(rounds))
        }
        let allocations = Double(measure_allocations() - blocks) / Double(5 * rounds)
        return Cost(nanoseconds: times.sorted()[2], allocations: allocations)
    }

    private static func line(_ what: String, _ cost: Cost, over bare: Cost, limit: Double) -> Int {
        let nanoseconds = cost.nanoseconds - bare.nanoseconds
        let name = what.padding(toLength: 34, withPad: " ", startingAt: 0)
        print(
            String(
                format: "%@ %7.0f ns of CPU more  limit ≤ %6.0f  %@  %5.1f allocations more", name, nanoseconds, limit,
                nanoseconds <= limit ? "PASS" : "FAIL", cost.allocations - bare.allocations))
        return nanoseconds <= limit ? 0 : 1
    }
}
