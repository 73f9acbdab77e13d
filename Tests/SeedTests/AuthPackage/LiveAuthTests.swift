// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Expectations
import Foundation
import LatchTesting
import TestSupport
import TestVectors
import Testing

/// The account that the live tests use.
struct LiveAccount: Sendable, Equatable {
    let url: URL
    let email: String
    let password: String

    /// The variable that the guide's section "Live Smoke Test" exports; nil if it is not set.
    static let ofEnvironment: LiveAccount? = {
        let environment = ProcessInfo.processInfo.environment
        guard let url = environment["LIVE_BASE_URL"].flatMap(URL.init(string:)) else { return nil }
        return LiveAccount(
            url: url, email: environment["LIVE_EMAIL"] ?? "live-\(UUID().uuidString)@example.com",
            password: environment["LIVE_PASSWORD"] ?? "Secret123!")
    }()

    var client: AuthClient { AuthClient(config: AuthConfiguration(baseURL: url), tokenStore: InMemoryTokenStore()) }

    /// Makes the account where it does not exist yet.
    func register() async throws {
        do {
            let user = try await client.register(email: email, password: password, name: "Live Test")
            expectEqual(user.email, email)
            #expect(!user.id.isEmpty)
        } catch APIError.server(status: 400..<500, message: _) where self == Self.ofEnvironment {
            // It may be there from an earlier run: the login tells.
        }
    }
}

/// The guide's section "Quick Start", block by block, as it is written.
private struct QuickStart {
    let auth: AuthClient

    func login() async throws -> JWTClaims? {
        let claims = try await auth.login(email: "user@company.com", password: "Secret123!")
        // Access token saved; claims optionally decoded for convenience.
        return claims
    }

    func refreshAndLogout() async throws -> String? {
        let maybeNewAccess = try await auth.refreshIfNeeded()
        try await auth.logout()
        return maybeNewAccess
    }

    func passwordReset() async throws {
        try await auth.requestPasswordReset(email: "user@company.com")
        try await auth.resetPassword(token: "<email-token>", newPassword: "NewSecret!")
    }

    func registration() async throws -> User {
        let user = try await auth.register(
            email: "new@client.com",
            password: "Secret123!",
            name: "New Client",
            roles: ["admin"]  // optional
        )
        return user
    }
}

/// `LIVE_BASE_URL=… LIVE_EMAIL=… LIVE_PASSWORD=… swift test --filter LiveAuthTests`, as the guide shows it.
///
/// Without `LIVE_BASE_URL` the same tests run against a process of `latch serve` and one of the guide's backend. They ask for what
/// the guide says alone: `latch check-backend` is the same for the users of the package.
@Suite struct LiveAuthTests {
    /// A backend that the tests run against.
    enum Backend: String, CaseIterable {
        case environment, latch, document

        static var available: [Backend] {
            guard LiveAccount.ofEnvironment == nil else { return [.environment] }
            return PythonCommand.isPresent ? [.latch, .document] : [.latch]
        }

        func with(_ body: (LiveAccount) async throws -> Void) async throws {
            switch self {
            case .environment:
                let account = try #require(LiveAccount.ofEnvironment)
                try await account.register()
                try await body(account)
            case .document:
                let backend = try await DocumentBackend()
                let account = LiveAccount(url: backend.url, email: "a@b.com", password: "Secret123!")
                try await account.register()
                try await body(account)
                withExtendedLifetime(backend) {}
            case .latch:
                try await withTemporaryFolder { folder in
                    let server = try await ServedLatch.start(in: folder)
                    let account = LiveAccount(url: server.url, email: "a@b.com", password: "Secret123!")
                    try await account.register()
                    try await body(account)
                    await expectEqual(server.terminate(), 0)
                }
            }
        }
    }

