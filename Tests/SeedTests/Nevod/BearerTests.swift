// SPDX-License-Identifier: Apache-2.0

// Seed 003, section 1 "Bearer Token Authentication (OAuth 2.0)", with nothing imported but what its text imports. What
// the text leaves out is added above its block: the domain, the two routes, and the storage that it calls `keychain`.

import Expectations
import Nevod
import TestTags
import Testing

struct SeedUser: Decodable, Equatable {
    let id: Int
    let name: String
}

/// Left out by the text: "YourDomain.api".
enum YourDomain: ServiceDomain {
    case api
    var identifier: String { "api" }
}

/// Left out by the text: a route of one's own, as the protocol asks for it.
struct GetUserRoute: Route {
    typealias Response = SeedUser
    var domain: YourDomain { .api }
    var endpoint: String { "/users/me" }
    var method: HTTPMethod { .get }
    var parameters: [String: String]? { nil }
}

/// Left out by the text.
struct RefreshTokenRoute: Route {
    struct Response: Decodable { let accessToken: String }
    let refreshToken: String
    var domain: YourDomain { .api }
    var endpoint: String { "/oauth/refresh" }
    var method: HTTPMethod { .post }
    var parameters: [String: String]? { ["refresh_token": refreshToken] }
}

/// The block; `networkProvider` is the provider that the refresh goes through, `baseURL` stands for the text's URL.
private func block(
    keychain: KeyValueStorage, networkProvider: NetworkProvider, host: String, baseURL: URL
) async throws -> (SeedUser, TokenStorage<Token>) {
    // 1. Create token storage
    let tokenStorage = TokenStorage<Token>(
        storage: keychain,
        key: StorageKey(value: "bearer_token")
    )

    // 2. Create authentication interceptor with refresh logic
    let authInterceptor = AuthenticationInterceptor(
        tokenStorage: tokenStorage,
        refreshStrategy: { oldToken in
            // Call your refresh endpoint
            let refreshRoute = RefreshTokenRoute(refreshToken: oldToken?.value ?? "")
            let newToken = try await networkProvider.perform(refreshRoute)
            return Token(value: newToken.accessToken)
        },
        shouldAuthenticate: { request in
            // Authenticate all requests to your API
            return request.url?.host?.contains(host) ?? false
        }
    )

    // 3. Create network provider with interceptor
    let config = NetworkConfig(
        environments: [
            YourDomain.api: SimpleEnvironment(
                baseURL: baseURL
            )
        ],
        timeout: 30
    )

    let provider = NetworkProvider(
        config: config,
        interceptor: authInterceptor
    )

    // 4. Use it!
    let route = GetUserRoute()
    let user = try await provider.perform(route)
    return (user, tokenStorage)
}

@Suite struct BearerTests {
    @Test(.tags(.rejectionStorm))
    func `Section 1 of Nevod's document answers a 401 by one refresh for all requests, and saves the token`()
        async throws
    {
        let site = SeedSite()
        try await site.serve { url in
            let keychain = InMemoryStorage()
            let config = NetworkConfig(environments: [YourDomain.api: SimpleEnvironment(baseURL: url)])
            await TokenStorage<Token>(storage: keychain, key: "bearer_token").save(Token(value: "expired"))
            let (user, storage) = try await block(
                keychain: keychain, networkProvider: NetworkProvider(config: config), host: "127.0.0.1", baseURL: url)
            expectEqual(user, SeedUser(id: 7, name: "Ada"))
            await expectEqual(storage.load()?.value, "fresh-1")
            expectEqual(site.lines, ["GET /users/me", "POST /oauth/refresh", "GET /users/me"])
            expectEqual(site.bodies, ["", #"{"refresh_token":"expired"}"#, ""])
            expectEqual(site.authorizations, ["Bearer expired", nil, "Bearer fresh-1"])
        }
    }
}
