// SPDX-License-Identifier: Apache-2.0

// The original's page "Token Management", which the document points to: its blocks, each in a function of its own. What
// the text leaves out is added above its block.

import Expectations
import Foundation
import JWTAuthDependencies
import TestTags
import Testing

extension KeychainClient.Keys {
    static let customToken = Self(value: "custom_token")
    static let deviceId = Self(value: "device_id")
}

private func customKeys() async throws -> String? {
    @Dependency(\.keychainClient) var keychainClient

    // Usage
    try await keychainClient.save("device_123", .deviceId)
    let deviceId = try await keychainClient.load(.deviceId)
    return deviceId
}

private func lowerLevel() async throws -> AuthTokens? {
    @Dependency(\.keychainClient) var keychainClient

    // Save individual tokens
    try await keychainClient.save("access_token_value", .accessToken)
    try await keychainClient.save("refresh_token_value", .refreshToken)

    // Load individual tokens
    let accessToken = try await keychainClient.load(.accessToken)
    let refreshToken = try await keychainClient.load(.refreshToken)
    #expect(accessToken == "access_token_value" && refreshToken == "refresh_token_value")

    // Load both tokens as AuthTokens
    let tokens = try await keychainClient.loadTokens()

    // Clean up
    try await keychainClient.delete(.accessToken)
    try await keychainClient.reset()  // Deletes all keychain items
    return tokens
}

private func claims(tokens: AuthTokens) -> [String: String] {
    // String claims
    let userId = tokens[string: "user_id"]
    let email = tokens[string: "email"]

    // Boolean claims
    let isAdmin = tokens[boolean: "is_admin"]

    // Numeric claims
    let tokenVersion = tokens[int: "token_version"]
    let lastLogin = tokens[date: "last_login"]

    // Array claims
    let roles = tokens[strings: "roles"]
    return [
        "user": "\(userId ?? "") \(email ?? "")", "admin": "\(isAdmin == true)", "version": "\(tokenVersion ?? 0)",
        "login": "\(lastLogin?.timeIntervalSince1970 ?? 0)", "roles": (roles ?? []).joined(separator: ","),
    ]
}

private func proactively() async throws -> Bool {
    @Dependency(\.jwtAuthClient) var authClient
    @Shared(.authSession) var session

    // Check if token will expire soon (e.g., within 5 minutes)
    if let tokens = session?.tokens,
        let expirationDate = tokens[date: "exp"],
        expirationDate.timeIntervalSinceNow < 300
    {

        try await authClient.refreshExpiredTokens()
        return true
    }
    return false
}

private func stateOf(_ session: AuthSession?) -> String {
    // Check session state
    switch session {
    case .none:
        // No session loaded yet
        "spinner"

    case .some(.missing):
        // No tokens available
        "login"

    case .some(.expired(_)):
        // Tokens exist but access token is expired
        "refreshing"

    case .some(.valid(_)):
        // User is authenticated with valid tokens
        "main"
    }
}

/// The reaction of the page to each error, by name.
private func handleTokenError(
    _ error: Error, redirectToLogin: () -> Void, showError: (String) -> Void
) async {
    @Dependency(\.authTokensClient) var authTokensClient
    @Dependency(\.keychainClient) var keychainClient
    @Dependency(\.jwtAuthClient) var authClient

    switch error {
    case AuthTokens.Error.expiredToken:
        // Try to refresh
        try? await authClient.refreshExpiredTokens()

    case AuthTokens.Error.invalidToken,
        AuthTokens.Error.missingToken:
        // Clear invalid tokens and redirect to login
        try? await authTokensClient.destroy()
        redirectToLogin()

    case KeychainError.savingFailed,
        KeychainError.loadingFailed:
        // Keychain issues - try to recover
        try? await keychainClient.reset()
        redirectToLogin()

    default:
        // Other errors
        showError(error.localizedDescription)
    }
}

/// An app's live value, as the original has it; outside of this package it is `@retroactive DependencyKey`.
extension JWTAuthClient: DependencyKey {
    public static let liveValue = Self(
        baseURL: {
            "https://your-api.com/api"
        },
        refresh: { tokens in
            AuthTokens(access: "fresh", refresh: tokens.refresh)
        }
    )
}

