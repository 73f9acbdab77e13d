// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import latch
@testable import latch_demo

@Suite(.serialized) struct SharedAccountTests {
    /// Waits until the server refuses a token for its age.
    private func untilExpired(_ token: String, at url: URL) async throws {
        try await eventually { try await LoginTests.status(of: token, at: url) != 200 }
    }

    /// The outcomes of calls that were begun at the same time.
    private func outcomes(_ calls: [CommandHome.Call]) async -> [BuiltProgram.Outcome] {
        await withTaskGroup(of: BuiltProgram.Outcome.self) { group in
            for call in calls { group.addTask { await call.outcome() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `One account in many processes is renewed once for one expiry at the real server`() async throws {
        try await CommandHome.with { home in
            let file = home.folder + "/latch.toml"
            try Data("access_token_lifetime = 1\nargon2_memory_kib = 64\nargon2_passes = 1\n".utf8)
                .write(to: URL(filePath: file))
            try await BuiltProgram.serving(["--config", file], in: home.folder) { process, address in
                let url = try #require(URL(string: address))
                try await signUp(at: url)
                try await home.login("ada@example.com", at: address)
                // What is issued from now on lives long enough for the slowest of the processes.
                try Data("access_token_lifetime = 900\nargon2_memory_kib = 64\nargon2_passes = 1\n".utf8)
                    .write(to: URL(filePath: file))
                let renewals = try await ServerMetrics(readingFrom: url).refreshes
                process.hangUp()
                try await eventually { !BuiltProgram.lines(of: home.folder + "/error").isEmpty }
                let begin = ContinuousClock.now
                while begin.duration(to: .now) < .seconds(1) { await Task.yield() }
                let outcomes = await outcomes(try (0..<8).map { _ in try home.start(["token"]) })
                #expect(outcomes.allSatisfy { $0.ending == .exited(0) && $0.error.isEmpty })
                let tokens = Set(outcomes.flatMap(\.output))
                expectEqual(tokens.count, 1)
                try await expectEqual(ServerMetrics(readingFrom: url).refreshes - renewals, 1)
                let status = try await LoginTests.status(of: tokens.first ?? "", at: url)
                expectEqual(status, 200)
            }
        }
    }

    private func signUp(at url: URL) async throws {
        let client = Client(baseURL: url)
        let body = JSONValue.object(["email": "ada@example.com", "password": .string(CommandHome.password)])
        let request = try client.request(
            .post, "auth/signup", fields: [.contentType: "application/json"], body: HTTPBody(body.serialized()))
        try await client.respond(to: request).requireSuccess()
    }

    @Test func `One account in many processes is renewed by each '--refresh' that finds it unchanged`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                try await home.login("ada", at: issuer.url)
                try await expectEqual(home.latch("token").output, ["access-1"])
                try await expectEqual(home.latch("token", "--refresh").output, ["access-2"])
                try await expectEqual(home.latch("token").output, ["access-2"])
                expectEqual(issuer.world.withLock { $0.renewals }, 1)
                let outcomes = await outcomes(try (0..<4).map { _ in try home.start(["token", "--refresh"]) })
                #expect(outcomes.allSatisfy { $0.ending == .exited(0) })
                let renewals = issuer.world.withLock { $0.renewals }
                #expect((2...5).contains(renewals))
                try await expectEqual(home.latch("token").output, ["access-\(renewals + 1)"])
            }
        }
    }

    @Test
    func `One account in many processes keeps apart what many processes do with many accounts at once`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                let names = (0..<5).map { "person-\($0)" }
                let logins = try names.map { name in
                    try home.start(
                        ["login", "--issuer", issuer.url, "--account", name, "--password-stdin"], input: "x")
                }
                let outcomes = await outcomes(logins)
                #expect(outcomes.allSatisfy { $0.ending == .exited(0) })
                let listed = try await home.accounts()
                expectEqual(Set(listed.compactMap { $0["account"]?.stringValue }), Set(names))
                #expect(listed.allSatisfy { $0["state"] == "signed in" })
                expectEqual(listed.count { $0["current"] == true }, 1)
            }
        }
    }

    @Test func `One account in many processes stays whole when processes that change it are killed`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                for name in ["ada", "bob"] { try await home.login(name, at: issuer.url) }
                let clock = ContinuousClock()
                let usual = try await clock.measure { _ = try await home.latch("accounts", "use", "ada") }
                for round in 0..<30 {
                    let subcommand =
                        round % 3 == 0 ? ["token", "--refresh"] : ["accounts", "use", round % 2 == 0 ? "ada" : "bob"]
                    let call = try home.start(subcommand)
                    // Spread over the life of a call, from its first moment to its last.
                    try await Task.sleep(for: usual * Double(round) / 25, tolerance: .zero)
                    call.process.kill()
                    _ = await call.outcome()
                    let listed = try await home.accounts()
                    #expect(listed.map { $0["account"] } == ["ada", "bob"])
                    #expect(listed.count { $0["current"] == true } == 1)
                    #expect(listed.allSatisfy { $0["state"] == "signed in" })
                }
                // Both still work, and the next change finds no lock that a killed process left behind.
                for name in ["ada", "bob"] {
                    #expect(try await home.latch("token", "--account", name, "--refresh").ending == .exited(0))
                    #expect(try await home.latch("accounts", "use", name).ending == .exited(0))
                }
            }
        }
    }

    @Test func `One account in many processes ends in all of them when the issuer says so`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                try await home.login("ada", at: issuer.url)
                issuer.world.withLock { $0.hasEnded = true }
                let ended = try await home.latch("token", "--refresh")
                expectEqual(ended.ending, .exited(1))
                expectEqual(
                    ended.error,
                    [
                        "latch: The issuer has ended the session of 'ada'.",
                        "hint: Sign in again: latch login --account ada",
                    ])
                try await expectEqual(home.latch("token").ending, .exited(1))
                expectEqual(issuer.world.withLock { $0.renewals }, 1)
                try await expectEqual(home.accounts().first?["state"], "ended by the issuer")
            }
        }
    }

    @Test func `One account in many processes gives scripts only the token, or with its fields`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                try await home.login("ada", at: issuer.url)
                let token = try await home.latch("token")
                #expect(token.output == ["access-1"] && token.error.isEmpty)
                let object = try JSONValue(parsing: try await home.latch("token", "--json").output.joined())
                expectEqual(object["access_token"], "access-1")
                expectEqual(object["token_type"], "Bearer")
                expectEqual(object["account"], "ada")
                expectEqual(object["expires_at"]?.stringValue?.hasSuffix("Z"), true)
                expectNil(object["refresh_token"])
            }
        }
    }
}
