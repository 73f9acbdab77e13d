// SPDX-License-Identifier: Apache-2.0

// Seed 001, its blocks about requests, refresh, logout and errors, each in a function of its own. What the text leaves
// out is added above its block.

import Expectations
import Foundation
import JWTAuthDependencies
import LatchHTTP
import LatchTesting
import TestSupport
import TestTags
import Testing

/// Left out by the text, as the server has it.
struct UserProfile: Codable, Sendable { let name: String }

/// Left out by the text, as the server has it.
private struct APIError: Decodable, Error, Sendable { let message: String }

/// Left out by the text.
struct Post: Codable, Sendable, Equatable { let title: String }

private func basicRequest() async throws -> UserProfile {
    @Dependency(\.jwtAuthClient) var authClient

    let userProfile: SuccessResponse<UserProfile> = try await authClient.sendAuthenticated(
        .get("/user/profile")
    )
    return userProfile.data
}

/// Left out by the text.
private func addCustomHeaders() -> RequestMiddleware { header(key: "X-Custom", value: "1") }

private func customRequest(customDecoder: JSONDecoder, customSession: URLSession) async throws -> [Post] {
    @Dependency(\.jwtAuthClient) var authClient

    let posts: SuccessResponse<[Post]> = try await authClient.sendAuthenticated(
        .get("/posts"),
        refreshExpiredToken: true,  // Default: true
        decoder: customDecoder,
        urlSession: customSession,
        timeoutInterval: 30
    ) {
        // Custom middleware
        addCustomHeaders()
    }
    return posts.data
}

private func typedRequest(print: (String) -> Void) async throws {
    @Dependency(\.jwtAuthClient) var authClient

    // For endpoints that might return errors
    let result: Response<UserProfile, APIError> = try await authClient.sendAuthenticated(
        .get("/user/profile")
    )

    switch result {
    case .success(let userProfile):
        // Handle success
        print("User: \(userProfile.name)")

    case .failure(let apiError):
        // Handle API error
        print("API Error: \(apiError.message)")
    }
}

private func manualRefresh(redirectToLogin: () -> Void) async throws {
    @Dependency(\.jwtAuthClient) var authClient

    do {
        try await authClient.refreshExpiredTokens()
    } catch AuthTokens.Error.missingToken {
        // No tokens available, redirect to login
        redirectToLogin()
    } catch {
        // Refresh failed, tokens may be invalid
        // Clear tokens and redirect to login
        @Dependency(\.authTokensClient) var authTokensClient
        try await authTokensClient.destroy()
    }
}

private func automaticLogout(
    tokens: AuthTokens, refresh: (AuthTokens) async throws -> AuthTokens, authTokensClient: AuthTokensClient
) async throws {
    // This happens automatically in JWTAuthClient.refreshExpiredTokens()
    do {
        let newTokens = try await refresh(tokens)
        try await authTokensClient.set(newTokens)
    } catch {
        // Refresh failed, clear all tokens
        try await authTokensClient.destroy()
    }
}

private func errorHandling(redirectToLogin: () -> Void, handleGeneralError: (any Error) -> Void) async throws {
    @Dependency(\.jwtAuthClient) var authClient
    @Dependency(\.authTokensClient) var authTokensClient

    do {
        let response = try await authClient.sendAuthenticated(.get("/protected-resource"))
        expectEqual(response.response.statusCode, 200)
    } catch AuthTokens.Error.missingToken {
        // No tokens available
        redirectToLogin()
    } catch AuthTokens.Error.expiredToken {
        // Token expired (shouldn't happen with auto-refresh)
        try await authClient.refreshExpiredTokens()
    } catch AuthTokens.Error.invalidToken {
        // Token is malformed
        try await authTokensClient.destroy()
        redirectToLogin()
    } catch {
        // Other network or API errors
        handleGeneralError(error)
    }
}

