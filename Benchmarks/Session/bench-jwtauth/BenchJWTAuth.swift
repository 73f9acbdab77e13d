// SPDX-License-Identifier: Apache-2.0

import CMeasure
import Foundation
import JWTAuthDependencies
import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// The costs of the JWTAuth facade (J18): a claim, an expiry, a save with a load, and what a request takes beyond one
/// without a token.
@main
enum BenchJWTAuth {
    private nonisolated(unsafe) static var missed = 0

    static func main() async throws {
        let text =
            #"{"sub":"ada","email":"ada@example.com","roles":["admin","user"],"exp":\#(Int(Date().timeIntervalSince1970) + 900)}"#
        let payload = Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        let access = "eyJhbGciOiJFUzI1NiJ9.\(payload).c2ln"
        let tokens = AuthTokens(access: access, refresh: "refresh")

        try await line("1,000 tokens decoded", rounds: 1_000, limit: 20_000) {
            for _ in 0..<1_000 { keep(AuthTokens(access: access, refresh: "refresh").expiry) }
        }
        try await line("1,000 claims", rounds: 1_000, limit: 100) {
            for _ in 0..<1_000 { keep(tokens[string: "email"]) }
        }
        try await line("1,000 times whether expired", rounds: 1_000, limit: 500) {
            for _ in 0..<1_000 { keep(tokens.isExpired) }
        }
        try await saves(tokens)
        try await requests(tokens)
        try await storm(on: AuthTokens(access: "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.c2ln", refresh: "old"), to: tokens)
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, CommandLine.arguments.contains("--check") { exit(1) }
    }

    /// A save and a load, in memory and on the disk, each of which is durable when it returns.
    private static func saves(_ tokens: AuthTokens) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-jwtauth-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
        let places: [(String, KeychainClient, Double)] = [
            ("100 saves and loads in memory", .inMemory(), 100_000),
            ("100 saves and loads in a file", KeychainClient(over: file), 20_000_000),
        ]
        for (name, keychain, limit) in places {
            try await withDependencies {
                $0.context = .test
                $0.keychainClient = keychain
            } operation: {
                let client = Dependency(\.authTokensClient).wrappedValue
                try await line(name, rounds: 100, limit: limit) {
                    for _ in 0..<100 {
                        try await client.save(tokens)
                        keep(try await keychain.loadTokens())
                    }
                }
            }
        }
    }

    /// A request with the token beside one without, over a handler that answers immediately.
    private static func requests(_ tokens: AuthTokens) async throws {
        let sink = ClosureHandler { _ in HTTPResponse(status: .ok, body: HTTPBody("{}")) }
        try await withDependencies {
            $0.context = .test
            $0.keychainClient = .inMemory(tokens)
            $0.httpRequestClient = HTTPRequestClient(handler: sink)
            $0.jwtAuthClient = JWTAuthClient(baseURL: { "https://api.example.com/v1" }, refresh: { $0 })
        } operation: {
            let client = Dependency(\.jwtAuthClient).wrappedValue
            try await client.loadSession()
            let bare = try await line("a request without a token", rounds: 1_000, limit: 100_000) {
                for _ in 0..<1_000 { _ = try await client.send(.get("/user/profile")) }
            }
            let full = try await line("a request with the token", rounds: 1_000, limit: 100_000) {
                for _ in 0..<1_000 { _ = try await client.sendAuthenticated(.get("/user/profile")) }
            }
            print(String(format: "the token's part: %.0f ns", full - bare))
        }
    }

    /// A thousand concurrent requests that all find the token expired: one refresh for all.
    private static func storm(on expired: AuthTokens, to fresh: AuthTokens) async throws {
        let refreshes = Mutex(0)
        let sink = ClosureHandler { _ in HTTPResponse(status: .ok, body: HTTPBody("{}")) }
        try await withDependencies {
            $0.context = .test
            $0.keychainClient = .inMemory(expired)
            $0.httpRequestClient = HTTPRequestClient(handler: sink)
            $0.jwtAuthClient = JWTAuthClient(baseURL: { "https://api.example.com/v1" }) { _ in
                refreshes.withLock { $0 += 1 }
                _ =
                    try await Dependency(\.httpRequestClient).wrappedValue.send(.post("/auth/refresh"))
                    as SuccessResponse<EmptyResponse>
                return fresh
            }
        } operation: {
            let client = Dependency(\.jwtAuthClient).wrappedValue
            let began = ContinuousClock.now
            try await withThrowingTaskGroup { group in
                for _ in 0..<1_000 { group.addTask { _ = try await client.sendAuthenticated(.get("/user/profile")) } }
                try await group.waitForAll()
            }
            let count = refreshes.withLock { $0 }
            if count != 1 { missed += 1 }
            let milliseconds = (ContinuousClock.now - began).inSeconds * 1_000
            print(String(format: "1,000 requests, one expiry: %d refresh, %.1f ms", count, milliseconds))
        }
    }

    /// Measures a body five times, and prints the middle one for each of its rounds.
    @discardableResult
    private static func line(
        _ name: String, rounds: Int, limit: Double, _ body: @Sendable () async throws -> Void
    ) async throws -> Double {
        try await body()
        var times: [Double] = []
        let blocks = measure_allocations()
        for _ in 0..<5 {
            let began = ContinuousClock.now
            try await body()
            times.append((ContinuousClock.now - began).inSeconds * 1e9 / Double(rounds))
        }
        let allocations = Double(measure_allocations() - blocks) / Double(5 * rounds)
        let each = times.sorted()[2]
        if each > limit { missed += 1 }
        print(
            String(
                format: "%@ %10.0f ns each  limit ≤ %.0f  %@  %6.1f allocations",
                name.padding(toLength: 32, withPad: " ", startingAt: 0), each, limit, each <= limit ? "PASS" : "FAIL",
                allocations))
        return each
    }

    /// Keeps a value from being optimised away.
    @inline(never)
    private static func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }
}
