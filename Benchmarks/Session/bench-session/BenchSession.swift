// SPDX-License-Identifier: Apache-2.0

import CMeasure
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// The costs of a session: the current credential, the same from 64 tasks, a request through the interceptor, and
/// a storm of tasks on an expired credential.
@main
enum BenchSession {
    static let rounds = 200_000

    static func main() async throws {
        let tokens = Tokens(access: "access", refresh: "refresh", expiry: Date(timeIntervalSinceNow: 86_400))
        let session = Session(store: InMemoryTokenStore(tokens)) { $0.credential }
        try await session.restore()
        var missed = 0

        let one = try await measure { for _ in 0..<rounds { _ = try await session.credential() } }
        missed += line("a valid credential", one, limit: 700)

        let many = try await measure {
            try await withThrowingTaskGroup { group in
                for _ in 0..<64 {
                    group.addTask { for _ in 0..<(rounds / 64) { _ = try await session.credential() } }
                }
                try await group.waitForAll()
            }
        }
        missed += line("the same, from 64 tasks", many, limit: 1_000)

        let sink = ClosureHandler { _ in HTTPResponse(status: .noContent) }
        let scope = CredentialScope.host("api.example.com")
        let client = sink.intercepted(by: [SessionInterceptor(session, for: scope)])
        let request = HTTPRequest(authority: "api.example.com", path: "/")
        let bare = try await measure { for _ in 0..<rounds { _ = try await sink.respond(to: request) } }
        let full = try await measure { for _ in 0..<rounds { _ = try await client.respond(to: request) } }
        missed += line("a request through the interceptor", full - bare, limit: 5_000)

        missed += try await storm(of: 10_000)
        if try await !ServedStorm().run(of: 10_000) { missed += 1 }
        try await SigningCost.run()
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, CommandLine.arguments.contains("--check") { exit(1) }
    }

    /// Tasks that all find the credential expired: one refresh, and the time until the last has its own.
    private static func storm(of count: Int) async throws -> Int {
        let refreshes = Mutex(0)
        let expired = Tokens(access: "old", refresh: "r0", expiry: Date(timeIntervalSince1970: 1))
        let session = Session(store: InMemoryTokenStore(expired)) { _ in
            refreshes.withLock { $0 += 1 }
            try await Task.sleep(for: .milliseconds(5))
            return Tokens(access: "new", refresh: "r1", expiry: Date(timeIntervalSinceNow: 900))
        }
        let began = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { _ = try await session.credential() } }
            try await group.waitForAll()
        }
        let milliseconds = (ContinuousClock.now - began).inSeconds * 1_000
        print(
            String(
                format: "%d tasks, one expiry: %d refresh, %.1f ms of which 5 are the issuer's", count,
                refreshes.withLock { $0 }, milliseconds))
        return refreshes.withLock { $0 } == 1 ? 0 : 1
    }

    private struct Cost {
        let nanoseconds: Double
        /// The processor time, for a machine with other load.
        let processor: Double
        let allocations: Double

        static func - (whole: Cost, part: Cost) -> Cost {
            Cost(
                nanoseconds: whole.nanoseconds - part.nanoseconds, processor: whole.processor - part.processor,
                allocations: whole.allocations - part.allocations)
        }
    }

    private static func measure(_ body: @Sendable () async throws -> Void) async throws -> Cost {
        try await body()
        var (times, processor) = ([Double](), [Double]())
        let blocks = measure_allocations()
        for _ in 0..<5 {
            let (began, used) = (ContinuousClock.now, clock())
            try await body()
            times.append((ContinuousClock.now - began).inSeconds * 1e9 / Double(rounds))
            processor.append(Double(clock() - used) / Double(CLOCKS_PER_SEC) * 1e9 / Double(rounds))
        }
        let allocations = Double(measure_allocations() - blocks) / Double(5 * rounds)
        return Cost(nanoseconds: times.sorted()[2], processor: processor.sorted()[2], allocations: allocations)
    }

    private static func line(_ what: String, _ cost: Cost, limit: Double) -> Int {
        let holds = cost.nanoseconds <= limit
        let name = what.padding(toLength: 36, withPad: " ", startingAt: 0)
        print(
            String(
                format: "%@ %7.0f ns  limit ≤ %.0f  %@  %5.1f allocations, %.0f ns of the processor", name,
                cost.nanoseconds, limit, holds ? "PASS" : "FAIL", cost.allocations, cost.processor))
        return holds ? 0 : 1
    }
}
