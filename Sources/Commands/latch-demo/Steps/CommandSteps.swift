// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP

/// The steps of a user with several terminals: processes of `latch` with the same home folder.
enum CommandSteps {
    static let all: [DemoStep] = [
        DemoStep(code: "command", name: "latch login, whoami and request", play: command),
        DemoStep(code: "processes", name: "8 processes at one expiry, 1 refresh", play: processes),
        DemoStep(code: "accounts", name: "a second account, and switching", play: accounts),
        DemoStep(code: "everywhere", name: "latch logout --all-devices", play: everywhere),
    ]

    /// The number of processes; without a shared refresh they would look like token theft.
    private static let processCount = 8
    private static let secondEmail = "bob@example.com"

    /// Signs in with a piped password and queries the account.
    private static func command(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        try stage.folder.write(stage.password, to: "password")
        let url = stage.baseURL.absoluteString
        let output = try await stage.latch(
            "login", "--issuer", url, "--account", stage.email, "--password-stdin", "--json", input: "password")
        try expect(try JSONValue(parsing: output)["account"]?.stringValue == stage.email, "it is another account")
        try expect(!output.contains("eyJ"), "the output of the login holds a token")
        try await expectAccount(stage.email, from: "whoami", "--json", on: stage)
        try await expectAccount(stage.email, from: "request", "GET", "/user/profile", "--fail", on: stage)
        stage.calls += 2
        return .init("the password from a pipe, the tokens in the secret store")
    }

    /// Starts processes that all find the same expired token.
    private static func processes(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        try stage.folder.write("access_token_lifetime = 1\n", to: "latch.toml")
        try await stage.server.reload()
        let token = try await stage.latch("token", "--refresh", "--json")
        let text = try require(JSONValue(parsing: token)["expires_at"]?.stringValue, "the token states no expiry")
        let expiry = try Date(text, strategy: .iso8601)
        // From now on, tokens outlive the slowest process.
        try stage.folder.write("access_token_lifetime = 900\n", to: "latch.toml")
        try await stage.server.reload()
        try await WallClock.system.sleep(for: .seconds(max(0, expiry.timeIntervalSinceNow) + 1))
        let before = try await stage.metrics()
        let begin = ContinuousClock.now
        let calls = try (0..<processCount).map { _ in try CommandProcess.start(["token"], on: stage) }
        var tokens: Set<String> = []
        for call in calls { tokens.insert(try await call.output()) }
        let time = DemoReport.milliseconds(ContinuousClock.now - begin)
        let refreshes = try await stage.metrics().refreshes - before.refreshes
        try expect(tokens.count == 1, "the processes hold \(tokens.count) different tokens")
        try expect(refreshes == 1, "the server counts \(DemoReport.counted(refreshes, "refresh", plural: "refreshes"))")
        return .init(
            "all of them print the same new token, \(Int(time.rounded())) ms for all",
            ["processes": .integer(Int64(processCount)), "renewals": .integer(Int64(refreshes))])
    }

    /// Signs in a second user while the first account refreshes, and switches back.
    private static func accounts(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        try await stage.signUp(email: secondEmail)
        let refreshes = try (0..<3).map { _ in
            try CommandProcess.start(["token", "--account", stage.email, "--refresh"], on: stage)
        }
        _ = try await stage.latch("login", "--account", secondEmail, "--password-stdin", input: "password")
        for refresh in refreshes { _ = try await refresh.output() }
        // A late refresh must not make its account the current one again.
        try await expectAccount(secondEmail, from: "whoami", "--json", on: stage)
        _ = try await stage.latch("accounts", "use", stage.email)
        try await expectAccount(stage.email, from: "whoami", "--json", on: stage)
        let listed = try JSONValue(parsing: try await stage.latch("accounts", "--json")).arrayValue ?? []
        try expect(listed.map { $0["state"] } == ["signed in", "signed in"], "not both are signed in")
        stage.calls += 2
        return .init("refreshes of one account do not affect the other", ["accounts": 2])
    }

    /// Ends all sessions of one account from one terminal, and keeps those of the other account.
    private static func everywhere(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        _ = try await phone.profile()
        _ = try await stage.latch("logout", "--all-devices")
        try await expect(AuthError.reauthenticationRequired, from: "a session of another device") {
            _ = try await phone.profile()
        }
        let error = try await CommandProcess.start(["token"], on: stage).refusal()
        try expect(error.contains("signed out"), "the command reports only: \(error)")
        try await expectAccount(secondEmail, from: "whoami", "--account", secondEmail, "--json", on: stage)
        try await phone.signIn(email: stage.email, password: stage.password)
        stage.calls += 2
        return .init("the other device is signed out immediately, the other account is not")
    }

    /// Runs a call of `latch` whose JSON output must be about an account.
    private static func expectAccount(_ email: String, from words: String..., on stage: DemoStage) async throws {
        let output = try JSONValue(parsing: try await CommandProcess.start(words, on: stage).output())
        try expect(output["email"]?.stringValue == email, "'latch \(words[0])' is about another account")
    }
}
