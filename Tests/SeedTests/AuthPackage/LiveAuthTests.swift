// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Foundation
import LatchTesting
import TestSupport
import Testing

/// The account that the live tests use.
struct LiveAccount: Sendable {
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
            #expect(user.email == email)
            #expect(!user.id.isEmpty)
        } catch APIError.server(status: 409, message: _) {
            // It is there from an earlier run.
        }
    }
}

/// `LIVE_BASE_URL=… LIVE_EMAIL=… LIVE_PASSWORD=… swift test --filter LiveAuthTests`, as the guide shows it.
///
/// Without `LIVE_BASE_URL` the same tests run against a process of `latch serve` of their own.
@Suite struct LiveAuthTests {
    private func live(_ body: (LiveAccount) async throws -> Void) async throws {
        if let account = LiveAccount.ofEnvironment {
            try await account.register()
            return try await body(account)
        }
        try await withTemporaryFolder { folder in
            let server = try await ServedLatch.start(in: folder)
            let account = LiveAccount(url: server.url, email: "a@b.com", password: "Secret123!")
            try await account.register()
            try await body(account)
            #expect(await server.terminate() == 0)
        }
    }

    @Test func `login tells who it is, refresh keeps the session, logout ends it`() async throws {
        try await live { account in
            let auth = account.client
            let claims = try await auth.login(email: account.email, password: account.password)
            #expect(claims?.email == account.email)
            #expect(claims?.sub?.isEmpty == false)
            #expect(claims?.roles != nil)
            #expect(auth.currentUser?.email == account.email)

            let first = try #require(auth.tokens)
            #expect(try await auth.refreshIfNeeded() == first.accessToken)
            let second = try await auth.session.refreshed(replacing: first)
            #expect(second.refreshToken != first.refreshToken)
            #expect(try await auth.refreshIfNeeded() == second.accessToken)

            try await auth.logout()
            #expect(auth.tokens == nil)
            #expect(auth.currentUser == nil)
            #expect(try await auth.refreshIfNeeded() == nil)
            try await auth.logout()

            let expired = Tokens(
                accessToken: second.accessToken, refreshToken: second.refreshToken, expiry: .distantPast)
            let old = AuthClient(config: auth.configuration, tokenStore: InMemoryTokenStore(expired))
            await #expect(throws: APIError.unauthorized) { try await old.refreshIfNeeded() }
        }
    }

    @Test func `a wrong password is unauthorized`() async throws {
        try await live { account in
            await #expect(throws: APIError.unauthorized) {
                try await account.client.login(email: account.email, password: "not-\(account.password)")
            }
        }
    }

    @Test func `a taken address is told by the server`() async throws {
        try await live { account in
            let error = await #expect(throws: APIError.self) {
                try await account.client.register(email: account.email, password: account.password)
            }
            guard case .server(status: 409, message: let message)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(message?.isEmpty == false)
        }
    }

    @Test func `a reset says the same for every address`() async throws {
        try await live { account in
            let known = try await account.client.requestPasswordReset(email: account.email)
            let unknown = try await account.client.requestPasswordReset(email: "nobody-\(UUID().uuidString)@b.com")
            #expect(known == unknown)
            #expect(known?.isEmpty == false)
            let error = await #expect(throws: APIError.self) {
                try await account.client.resetPassword(token: "not-a-token", newPassword: "NewSecret456!")
            }
            guard case .server(status: 400, message: _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
