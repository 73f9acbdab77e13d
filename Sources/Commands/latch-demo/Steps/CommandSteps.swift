// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import PortableFoundation

/// The steps of a user at several terminals: processes of `latch` with one home.
enum CommandSteps {
    static let all: [DemoStep] = [
        DemoStep(code: "command", name: "latch login, whoami and request", play: command),
        DemoStep(code: "processes", name: "8 processes meet one expiry, 1 renewal", play: processes),
        DemoStep(code: "accounts", name: "a second account, and switching", play: accounts),
        DemoStep(code: "everywhere", name: "latch logout --all-devices", play: everywhere),
    ]

    /// The number of processes; without a shared refresh they would look like token theft.
    private static let processCount = 8
    private static let friend = "bob@example.com"

    /// Signs in with a piped password and queries the account.
    ///
    /// The tokens live for a second only, so that the next step finds an expiry.
    private static func command(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        try stage.folder.write(stage.password, to: "password")
        try stage.folder.write("access_token_lifetime = 1\n", to: "latch.toml")
        try await stage.server.reload()
        let url = stage.baseURL.absoluteString
        let said = try await stage.latch(
            "login", "--issuer", url, "--account", stage.email, "--password-stdin", "--json", input: "password")
        try expect(try JSONValue(parsing: said)["account"]?.stringValue == stage.email, "it signed in another account")
        try expect(!said.contains("eyJ"), "the output of the login holds a token")
        let whoami = try JSONValue(parsing: try await stage.latch("whoami", "--json"))
        try expect(whoami["email"]?.stringValue == stage.email, "it is another account")
        let profile = try JSONValue(parsing: try await stage.latch("request", "GET", "/user/profile", "--fail"))
        try expect(profile["email"]?.stringValue == stage.email, "the request was made as another account")
        stage.calls += 2
        return .init("the password by a pipe, the tokens in the secret store")
    }

    /// Starts processes that all find the same expired token.
    private static func processes(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let token = try await stage.latch("token", "--refresh", "--json")
        guard let text = try JSONValue(parsing: token)["expires_at"]?.stringValue else {
            throw DemoFailure("the token states no expiry")
        }
        let expiry = try Date(text, strategy: .iso8601)
        // What is issued from now on outlives the slowest of them.
        try stage.folder.write("access_token_lifetime = 900\n", to: "latch.toml")
        try await stage.server.reload()
        try await WallClock.system.sleep(for: .seconds(max(0, expiry.timeIntervalSinceNow) + 1))
        let before = try await stage.metrics()
        let begin = ContinuousClock.now
        let calls = try (0..<processCount).map { _ in try CommandProcess.start(["token"], on: stage) }
        var tokens: Set<String> = []
        for call in calls { tokens.insert(try await call.output()) }
        let time = DemoReport.milliseconds(ContinuousClock.now - begin)
        let renewals = try await stage.metrics().refreshes - before.refreshes
        try expect(tokens.count == 1, "the processes hold \(tokens.count) different tokens")
        try expect(renewals == 1, "the server counts \(DemoReport.counted(renewals, "renewal"))")
        return .init(
            "all of them print the same new token, \(Int(time.rounded())) ms for all",
            ["processes": .integer(Int64(processCount)), "renewals": .integer(Int64(renewals))])
    }

    /// Signs a second user in while the first account refreshes, and switches back.
    private static func accounts(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        try await signUpFriend(stage)
        let renewals = try (0..<3).map { _ in
            try CommandProcess.start(["token", "--account", stage.email, "--refresh"], on: stage)
        }
        _ = try await stage.latch("login", "--account", friend, "--password-stdin", input: "password")
        for renewal in renewals { _ = try await renewal.output() }
        let second = try await stage.latch("whoami", "--json")
        try expect(try JSONValue(parsing: second)["email"]?.stringValue == friend, "a late renewal took the place")
        _ = try await stage.latch("accounts", "use", stage.email)
        let first = try await stage.latch("whoami", "--json")
        try expect(try JSONValue(parsing: first)["email"]?.stringValue == stage.email, "the switch had no effect")
        let listed = try JSONValue(parsing: try await stage.latch("accounts", "--json")).arrayValue ?? []
        try expect(listed.map { $0["state"] } == ["signed in", "signed in"], "not both are signed in")
        stage.calls += 2
        return .init("renewals of the one touch nothing of the other", ["accounts": 2])
    }

    /// Ends all sessions of the account from one terminal, and leaves the other account's.
    private static func everywhere(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        _ = try await phone.profile()
        _ = try await stage.latch("logout", "--all-devices")
        let end = try await refusal("a session of another device") { _ = try await phone.profile() }
        guard case AuthError.reauthenticationRequired = end else { throw end }
        let said = try await CommandProcess.start(["token"], on: stage).refusal()
        try expect(said.contains("signed out"), "the command says only: \(said)")
        let friendly = try await stage.latch("whoami", "--account", friend, "--json")
        try expect(try JSONValue(parsing: friendly)["email"]?.stringValue == friend, "the friend was signed out too")
        try await phone.signIn(email: stage.email, password: stage.password)
        stage.calls += 2
        return .init("the other device is out at once, the other account is not")
    }

    /// An account of the same password, with its address verified.
    private static func signUpFriend(_ stage: DemoStage) async throws {
        let client = stage.client(InMemoryTokenStore())
        try await client.signUp(email: friend, password: stage.password)
        let mails = MailFolder(path: stage.folder.path("mails"))
        let token = try await mails.token(subject: "Verify your e-mail address", to: friend, amongOthers: true)
        try await client.verifyEmail(token: token)
    }
}
