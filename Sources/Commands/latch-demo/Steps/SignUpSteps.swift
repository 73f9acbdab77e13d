// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import LatchAccounts
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP

/// The steps from an empty server to a signed-in user.
enum SignUpSteps {
    /// The steps in order; every later step needs all of them.
    static let all: [DemoStep] = [
        DemoStep(code: "start", name: "a server process starts", play: start),
        DemoStep(code: "sign-up", name: "a user signs up", play: signUp),
        DemoStep(code: "duplicate", name: "the same address again is refused", play: duplicate),
        DemoStep(code: "unverified", name: "no login before the address is verified", play: unverified),
        DemoStep(code: "verify", name: "the link in the email verifies it, once", play: verify),
        DemoStep(code: "wrong-password", name: "a wrong password is reported", play: wrongPassword),
        DemoStep(code: "login", name: "login, tokens go to an encrypted file", play: login),
        DemoStep(code: "profile", name: "the profile of the signed-in user", play: profile),
    ]

    /// Starts the process and requests its health, as a service manager would.
    private static func start(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        // The lifetime is short, so that an access token expires during the demo; a later step raises it without a
        // restart.
        try stage.folder.write("access_token_lifetime = 8\n", to: "latch.toml")
        let clock = ContinuousClock()
        let begin = clock.now
        let url = try await stage.server.start()
        stage.baseURL = try require(URL(string: url), "'\(url)' is not a URL")
        try await Client(baseURL: stage.baseURL).perform(.get("healthz"))
        let time = DemoReport.milliseconds(clock.now - begin)
        return .init(
            "\(url), first response after \(Int(time.rounded())) ms",
            [
                "url": .string(url), "process": .integer(Int64(stage.server.id)),
                "firstAnswerMilliseconds": .number(time),
            ])
    }

    /// Signs up and requests a role, which must have no effect; the address is not yet verified.
    private static func signUp(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let account = try await stage.newClient().signUp(
            email: stage.email, password: stage.password, name: "Ada", roles: ["admin"])
        try expect(account.email == stage.email && account.name == "Ada", "the account has another address or name")
        try expect(account.isEmailVerified == false, "the address counts as verified")
        try expect(!account.roles.contains("admin"), "a user made themselves an administrator")
        return .init("\(account.email); the requested role is ignored", ["account": .string(account.id)])
    }

    /// Signs up with the same address in capitals.
    ///
    /// A sign-up may disclose that it is taken; a login may not.
    private static func duplicate(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let (client, email, password) = (stage.newClient(), stage.email.uppercased(), stage.password)
        try await expect(AccountError.emailTaken, from: "a second account with one address") {
            try await client.signUp(email: email, password: password)
        }
        return .init("emailTaken, also in capitals")
    }

    /// Signs in before the address is verified: only a caller with the right password learns why that is refused.
    ///
    /// The demonstration sets `require_verified_email`; without it this login would succeed.
    private static func unverified(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let (client, email, password) = (stage.newClient(), stage.email, stage.password)
        try await expect(AccountError.wrongCredentials, from: "a login with a wrong password") {
            try await client.signIn(email: email, password: "not the password")
        }
        try await expect(AccountError.refused, from: "a login with an address that is not verified") {
            try await client.signIn(email: email, password: password)
        }
        return .init("refused; a wrong password is not told why")
    }

    /// Follows the mailed link twice; the second time it is refused.
    ///
    /// The reported time runs until the email was found, not until it was sent.
    private static func verify(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let clock = ContinuousClock()
        let begin = clock.now
        let token = try await stage.mails.token(subject: "Confirm your email address", to: stage.email)
        let arrival = DemoReport.milliseconds(clock.now - begin)
        let client = stage.newClient()
        try await client.verifyEmail(token: token)
        let error = try await refusal("the same link again") { try await client.verifyEmail(token: token) }
        guard case AccountError.refused = error else { throw error }
        return .init("email read from its .eml file", ["mailMilliseconds": .number(arrival)])
    }

    /// Signs in with a wrong password and without a server; each client must distinguish the two failures.
    private static func wrongPassword(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let (client, email) = (stage.newClient(), stage.email)
        try await expect(AccountError.wrongCredentials, from: "a wrong password") {
            try await client.signIn(email: email, password: "not the password")
        }
        let facade = AuthPackage.AuthClient(config: AuthConfiguration(baseURL: stage.baseURL))
        let facadeError = try await refusal("a wrong password") {
            try await facade.login(email: email, password: "not the password")
        }
        guard case APIError.unauthorized = facadeError else { throw facadeError }
        // The discard port (RFC 863) has no listener.
        let nowhere = try require(URL(string: "http://127.0.0.1:9"), "the URL is invalid")
        let offline = AuthPackage.AuthClient(config: AuthConfiguration(baseURL: nowhere))
        let networkError = try await refusal("a missing server") {
            try await offline.login(email: email, password: "not the password")
        }
        guard case APIError.network = networkError else { throw networkError }
        return .init("wrongCredentials; without a server it is a network error")
    }

    /// Signs in and reads the client's file, which must contain the tokens, but not in plain text.
    private static func login(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        // No lead: the thousand calls of a later step must run up to the expiry itself.
        let phone = stage.client(stage.tokenFile, policy: RefreshPolicy(lead: .zero, jitter: .zero))
        let tokens = try await phone.signIn(email: stage.email, password: stage.password)
        stage.phone = phone
        try expect(tokens.refresh != nil && tokens.expiry != nil, "the tokens lack a refresh token or an expiry")
        try expect(try await stage.tokenFile.load() == tokens, "the file holds other tokens")
        let file = try Data(contentsOf: URL(filePath: stage.folder.path("tokens")))
        try expect(file.firstRange(of: Data(tokens.access.utf8)) == nil, "the file holds the token in the clear")
        return .init("\(file.count) bytes, the token is not readable in them")
    }

    /// Compares the token's account, `account`, with the server's account, `profile()`.
    private static func profile(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        let account = try await phone.profile()
        stage.calls += 1
        try expect(account.email == stage.email && account.name == "Ada", "the profile belongs to another account")
        try expect(account.isEmailVerified == true, "the address does not count as verified")
        try expect(phone.account?.id == account.id, "the token names another account than the server")
        return .init("\(account.email), verified")
    }
}
