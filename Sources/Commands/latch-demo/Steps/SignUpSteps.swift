// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import PortableFoundation

/// The steps from an empty server to a signed-in user.
enum SignUpSteps {
    /// The steps in their order; every later step needs all of them.
    static let all: [DemoStep] = [
        DemoStep(code: "start", name: "a server process starts", play: start),
        DemoStep(code: "sign-up", name: "somebody signs up", play: signUp),
        DemoStep(code: "duplicate", name: "the same address again is refused", play: duplicate),
        DemoStep(code: "unverified", name: "no login before the address is verified", play: unverified),
        DemoStep(code: "verify", name: "the link in the mail verifies it, once", play: verify),
        DemoStep(code: "wrong-password", name: "a wrong password is reported", play: wrongPassword),
        DemoStep(code: "login", name: "login, tokens go to an encrypted file", play: login),
        DemoStep(code: "profile", name: "the profile of who is signed in", play: profile),
    ]

    /// Starts the process and asks it for its health, as a supervisor would.
    private static func start(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        // Short enough to see an access token expire; a later step makes it long without a restart.
        try stage.folder.write("access_token_lifetime = 4\n", to: "latch.toml")
        let clock = ContinuousClock()
        let begin = clock.now
        let url = try await stage.server.start()
        guard let baseURL = URL(string: url) else { throw DemoFailure("'\(url)' is no URL") }
        stage.baseURL = baseURL
        try await Client(baseURL: baseURL).perform(.get("healthz"))
        let time = DemoReport.milliseconds(clock.now - begin)
        return .init(
            "\(url), first answer after \(Int(time.rounded())) ms",
            [
                "url": .string(url), "process": .integer(Int64(stage.server.id)),
                "firstAnswerMilliseconds": .number(time),
            ])
    }

    /// Signs up and asks for more than is given: a role in the content must have no effect.
    ///
    /// The address is unverified then, since a later step must find that it cannot log in.
    private static func signUp(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let client = stage.client(LatchAuth.InMemoryTokenStore())
        let account = try await client.signUp(
            email: stage.email, password: stage.password, name: "Ada", roles: ["admin"])
        try expect(account.email == stage.email && account.name == "Ada", "the account has another address or name")
        try expect(account.isEmailVerified == false, "the address counts as verified before anybody verified it")
        try expect(!account.roles.contains("admin"), "a user made themselves an administrator")
        return .init("\(account.email); the wish to be an administrator is ignored", ["account": .string(account.id)])
    }

    /// The same address in capitals, which is the same account and therefore refused.
    ///
    /// A sign-up may disclose that an address is taken, a login may not.
    private static func duplicate(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let client = stage.client(LatchAuth.InMemoryTokenStore())
        let (email, password) = (stage.email.uppercased(), stage.password)
        let error = try await refusal("a second account with one address") {
            try await client.signUp(email: email, password: password)
        }
        guard case AccountError.emailTaken = error else { throw error }
        return .init("emailTaken, also in capitals")
    }

    /// The right password before the mail was answered: refused as a wrong one is, so that nothing can be learnt.
    ///
    /// The demonstration sets `require_verified_email`; without it this login would succeed.
    private static func unverified(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let client = stage.client(LatchAuth.InMemoryTokenStore())
        let (email, password) = (stage.email, stage.password)
        let error = try await refusal("a login with an address that is not verified") {
            try await client.signIn(email: email, password: password)
        }
        guard case AccountError.wrongCredentials = error else { throw error }
        return .init("refused, without a word on why")
    }

    /// Follows the link of the mail that really lies in the folder, twice; the second time it is worth nothing.
    ///
    /// The time that is reported runs until the mail was found, not until it was sent.
    private static func verify(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let clock = ContinuousClock()
        let begin = clock.now
        let mails = MailFolder(path: stage.folder.path("mails"))
        let token = try await mails.token(subject: "Verify your e-mail address", to: stage.email)
        let arrival = DemoReport.milliseconds(clock.now - begin)
        let client = stage.client(LatchAuth.InMemoryTokenStore())
        try await client.verifyEmail(token: token)
        let error = try await refusal("the same link again") { try await client.verifyEmail(token: token) }
        guard case AccountError.refused = error else { throw error }
        return .init("mail read from its .eml file", ["mailMilliseconds": .number(arrival)])
    }

    /// A wrong password, by either client, must not look like a server that is not there, and the reverse.
    private static func wrongPassword(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let client = stage.client(LatchAuth.InMemoryTokenStore())
        let email = stage.email
        let error = try await refusal("a wrong password") {
            try await client.signIn(email: email, password: "not the password")
        }
        guard case AccountError.wrongCredentials = error else { throw error }
        let facade = AuthPackage.AuthClient(config: AuthConfiguration(baseURL: stage.baseURL))
        let facadeError = try await refusal("a wrong password") {
            try await facade.login(email: email, password: "not the password")
        }
        guard case APIError.unauthorized = facadeError else { throw facadeError }
        // The discard port (RFC 863) has no listener.
        guard let nowhere = URL(string: "http://127.0.0.1:9") else { throw DemoFailure("URLs cannot be made") }
        let offline = AuthPackage.AuthClient(config: AuthConfiguration(baseURL: nowhere))
        let networkError = try await refusal("a server that is not there") {
            try await offline.login(email: email, password: "not the password")
        }
        guard case APIError.network = networkError else { throw networkError }
        return .init("wrongCredentials; without a server it is a network error")
    }

    /// Logs in and reads the file beside the client: it holds the tokens, and not in the clear.
    ///
    /// The file must not hold the token in the clear; how strong its encryption is, tests of that module show.
    private static func login(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        // No lead: the step with the thousand calls is to meet the expiry itself.
        let phone = stage.client(stage.tokenFile, policy: RefreshPolicy(lead: .zero, jitter: .zero))
        let tokens = try await phone.signIn(email: stage.email, password: stage.password)
        stage.phone = phone
        try expect(tokens.refresh != nil && tokens.expiry != nil, "the tokens lack a refresh token or an expiry")
        try expect(try await stage.tokenFile.load() == tokens, "the file holds other tokens")
        let file = try Data(contentsOf: URL(filePath: stage.folder.path("tokens")))
        try expect(file.firstRange(of: Data(tokens.access.utf8)) == nil, "the file holds the token in the clear")
        return .init("\(file.count) bytes, the token is not readable in them")
    }

    /// The server and the token must speak of the same account.
    ///
    /// `account` of the client is read from the token, `profile()` asks the server.
    private static func profile(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        let account = try await phone.profile()
        stage.calls += 1
        try expect(account.email == stage.email && account.name == "Ada", "it belongs to another account")
        try expect(account.isEmailVerified == true, "the address does not count as verified")
        try expect(phone.account?.id == account.id, "the token speaks of another account than the server")
        return .init("\(account.email), verified")
    }
}