@Suite struct TokenPageTests {
    // {"user_id":"7","email":"a@b.c","is_admin":true,"token_version":2,"last_login":1800000000,"roles":["a","b"]}
    private let rich = AuthTokens(
        access: "eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoiNyIsImVtYWlsIjoiYUBiLmMiLCJpc19hZG1pbiI6dHJ1ZSwidG9rZW5fdmVyc2l"
            + "vbiI6MiwibGFzdF9sb2dpbiI6MTgwMDAwMDAwMCwicm9sZXMiOlsiYSIsImIiXX0.c2ln",
        refresh: "refresh")

    @Test(.tags(.tokenClaims)) func `The page about tokens of seed 001 reads claims`() {
        expectEqual(
            claims(tokens: rich),
            [
                "user": "7 a@b.c", "admin": "true", "version": "2", "login": "1800000000.0", "roles": "a,b",
            ])
    }

    @Test(.tags(.tokenSaving))
    func `The page about tokens of seed 001 keeps texts under separate keys, and the pair half by half`() async throws {
        try await withDependencies {
            $0.context = .test
        } operation: {
            let device = try await customKeys()
            expectEqual(device, "device_123")
            try await expectEqual(
                lowerLevel(), AuthTokens(access: "access_token_value", refresh: "refresh_token_value"))
            try await expectNil(Dependency(\.keychainClient).wrappedValue.load(.deviceId))
        }
    }

    @Test(.tags(.sessionLoading))
    func `The page about tokens of seed 001 distinguishes unloaded tokens from missing ones`() async throws {
        try await withDependencies {
            $0.context = .test
        } operation: {
            @Shared(.authSession) var session
            expectEqual(stateOf(session), "spinner")
            try await Dependency(\.jwtAuthClient).wrappedValue.loadSession()
            expectEqual(stateOf(session), "login")
            try await Dependency(\.authTokensClient).wrappedValue.save(rich)
            expectEqual(stateOf(session), "main")
        }
        expectEqual(stateOf(.expired(rich)), "refreshing")
    }

    @Test(.tags(.authenticatedSending))
    func `The page about tokens of seed 001 refreshes before the end if the program wants it`() async throws {
        try await AuthBackend.run { site in
            try await expectEqual(proactively(), false)
            let old = try await site.signIn(expired: true)
            #expect(try await proactively())
            @Shared(.authSession) var session
            expectNotEqual(session?.tokens?.refresh, old.refresh)
            try await expectEqual(proactively(), false)
        }
    }

    @Test(.tags(.refreshFailure))
    func `The page about tokens of seed 001 recovers from each error in its way`() async throws {
        var said: [String] = []
        let errors: [any Error] = [
            AuthTokens.Error.expiredToken, AuthTokens.Error.invalidToken, AuthTokens.Error.missingToken,
            KeychainError.savingFailed(message: "x"), KeychainError.loadingFailed(message: "x"),
            RequestError.missingBaseURL,
        ]
        for error in errors {
            await withDependencies {
                $0.context = .test
                $0.authSession = .valid(rich)
            } operation: {
                await handleTokenError(error, redirectToLogin: { said.append("login") }, showError: { said.append($0) })
                @Shared(.authSession) var session
                // An error of the keychain, and one of a request, ends no session by itself.
                expectEqual(session == .missing, error is AuthTokens.Error && !said.isEmpty, "\(error)")
            }
        }
        expectEqual(said, ["login", "login", "login", "login", "The base URL is missing."])
    }

    @Test func `An app's live value is used by its program, and by no test`() async throws {
        @Dependency(\.jwtAuthClient) var authClient
        try expectEqual(authClient.baseURL(), "https://your-api.com/api")
        try await expectEqual(authClient.refresh(rich).access, "fresh")
        withDependencies {
            $0.context = .test
        } operation: {
            #expect(throws: MissingDependency(name: "jwtAuthClient.baseURL")) { try authClient.baseURL() }
        }
    }
}
