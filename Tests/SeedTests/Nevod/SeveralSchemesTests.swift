// SPDX-License-Identifier: Apache-2.0

// Seed 003, section 4 "Multiple Authentication Schemes", with nothing imported but what its text imports. The text leaves
// out the configurations, the two functions that obtain credentials and the three services, and shows no initializer of
// the actor, which has none of its own; they are added. Its last lines read the actor's properties without `await`, which
// no actor allows: the word is added.

import Expectations
import Nevod
import TestTags
import Testing

enum LegacyDomain: ServiceDomain {
    case api
    var identifier: String { "legacy" }
}

private actor NetworkContainer {
    let keychain: KeyValueStorage

    // Left out by the text.
    let mainAPIConfig: NetworkConfig
    let legacyServiceConfig: NetworkConfig
    let thirdPartyConfig: NetworkConfig
    let refreshOAuthToken: @Sendable (Token?) async throws -> Token
    let performCookieLogin: @Sendable () async throws -> CookieToken

    init(
        keychain: KeyValueStorage, mainAPIConfig: NetworkConfig, legacyServiceConfig: NetworkConfig,
        thirdPartyConfig: NetworkConfig, refreshOAuthToken: @escaping @Sendable (Token?) async throws -> Token,
        performCookieLogin: @escaping @Sendable () async throws -> CookieToken
    ) {
        self.keychain = keychain
        self.mainAPIConfig = mainAPIConfig
        self.legacyServiceConfig = legacyServiceConfig
        self.thirdPartyConfig = thirdPartyConfig
        self.refreshOAuthToken = refreshOAuthToken
        self.performCookieLogin = performCookieLogin
    }

    // Bearer token provider (for main API)
    lazy var bearerProvider: NetworkProvider = {
        let tokenStorage = TokenStorage<Token>(
            storage: keychain,
            key: StorageKey(value: "bearer_token")
        )

        let authInterceptor = AuthenticationInterceptor(
            tokenStorage: tokenStorage,
            refreshStrategy: { [refreshOAuthToken] oldToken in
                // OAuth refresh logic
                try await refreshOAuthToken(oldToken)
            }
        )

        return NetworkProvider(
            config: mainAPIConfig,
            interceptor: authInterceptor
        )
    }()

    // Cookie provider (for legacy service)
    lazy var cookieProvider: NetworkProvider = {
        let cookieStorage = TokenStorage<CookieToken>(
            storage: keychain,
            key: StorageKey(value: "session_cookies")
        )

        let cookieInterceptor = CookieAuthenticationInterceptor(
            cookieStorage: cookieStorage,
            loginStrategy: { [performCookieLogin] in
                try await performCookieLogin()
            },
            shouldAuthenticate: { request in
                request.url?.host?.contains("127.0.0.1") ?? false
            }
        )

        return NetworkProvider(
            config: legacyServiceConfig,
            interceptor: cookieInterceptor
        )
    }()

    // API key provider (for third-party service)
    lazy var apiKeyProvider: NetworkProvider = {
        let storage = TokenStorage<Section3.APIKeyToken>(
            storage: keychain,
            key: StorageKey(value: "third_party_api_key")
        )

        let interceptor = Section3.SimpleAPIKeyInterceptor(storage: storage)

        return NetworkProvider(
            config: thirdPartyConfig,
            interceptor: interceptor
        )
    }()
}

// Left out by the text.
private struct MainAPIService { let provider: NetworkProvider }
private struct LegacyService { let provider: NetworkProvider }
private struct ThirdPartyService { let provider: NetworkProvider }

private struct LegacyRoute: Route {
    typealias Response = Data
    var domain: LegacyDomain { .api }
    var endpoint: String { "/legacy" }
    var method: HTTPMethod { .get }
    var parameters: [String: String]? { nil }
}

@Suite struct SeveralSchemesTests {
    @Test(.tags(.schemeIsolation))
    func `Section 4 of Nevod's document keeps three schemes apart over one keychain`() async throws {
        let site = SeedSite()
        site.on("/legacy") { request in
            request.fields[.cookie] == "sid=1" ? SeedSite.json("legacy") : .init(status: .unauthorized)
        }
        try await site.serve { url in
            let secureKeychain = InMemoryStorage()
            await TokenStorage<Section3.APIKeyToken>(storage: secureKeychain, key: "third_party_api_key")
                .save(Section3.APIKeyToken(apiKey: "k1", headerName: "X-API-Key"))
            let config = NetworkConfig(environments: [YourDomain.api: SimpleEnvironment(baseURL: url)])
            let properties: [HTTPCookiePropertyKey: Any] = [
                .name: "sid", .value: "1", .domain: "127.0.0.1", .path: "/",
            ]
            let cookie = try #require(HTTPCookie(properties: properties))
            let container = NetworkContainer(
                keychain: secureKeychain, mainAPIConfig: config,
                legacyServiceConfig: NetworkConfig(environments: [LegacyDomain.api: SimpleEnvironment(baseURL: url)]),
                thirdPartyConfig: config,
                refreshOAuthToken: { _ in
                    Token(
                        value: try await NetworkProvider(config: config)
                            .perform(RefreshTokenRoute(refreshToken: "")).accessToken)
                }, performCookieLogin: { CookieToken(sessionCookies: [cookie]) })

            // Different services use appropriate providers
            let mainService = MainAPIService(provider: await container.bearerProvider)
            let legacyService = LegacyService(provider: await container.cookieProvider)
            let thirdPartyService = ThirdPartyService(provider: await container.apiKeyProvider)

            try await expectEqual(mainService.provider.perform(GetUserRoute()).id, 7)
            try await expectEqual(legacyService.provider.perform(LegacyRoute()), Data("legacy".utf8))
            await #expect(throws: NetworkError.self) { try await thirdPartyService.provider.perform(GetUserRoute()) }
            let last = try #require(site.requests.last)
            expectEqual(last.fields["X-API-Key"], "k1")
            expectNil(last.fields[.authorization])
            expectNil(last.fields[.cookie])
        }
    }
}
