// SPDX-License-Identifier: Apache-2.0

// Seed 003, sections 6 "Interceptor Chains" and 7 "Testing", "Best Practices" and "Extending Nevod". Where the text has
// `...`, the shortest thing that compiles stands in its place; `import KeychainAccess` of the practice "Secure Storage" is
// a foreign package, in whose place `Keychain(service:)` comes with ours.

import Expectations
import Nevod
import TestTags
import Testing

// Section 7
struct MockToken: TokenModel {
    let value: String

    func authorize(_ request: inout URLRequest) {
        request.setValue("Mock-\(value)", forHTTPHeaderField: "Authorization")
    }

    func encode() throws -> Data {
        value.data(using: .utf8)!
    }

    static func decode(from data: Data) throws -> Self {
        MockToken(value: String(data: data, encoding: .utf8)!)
    }
}

// Best practice 2
actor MyService {
    let provider: NetworkProvider

    init(provider: NetworkProvider) {
        self.provider = provider
    }
}

// Extending Nevod, 1 and 2
struct MyCustomToken: TokenModel {
    // Your token data
    let data: Data

    func authorize(_ request: inout URLRequest) {
        // Apply auth to request
        request.setValue(String(decoding: data, as: UTF8.self), forHTTPHeaderField: "X-Custom")
    }

    func encode() throws -> Data { data }
    static func decode(from data: Data) throws -> Self { MyCustomToken(data: data) }
}

actor MyCustomInterceptor: RequestInterceptor {
    let storage: TokenStorage<MyCustomToken>
    init(storage: TokenStorage<MyCustomToken>) { self.storage = storage }

    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        await storage.load()?.authorize(&request)
        return request
    }
    func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool { false }
}

@Suite struct ChainAndMockTests {
    private func configuration(_ url: URL) -> NetworkConfig {
        NetworkConfig(environments: [YourDomain.api: SimpleEnvironment(baseURL: url)])
    }

    private func cookies(_ storage: KeyValueStorage) throws -> CookieAuthenticationInterceptor {
        let cookie = try #require(
            HTTPCookie(properties: [.name: "sid", .value: "1", .domain: "127.0.0.1", .path: "/"]))
        return CookieAuthenticationInterceptor(
            cookieStorage: TokenStorage<CookieToken>(storage: storage),
            loginStrategy: { CookieToken(sessionCookies: [cookie]) })
    }

    @Test(.tags(.interceptorOrder))
    func `Sections 6 and 7 of Nevod's document log, set fields and authorize in this order`() async throws {
        let site = SeedSite()
        site.on("/users/me") { _ in SeedSite.json(#"{"id":7,"name":"Ada"}"#) }
        try await site.serve { url in
            let config = configuration(url)
            let chain = InterceptorChain(interceptors: [
                LoggingInterceptor(),  // Log all requests
                HeadersInterceptor(headers: [  // Add common headers
                    "Accept": "application/json",
                    "User-Agent": "MyApp/1.0",
                ]),
                try cookies(InMemoryStorage()),  // Handle auth
            ])

            let provider = NetworkProvider(config: config, interceptor: chain)
            try await expectEqual(provider.perform(GetUserRoute()).name, "Ada")
            let request = try #require(site.requests.first)
            expectEqual(request.fields[.accept], "application/json")
            expectEqual(request.fields[.userAgent], "MyApp/1.0")
            expectEqual(request.fields[.cookie], "sid=1")
        }
    }

    @Test func `Sections 6 and 7 of Nevod's document keep a mock token without any network`() async throws {
        // In tests
        let mockStorage = InMemoryStorage()
        let tokenStorage = TokenStorage<MockToken>(storage: mockStorage)
        await tokenStorage.save(MockToken(value: "test-token"))

        // No network calls, no real auth
        await expectEqual(tokenStorage.load()?.value, "test-token")
        expectEqual(mockStorage.string(for: .token), "test-token")
        var request = URLRequest(url: try #require(URL(string: "https://example.com")))
        await tokenStorage.load()?.authorize(&request)
        expectEqual(request.value(forHTTPHeaderField: "Authorization"), "Mock-test-token")
    }

    @Test func `Sections 6 and 7 of Nevod's document show failures of a storage in either spelling`() async throws {
        let storage = TokenStorage<MockToken>(storage: InMemoryStorage())
        await storage.save(MockToken(value: "a"))
        try await storage.save(MockToken(value: "b")).get()
        try await expectEqual(storage.read()?.value, "b")
        await expectEqual(storage.load()?.value, "b")
    }
}

@Suite struct BestPracticeTests {
    @Test func `The best practices of Nevod's document keep secrets in a keychain`() {
        let keychain = Keychain(service: "com.yourapp.nevod")
        let storage = KeychainStorage(keychain: keychain)
        _ = TokenStorage<Token>(storage: storage)
    }

    @Test func `The best practices of Nevod's document warn of defaults, whose name stores safely here`() {
        // Insecure!
        let storage = UserDefaultsStorage()
        _ = TokenStorage<Token>(storage: storage)
    }

    @Test func `The best practices of Nevod's document inject providers, and make one for each scheme`() async throws {
        let config = NetworkConfig(
            environments: [YourDomain.api: SimpleEnvironment(baseURL: URL(string: "https://api.example.com")!)])
        let oauthInterceptor = HeadersInterceptor(headers: [:])
        let cookieInterceptor = HeadersInterceptor(headers: [:])
        let oauthProvider = NetworkProvider(config: config, interceptor: oauthInterceptor)
        let cookieProvider = NetworkProvider(config: config, interceptor: cookieInterceptor)
        let service = MyService(provider: oauthProvider)
        #expect(service.provider !== cookieProvider)
    }

    @Test(arguments: [(401, "login"), (503, "server 503"), (404, "other")])
    func `The best practices of Nevod's document distinguish errors`(status: Int, shown: String) async throws {
        let site = SeedSite()
        site.on("/users/me") { _ in .init(status: .init(rawValue: status)) }
        try await site.serve { url in
            let config = NetworkConfig(
                environments: [YourDomain.api: SimpleEnvironment(baseURL: url)], retryPolicy: RetryPolicy.none)
            let provider = NetworkProvider(config: config)
            let route = GetUserRoute()
            var seen = ""
            do {
                let data = try await provider.perform(route)
                seen = data.name
            } catch NetworkError.unauthorized {
                // Show login screen
                seen = "login"
            } catch NetworkError.serverError(let statusCode, _) {
                // Handle server errors
                seen = "server \(statusCode)"
            } catch {
                // Handle other errors
                seen = "other"
            }
            expectEqual(seen, shown)
        }
    }

    @Test
    func `The best practices of Nevod's document extend the package by a token and an interceptor`() async throws {
        let site = SeedSite()
        site.on("/users/me") { _ in SeedSite.json(#"{"id":7,"name":"Ada"}"#) }
        try await site.serve { url in
            let storage = TokenStorage<MyCustomToken>(storage: InMemoryStorage())
            let interceptor = MyCustomInterceptor(storage: storage)
            let config = NetworkConfig(environments: [YourDomain.api: SimpleEnvironment(baseURL: url)])
            let provider = NetworkProvider(config: config, interceptor: interceptor)
            await storage.save(MyCustomToken(data: Data("mine".utf8)))
            _ = try await provider.perform(GetUserRoute())
            expectEqual(site.values(of: "X-Custom"), ["mine"])
        }
    }
}
