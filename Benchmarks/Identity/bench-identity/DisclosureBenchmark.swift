// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchIdentity
import ServedIdentity

/// Measures whether the time of a refused login shows that an account exists, after a change of the cost of hashes.
enum DisclosureBenchmark {
    private static let accounts = 40
    private static let samples = 400

    /// Signs accounts up at one cost and compares logins at another: first none, then half of the hashes are of the new cost.
    static func measure(in folder: URL, report: inout Report) async throws {
        let path = folder.appending(path: "disclosure.sqlite").path
        try await with(path, memoryKiB: 1024) { client in
            for number in 0..<accounts { try await client.signUp(number) }
        }
        try await with(path, memoryKiB: 8192) { client in
            report.require("known − unknown, old hashes (%)", try await difference(client), below: 10)
            for number in 0..<accounts / 2 { _ = try await client.logIn(number) }
            report.require("known − unknown, half upgraded (%)", try await difference(client), below: 20)
        }
    }

    /// Returns how far apart the mean times of known and of unknown names are, in percent of the latter.
    ///
    /// The two alternate, so that a busy machine slows both; the slowest tenth of each is left out.
    private static func difference(_ client: IdentityClient) async throws -> Double {
        var (known, unknown): ([Double], [Double]) = ([], [])
        for number in 0..<samples {
            known.append(try await time(client, "bench\(number % accounts)@example.com"))
            unknown.append(try await time(client, "nobody\(number)@example.com"))
        }
        let mean = { (times: [Double]) in
            times.sorted().prefix(samples * 9 / 10).reduce(0, +) / Double(samples * 9 / 10)
        }
        return abs(mean(known) / mean(unknown) - 1) * 100
    }

    /// Returns the milliseconds of a login with a wrong password.
    private static func time(_ client: IdentityClient, _ name: String) async throws -> Double {
        let begin = ContinuousClock.now
        do {
            _ = try await client.post("/api/auth/clients/login", ["email": .string(name), "password": "not it"])
        } catch HTTPError.unacceptableStatus {}
        return (ContinuousClock.now - begin) / .milliseconds(1)
    }

    private static func with(
        _ path: String, memoryKiB: Int, _ body: (IdentityClient) async throws -> Void
    ) async throws {
        var configuration = IdentityConfiguration()
        (configuration.argon2MemoryKiB, configuration.argon2Passes) = (memoryKiB, 1)
        configuration.loginLimitPerMinute = 1_000_000
        let identity = try await Identity(configuration: configuration, storePath: path, mailer: MemoryMailer())
        let url = "http://127.0.0.1:8080"
        identity.adoptIssuer(url)
        try await body(IdentityClient(identity.handler, url: url))
        await identity.close()
    }
}
