// SPDX-License-Identifier: Apache-2.0

// Seed 003, section 3 "API Key Authentication", with nothing imported but what its text imports. Where the text says
// "encode/decode implementation..." one is written; names that stand twice in the text, or that the package has too,
// stay apart in an enumeration of their own.

import Expectations
import Nevod
import TestTags
import Testing

enum Section3 {
    // 1. Create custom token type
    struct APIKeyToken: TokenModel {
        let apiKey: String
        let headerName: String

        func authorize(_ request: inout URLRequest) {
            request.setValue(apiKey, forHTTPHeaderField: headerName)
        }

        func encode() throws -> Data {
            try JSONEncoder().encode(["key": apiKey, "header": headerName])
        }

        static func decode(from data: Data) throws -> Self {
            let dict = try JSONDecoder().decode([String: String].self, from: data)
            return APIKeyToken(
                apiKey: dict["key"] ?? "",
                headerName: dict["header"] ?? "X-API-Key"
            )
        }
    }

    // 4. Use simple interceptor (no refresh needed for API keys)
    actor SimpleAPIKeyInterceptor: RequestInterceptor {
        let storage: TokenStorage<APIKeyToken>

        // Left out by the text: an actor has no initializer of its own.
        init(storage: TokenStorage<APIKeyToken>) { self.storage = storage }

        func adapt(_ request: URLRequest) async throws -> URLRequest {
            var req = request
            await storage.load()?.authorize(&req)
            return req
        }

        func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
            return false  // API keys don't refresh
        }
    }

    static func block(keychain: KeyValueStorage, config: NetworkConfig) async -> NetworkProvider {
        // 2. Create storage
        let apiKeyStorage = TokenStorage<APIKeyToken>(
            storage: keychain,
            key: StorageKey(value: "api_key")
        )

        // 3. Save your API key
        await apiKeyStorage.save(
            APIKeyToken(apiKey: "your-api-key-here", headerName: "X-API-Key")
        )

        let interceptor = SimpleAPIKeyInterceptor(storage: apiKeyStorage)
        let provider = NetworkProvider(config: config, interceptor: interceptor)
        return provider
    }

    struct QueryAPIKeyToken: TokenModel {
        let apiKey: String
        let paramName: String

        func authorize(_ request: inout URLRequest) {
            guard var components = URLComponents(url: request.url!, resolvingAgainstBaseURL: false) else {
                return
            }

            var queryItems = components.queryItems ?? []
            queryItems.append(URLQueryItem(name: paramName, value: apiKey))
            components.queryItems = queryItems
            request.url = components.url
        }

        // encode/decode implementation...
        func encode() throws -> Data { try JSONEncoder().encode([apiKey, paramName]) }
        static func decode(from data: Data) throws -> Self {
            let parts = try JSONDecoder().decode([String].self, from: data)
            return QueryAPIKeyToken(apiKey: parts[0], paramName: parts[1])
        }
    }
}

@Suite struct APIKeyTests {
    @Test(.tags(.apiKeys))
    func `Section 3 of Nevod's document sends the key in a field, and does not ask for another after a 401`()
        async throws
    {
        let site = SeedSite()
        try await site.serve { url in
            let config = NetworkConfig(environments: [YourDomain.api: SimpleEnvironment(baseURL: url)])
            let provider = await Section3.block(keychain: InMemoryStorage(), config: config)
            await #expect(throws: NetworkError.self) { try await provider.perform(GetUserRoute()) }
            expectEqual(site.values(of: "X-API-Key"), ["your-api-key-here"])
        }
    }

    @Test(.tags(.apiKeys)) func `Section 3 of Nevod's document sends the key in the query, once`() async throws {
        let site = SeedSite()
        site.on("/users/me") { _ in SeedSite.json(#"{"id":7,"name":"Ada"}"#) }
        try await site.serve { url in
            let storage = TokenStorage<Section3.QueryAPIKeyToken>(storage: InMemoryStorage())
            await storage.save(Section3.QueryAPIKeyToken(apiKey: "k1", paramName: "api_key"))
            let provider = NetworkProvider(
                config: NetworkConfig(environments: [YourDomain.api: SimpleEnvironment(baseURL: url)]),
                interceptor: AuthenticationInterceptor(
                    tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized }))
            _ = try await provider.perform(GetUserRoute())
            expectEqual(site.lines, ["GET /users/me?api_key=k1"])
        }
    }
}
