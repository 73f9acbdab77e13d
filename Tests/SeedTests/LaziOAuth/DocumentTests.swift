// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchTesting
import LaziOAuth
import TestSupport
import Testing

/// The document's blocks, which use the one service of the program and so run one after another.
@MainActor
@Suite(.serialized) struct DocumentTests {
    nonisolated private static let password = "a password of four words"

    /// Runs `body` with the program's service at a real `latch serve` in which the document's user has an account.
    private func served(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        try await withTemporaryFolder { @MainActor @Sendable folder in
            let server = try await ServedLatch.start(in: folder)
            try await run(at: server.url, body)
            await expectEqual(server.terminate(), 0)
        }
    }

    private func run(at url: URL, _ body: () async throws -> Void) async throws {
        let unset = OAuthService.shared
        OAuthService.shared = OAuthService(baseURL: url, store: InMemoryTokenStore())
        defer { OAuthService.shared = unset }
        try await OAuthService.shared.signup(username: "seed", email: "user@example.com", password: Self.password)
        await OAuthService.shared.logout()
        try await body()
    }

    @Test func `Seed 004's document signs in, asks with a valid token, refreshes and signs out`() async throws {
        try await served {
            let view = MyView(oauthService: .shared)
            let gates = Gates(oauthService: .shared)
            expectEqual(view.text, "OAuthLoginView()")
            #expect(!gates.hasWidgetWriteAccess)

            var lines: [String] = []
            try await manualLogin(password: Self.password) { lines.append($0) }.value
            expectEqual(lines.count, 3)
            expectEqual(lines.last, "Granted scopes: widgets:read widgets:write projects:read")
            expectEqual(view.text, "Welcome! " + (lines.dropFirst().first ?? ""))
            #expect(gates.hasWidgetWriteAccess)
            #expect(!gates.canManageProjects)

            var sent: URLRequest?
            let requests = Requests(
                oauthService: .shared, someURL: OAuthService.shared.baseURL,
                send: { sent = $0 })
            await requests.makeAuthenticatedRequest()
            let token = sent?.value(forHTTPHeaderField: "Authorization")?.dropFirst("Bearer ".count)
            expectEqual(lines.first, "Login successful! Token: \(token ?? "none")")

            await testTokenRefresh { lines.append($0) }.value
            expectEqual(lines.last, "Refresh successful: true")
            await expectNotEqual(OAuthService.shared.getValidToken(), token.map(String.init))

            await view.logoutButton().value
            expectEqual(view.text, "OAuthLoginView()")
            sent = nil
            await requests.makeAuthenticatedRequest()
            expectNil(sent)
            await testLogout().value
        }
    }

    @Test func `Seed 004's document reports the server's message to a wrong password`() async throws {
        try await served {
            await #expect {
                try await OAuthService.shared.login(username: "user@example.com", password: "wrong-password")
            } throws: { error in
                guard let text = (error as? OAuthError)?.errorDescription else { return false }
                return !text.isEmpty && !text.contains("wrong-password")
            }
        }
    }

    @Test func `Seed 004's document fails for its URL until the program has set its service`() async throws {
        var lines: [String] = []
        try await manualLogin { lines.append($0) }.value
        expectEqual(lines, ["Login failed: Invalid server URL"])
        #expect(!OAuthService.shared.isAuthenticated)
        await expectNil(OAuthService.shared.getValidToken())
    }
}
