// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchServer
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

/// The real server with two registered apps, in process and over a socket.
private func atIssuer(_ body: @Sendable (URL, any Handler, ManualClock) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let clock = ManualClock()
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        configuration.scopes = ["files:read", "files:write", "widgets:read"]
        configuration.clients = [
            OAuthClient(id: "notes", grants: [.password, .refreshToken], scopes: .list("files:write")),
            OAuthClient(id: "reports", isConfidential: true, grants: [.password, .refreshToken]),
        ]
        configuration.clientSecretDigests = [
            // Of `p+q%:ü`, whose characters the two ways of authentication encode differently.
            "reports": SHA256Text.of("p+q%:ü")
        ]
        let identity = try await Identity(
            configuration: configuration, storePath: "\(folder)/identity.sqlite", mailer: MemoryMailer(),
            clock: clock.wallClock())
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await bothPaths(identity, clock, body)) } catch { outcome = .failure(error) }
        await identity.close()
        try outcome.get()
    }
}

private func bothPaths(
    _ identity: Identity, _ clock: ManualClock,
    _ body: @Sendable (URL, any Handler, ManualClock) async throws -> Void
) async throws {
    let content = #"{"username":"ada","email":"ada@example.com","password":"Secret123!"}"#
    let signUp = HTTPRequest(
        method: .post, authority: "127.0.0.1", path: "/auth/signup", fields: [.contentType: "application/json"],
        body: HTTPBody(content))
    try await expectEqual(identity.handler.respond(to: signUp).status, .created)
    let url = try #require(URL(string: "http://127.0.0.1:8080"))
    identity.adoptIssuer(url.absoluteString)
    try await body(url, identity.handler, clock)
    try await serving(identity.handler) { address in
        try await body(try #require(URL(string: "http://127.0.0.1:\(address.port)")), Transport.live, clock)
    }
}

@Suite struct RealIssuerTests {
    let grant = PasswordGrant(username: "ada", password: "Secret123!", scopes: .list("files:write widgets:read"))

    @Test(.tags(.realServer))
    func `The real server's token endpoint signs in, rotates, and gives a repeat the same successor`() async throws {
        try await atIssuer { url, transport, clock in
            let endpoint = TokenEndpoint(
                server: .latchwork(at: url), transport: transport, clock: clock.wallClock())
            let first = try await endpoint.tokens(for: grant)
            #expect(first.scopeChange.isEmpty)
            expectEqual(first.userID?.isEmpty, false)
            let token = try #require(first.tokens.refresh)
            let refresh = RefreshGrant(refreshToken: token)
            let second = try await endpoint.tokens(for: refresh, idempotencyKey: "key-1")
            let again = try await endpoint.tokens(for: refresh, idempotencyKey: "key-1")
            expectEqual(second.tokens.refresh, again.tokens.refresh)
            expectNotEqual(second.tokens.refresh, first.tokens.refresh)
            expectEqual(second.grantedScopes, first.grantedScopes)
        }
    }

    @Test(.tags(.grantedScopes))
    func `The real server's token endpoint grants an app only its permitted scopes, and reports that`() async throws {
        try await atIssuer { url, transport, clock in
            let endpoint = TokenEndpoint(
                server: .latchwork(at: url), registration: ClientRegistration(clientID: "notes"), transport: transport,
                clock: clock.wallClock())
            let response = try await endpoint.tokens(for: grant)
            expectEqual(response.grantedScopes, .list("files:write"))
            expectEqual(response.scopeChange.missing, .list("widgets:read"))
            let token = try #require(response.tokens.refresh)
            let fewer = RefreshGrant(refreshToken: token, scopes: .list("files:read"))
            try await expectEqual(endpoint.tokens(for: fewer).grantedScopes, .list("files:read"))
        }
    }

    @Test(arguments: [ClientRegistration.Authentication.basic, .post])
    func `The real server's token endpoint accepts an app's secret in either way`(
        way: ClientRegistration.Authentication
    ) async throws {
        try await atIssuer { url, transport, clock in
            func endpoint(_ secret: String?) -> TokenEndpoint {
                TokenEndpoint(
                    server: .latchwork(at: url),
                    registration: ClientRegistration(clientID: "reports", secret: secret, authentication: way),
                    transport: transport, clock: clock.wallClock())
            }
            let known = try await endpoint("p+q%:ü").tokens(for: grant)
            #expect(known.tokens.refresh != nil)
            await #expect(throws: OAuthError.invalidClient) { try await endpoint("p q%:ü").tokens(for: grant) }
        }
    }

    @Test(.tags(.tokenRevocation))
    func `The real server's token endpoint revokes at once, and anything twice`() async throws {
        try await atIssuer { url, transport, clock in
            let endpoint = TokenEndpoint(
                server: .latchwork(at: url), transport: transport, clock: clock.wallClock())
            let tokens = try await endpoint.tokens(for: grant).tokens
            try await endpoint.revoke(tokens)
            try await endpoint.revoke(tokens)
            try await endpoint.revoke("no-token-at-all")
            await #expect(throws: OAuthError.invalidGrant) {
                try await endpoint.tokens(for: RefreshGrant(refreshToken: tokens.refresh ?? ""))
            }
        }
    }

    @Test(.tags(.loginResponses))
    func `The real server's token endpoint refuses a wrong password as a grant, and an unknown grant as one`()
        async throws
    {
        try await atIssuer { url, transport, clock in
            let endpoint = TokenEndpoint(
                server: .latchwork(at: url), transport: transport, clock: clock.wallClock())
            let error = await #expect(throws: OAuthError.invalidGrant) {
                try await endpoint.tokens(for: PasswordGrant(username: "ada", password: "wrong-word-1"))
            }
            expectEqual(error?.issuerCode, "invalid_grant")
            await #expect(throws: OAuthError.unsupportedGrantType) { try await endpoint.tokens(for: Unknown()) }
            await #expect(throws: OAuthError.invalidScope) {
                try await endpoint.tokens(
                    for: PasswordGrant(username: "ada", password: "Secret123!", scopes: .list("moon:read")))
            }
        }
    }

    private struct Unknown: Grant {
        var type: String { "urn:example:unknown" }
        var parameters: [(String, String)] { [] }
    }
}