    @Test(arguments: Backend.available)
    func `A login returns the user, a refresh keeps the session, and a logout ends it`(backend: Backend) async throws {
        try await backend.with { account in
            let auth = account.client
            let claims = try await auth.login(email: account.email, password: account.password)
            expectEqual(claims?.email, account.email)
            expectEqual(claims?.sub?.isEmpty, false)
            // A token has no empty list (RFC 9068 §2.2.3.1), and a new user no roles.
            expectNotEqual(claims?.roles?.isEmpty, false)
            expectEqual(auth.currentUser?.email, account.email)

            let first = try #require(auth.tokens)
            try await expectEqual(auth.refreshIfNeeded(), first.accessToken)
            let second = try await auth.session.refreshed(replacing: first)
            #expect(second.accessToken != first.accessToken && second.refreshToken != nil)
            try await expectEqual(auth.refreshIfNeeded(), second.accessToken)
            let third = try await auth.session.refreshed(replacing: second)
            expectNotEqual(third.accessToken, second.accessToken)

            try await auth.logout()
            expectNil(auth.tokens)
            expectNil(auth.currentUser)
            try await expectNil(auth.refreshIfNeeded())
            try await auth.logout()
        }
    }

    @Test(.enabled(if: LiveAccount.ofEnvironment == nil))
    func `A refresh token of Latchwork's server rotates, and ends with the logout`() async throws {
        try await Backend.latch.with { account in
            let auth = account.client
            _ = try await auth.login(email: account.email, password: account.password)
            let first = try #require(auth.tokens)
            let second = try await auth.session.refreshed(replacing: first)
            expectNotEqual(second.refreshToken, first.refreshToken)
            try await auth.logout()
            let expired = Tokens(
                accessToken: second.accessToken, refreshToken: second.refreshToken, expiry: .distantPast)
            let old = AuthClient(config: auth.configuration, tokenStore: InMemoryTokenStore(expired))
            await #expect(throws: APIError.unauthorized) { try await old.refreshIfNeeded() }
        }
    }

    /// The guide's tip: "Inspect `server(status:message:)` for backend rejections (e.g., 400 'Incorrect email')".
    @Test(arguments: Backend.available)
    func `A wrong password is refused, with the backend's message if it is not a 401`(backend: Backend) async throws {
        try await backend.with { account in
            let error = await #expect(throws: APIError.self) {
                try await account.client.login(email: account.email, password: "not-\(account.password)")
            }
            switch error {
            case .unauthorized? where backend != .document: break
            case .server(status: 400, message: let message)? where backend != .latch:
                #expect(backend == .environment || message == "Incorrect password")
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test(arguments: Backend.available.filter { $0 != .environment })
    func `The quick start runs as it is written`(backend: Backend) async throws {
        try await backend.with { account in
            let quickStart = QuickStart(auth: account.client)
            _ = try await account.client.register(email: "user@company.com", password: "Secret123!")
            try await expectEqual(quickStart.login()?.email, "user@company.com")
            try await expectEqual(quickStart.refreshAndLogout()?.isEmpty, false)
            expectNil(quickStart.auth.tokens)
            let user = try await quickStart.registration()
            #expect(user.email == "new@client.com" && user.name == "New Client")
            // A user of ours does not choose to be an administrator.
            expectEqual(user.roles, backend == .document ? ["admin"] : [])
            // Nobody was mailed this token.
            let error = await #expect(throws: APIError.self) { try await quickStart.passwordReset() }
            guard case .server(status: 400, message: _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: Backend.available)
    func `A taken address is reported by the server`(backend: Backend) async throws {
        try await backend.with { account in
            let error = await #expect(throws: APIError.self) {
                try await account.client.register(email: account.email, password: account.password)
            }
            guard case .server(status: 400..<500, message: let message)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            expectEqual(message?.isEmpty, false)
        }
    }

    @Test(arguments: Backend.available)
    func `A reset can be requested, and an invented token of one is refused`(backend: Backend) async throws {
        try await backend.with { account in
            let known = try await account.client.requestPasswordReset(email: account.email)
            expectEqual(known?.isEmpty, false)
            if backend == .latch {
                let unknown = try await account.client.requestPasswordReset(email: "nobody-\(UUID().uuidString)@b.com")
                expectEqual(known, unknown)
            }
            let error = await #expect(throws: APIError.self) {
                try await account.client.resetPassword(token: "not-a-token", newPassword: "NewSecret456!")
            }
            guard case .server(status: 400..<500, message: _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
