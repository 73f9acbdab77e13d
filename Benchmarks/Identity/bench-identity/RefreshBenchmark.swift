// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchHTTP
import LatchIdentity
import LatchJOSE
import ServedIdentity

/// The measurements.
enum RefreshBenchmark {
    private static let seconds = 5.0

    /// Measures the disk without group commit: one fsync after the other.
    static func measureDisk(in folder: URL, report: inout Report) async throws {
        let file = open(folder.appending(path: "disk").path, O_CREAT | O_WRONLY, 0o600)
        defer { close(file) }
        let page = [UInt8](repeating: 1, count: 4096)
        let begin = ContinuousClock.now
        for _ in 0..<200 {
            guard write(file, page, page.count) == page.count, fsync(file) == 0 else { return }
        }
        report.note("write and fsync, one after another /s", 200 / ((ContinuousClock.now - begin) / .seconds(1)))
    }

    static func measureInProcess(in folder: URL, report: inout Report) async throws {
        let identity = try await Identity(
            configuration: BenchIdentity.configuration, storePath: folder.appending(path: "near.sqlite").path,
            mailer: MemoryMailer())
        identity.adoptIssuer("http://127.0.0.1:1")
        let client = IdentityClient(identity.handler, url: "http://127.0.0.1:1")
        try await signUpAll(client)
        let tokens = try await logInAll(client)
        let rate = try await refresh(client, tokens, report: report)
        report.require("refreshes/s", rate, atLeast: 3000)
        await identity.close()
    }

    static func measureServed(in folder: URL, report: inout Report) async throws {
        let served = try ServerProcess.start(in: folder)
        let client = IdentityClient(CurlTransport(), url: served.url)
        let begin = ContinuousClock.now
        _ = try await client.get("/readyz")
        let first = served.startMilliseconds + (ContinuousClock.now - begin) / .milliseconds(1)
        report.require("start to first answer, ms", first, below: 100)
        report.require("resident at rest, MiB", try served.residentMiB(), below: 60)

        try await signUpAll(client)
        let before = ContinuousClock.now
        let tokens = try await logInAll(client)
        report.note(
            "logins/s (argon2id, default cost)", Double(tokens.count) / ((ContinuousClock.now - before) / .seconds(1)))
        let processor = try served.processorSeconds()
        let rate = try await refresh(client, tokens, report: report)
        report.require("refreshes/s", rate, atLeast: 3000)
        let used = try (served.processorSeconds() - processor) * 1e6 / (rate * seconds)
        report.note("server CPU per refresh, µs", used)
        // A ratio, since it is the same on slow and on busy machines: each refresh signs once.
        report.require("CPU of a refresh : an ES256 signature", used / (try signatureMicroseconds()), below: 6)
        report.note("resident after the load, MiB", try served.residentMiB())
        try served.stop()
    }

    /// Returns the processor time of a signature, by itself on one core.
    private static func signatureMicroseconds() throws -> Double {
        let (key, message, count) = (try Key.generate(.es256), [UInt8](repeating: 1, count: 300), 4000)
        let before = clock()
        for _ in 0..<count { _ = try key.signature(for: message) }
        return Double(clock() - before) / Double(CLOCKS_PER_SEC) * 1e6 / Double(count)
    }

    private static func signUpAll(_ client: IdentityClient) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<BenchIdentity.width { group.addTask { try await client.signUp(number) } }
            try await group.waitForAll()
        }
    }

    private static func logInAll(_ client: IdentityClient) async throws -> [String] {
        try await withThrowingTaskGroup { group in
            for number in 0..<BenchIdentity.width { group.addTask { try await client.logIn(number) } }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
    }

    private static func refresh(_ client: IdentityClient, _ tokens: [String], report: Report) async throws -> Double {
        let commits = try await client.metric("latch_store_commits_total")
        let writes = try await client.metric("latch_store_writes_total")
        let begin = ContinuousClock.now
        let deadline = begin + .seconds(seconds)
        let count = try await withThrowingTaskGroup { group in
            for token in tokens { group.addTask { try await client.refresh(token, until: deadline) } }
            return try await group.reduce(into: 0) { $0 += $1 }
        }
        let elapsed = (ContinuousClock.now - begin) / .seconds(1)
        let committed = try await client.metric("latch_store_commits_total") - commits
        let written = try await client.metric("latch_store_writes_total") - writes
        report.note("commits/s", committed / elapsed)
        report.note("rows per commit", written / max(committed, 1))
        return Double(count) / elapsed
    }
}
