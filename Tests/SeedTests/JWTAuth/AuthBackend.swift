// SPDX-License-Identifier: Apache-2.0

import Foundation
import JWTAuthDependencies
import LatchTesting
import TestSupport

/// The program of the document, as it sets itself up: its live client, at the auth server itself.
struct AuthBackend: Sendable {
    let url: URL
    private let keychain = KeychainClient.inMemory()

    /// Runs a body with a process of `latch serve`, and with the dependencies of a program that uses it.
    static func run(_ body: @Sendable (AuthBackend) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let server = try await ServedLatch.start(in: folder)
            let site = AuthBackend(url: server.url)
            try await site.startAgain { try await body(site) }
            _ = await server.terminate()
        }
    }

    init(url: URL) { self.url = url }

    /// Runs a body as the program does that was started anew: only the keychain is what it was.
    func startAgain(_ body: @Sendable () async throws -> Void) async throws {
        try await withDependencies {
            $0.context = .test
            $0.httpRequestClient = .liveValue
            $0.keychainClient = keychain
            $0.jwtAuthClient = .document(at: url)
        } operation: {
            try await body()
        }
    }

    /// Makes an account.
    func register() async throws -> Credentials {
        let credentials = Credentials(email: "\(UUID().uuidString)@example.com", password: "Secret123!")
        @Dependency(\.httpRequestClient) var httpRequestClient
        let _: SuccessResponse<EmptyResponse> = try await httpRequestClient.send(
            .post("/auth/signup")
                .body(["email": credentials.email, "password": credentials.password, "name": "Ada"]))
        return credentials
    }

    /// Signs in, with an access token that has expired where one is wanted.
    @discardableResult
    func signIn(expired: Bool = false) async throws -> AuthTokens {
        @Dependency(\.httpRequestClient) var httpRequestClient
        @Dependency(\.authTokensClient) var authTokensClient
        let answer: SuccessResponse<LoginResponse> = try await httpRequestClient.send(
            .post("/auth/login").body(try await register()))
        let tokens = AuthTokens(
            access: expired ? "eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.c2ln" : answer.data.accessToken,
            refresh: answer.data.refreshToken)
        try await authTokensClient.save(tokens)
        return tokens
    }
}

extension JWTAuthClient {
    /// The live value of a program.
    static func document(at url: URL) -> JWTAuthClient {
        JWTAuthClient(
            baseURL: { url.absoluteString },
            refresh: { tokens in
                @Dependency(\.httpRequestClient) var httpRequestClient
                let response: SuccessResponse<LoginResponse> = try await httpRequestClient.send(
                    .post("/auth/refresh").body(["refreshToken": tokens.refresh]))
                return AuthTokens(access: response.data.accessToken, refresh: response.data.refreshToken)
            }
        )
    }
}