@Suite struct FlowTests {
    @Test(.tags(.authenticatedSending))
    func `A request with the session's token is answered, also one with an expired token`()
        async throws
    {
        try await AuthBackend.run { site in
            try await site.signIn()
            try await expectEqual(basicRequest().name.isEmpty, false)
            var said: [String] = []
            try await typedRequest { said.append($0) }
            #expect(said.count == 1 && said.first?.hasPrefix("User: ") == true)

            let old = try await site.signIn(expired: true)
            @Shared(.authSession) var session
            expectEqual(session, .expired(old))
            try await expectEqual(basicRequest().name.isEmpty, false)
            let fresh = try #require(session?.tokens)
            expectEqual(session, .valid(fresh))
            expectNotEqual(fresh.refresh, old.refresh)
            expectEqual(fresh[string: "sub"]?.isEmpty, false)
            #expect(!fresh.isExpired)
        }
    }

    @Test(.tags(.concurrentRefresh))
    func `Two hundred requests at once with an expired token are one refresh at the server`()
        async throws
    {
        try await AuthBackend.run { site in
            try await site.signIn(expired: true)
            let names = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<200 { group.addTask { try? await basicRequest().name } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            expectEqual(names.filter { $0 != nil }.count, 200)
            let (data, _, _) = try await Dependency(\.httpRequestClient).wrappedValue.send(.get("/metrics"))
            let line = String(decoding: data, as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix(#"latch_tokens_issued_total{grant="refresh_token"}"#) }
            expectEqual(line?.split(separator: " ").last, "1")
        }
    }

    @Test(.tags(.refreshFailure))
    func `A refresh that the server refuses logs out and leads to the login`() async throws {
        try await AuthBackend.run { site in
            let tokens = try await site.signIn(expired: true)
            // Somebody has signed this device out.
            let _: SuccessResponse<EmptyResponse> = try await Dependency(\.httpRequestClient).wrappedValue.send(
                .post("/auth/logout").body(["refreshToken": tokens.refresh]))
            @Shared(.authSession) var session
            var redirects = 0
            try await errorHandling(redirectToLogin: { redirects += 1 }, handleGeneralError: { Issue.record($0) })
            expectEqual(redirects, 1)
            expectEqual(session, .missing)
            try await errorHandling(redirectToLogin: { redirects += 1 }, handleGeneralError: { Issue.record($0) })
            try await manualRefresh { redirects += 1 }
            expectEqual(redirects, 3)
        }
    }

    @Test(.tags(.refreshFailure)) func `The document's own handling of the end of a refresh also works`() async throws {
        try await AuthBackend.run { site in
            let tokens = try await site.signIn(expired: true)
            let client = Dependency(\.jwtAuthClient).wrappedValue
            @Dependency(\.authTokensClient) var authTokensClient
            @Shared(.authSession) var session
            try await automaticLogout(tokens: tokens, refresh: client.refresh, authTokensClient: authTokensClient)
            expectEqual(session?.isExpired, false)
            try await automaticLogout(
                tokens: tokens, refresh: { _ in throw AuthTokens.Error.expiredToken },
                authTokensClient: authTokensClient)
            expectEqual(session, .missing)
        }
    }

    @Test(.tags(.forcedRefresh)) func `A request with a custom session is sent by it, with its header`()
        async throws
    {
        let seen = ClosureHandler { request in
            expectEqual(request.fields["X-Custom"], "1")
            expectEqual(request.fields[.authorization]?.hasPrefix("Bearer "), true)
            return HTTPResponse(status: .ok, body: HTTPBody(#"[{"title":"Hello"}]"#))
        }
        try await AuthBackend.run { site in
            let tokens = try await site.signIn()
            try await serving(seen) { address in
                let posts = try await withDependencies {
                    $0.keychainClient = .inMemory(tokens)
                    $0.jwtAuthClient.baseURL = { address.url }
                } operation: {
                    try await customRequest(
                        customDecoder: JSONDecoder(), customSession: URLSession(configuration: .ephemeral))
                }
                expectEqual(posts, [Post(title: "Hello")])
            }
        }
    }
}
