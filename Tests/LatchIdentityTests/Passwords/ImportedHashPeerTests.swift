// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchProcess
import Testing

@testable import LatchIdentityAccounts

/// Hashes by passlib, bcrypt, argon2-cffi, Django, werkzeug, firebase-scrypt and hashlib: Tests/Peers/Passwords.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["LATCH_INTEROP"] != nil, "make interop runs it"),
    .timeLimit(.minutes(10)))
struct ImportedHashPeerTests {
    private struct Case: Decodable {
        let format, hash, password: String
    }

    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    /// Runs a command, and returns what it prints.
    private func output(_ arguments: [String], environment: [String: String]? = nil) async throws -> String {
        let (ending, output) = try await ChildProcess.run(
            "/usr/bin/env", arguments, environment: environment ?? ProcessInfo.processInfo.environment)
        try #require(ending == .exited(0))
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `The hashes of other implementations match the passwords that they were made of, and no others`()
        async throws
    {
        let fetched = try await output(["bash", Self.root.appending(path: "Scripts/fetch-peers").path, "passwords"])
        var environment = ProcessInfo.processInfo.environment
        environment["PYTHONPATH"] = fetched.split(separator: "\n").last.map { String($0) }
        environment["PYTHONWARNINGS"] = "ignore"
        let seed = UInt64.random(in: 0..<1_000_000)
        let script = Self.root.appending(path: "Tests/Peers/Passwords/hashes.py").path
        let lines = try await output(["python3", script, "\(seed)", "1000"], environment: environment)
        var counts: [String: Int] = [:]
        for line in lines.split(separator: "\n") {
            let made = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
            let hash = try ImportedPasswordHash(parsing: made.hash)
            expectEqual(hash.format, made.format)
            let stored = try #require(StoredPassword(hash.stored))
            counts[made.format, default: 0] += 1
            #expect(try stored.verifies(made.password), "seed \(seed): \(line)")
            // bcrypt reads only the beginning.
            let first = try #require(made.password.unicodeScalars.first)
            let changed = (first == "x" ? "y" : "x") + String(made.password.unicodeScalars.dropFirst())
            #expect(try !stored.verifies(changed), "seed \(seed): \(line)")
        }
        let formats = Set((HashFormat.all + [HashFormat.betterAuth]).map(\.name))
        expectEqual(Set(counts.keys), formats)
        for (format, count) in counts { #expect(count >= (format == "better-auth" ? 20 : 1_000), "\(format)") }
    }
}
