// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import Nevod
import TestSupport
import TestTags
import Testing

@Suite struct EndpointTests {
    @Test(
        .tags(.endpointSafety),
        arguments: [
            "../admin", "a/../../b", "a/..", "./a", "a/./b", "%2e%2e/a", "a/%2E%2e", ".%2e/a", "//evil.example/a",
            "https://evil.example/a", "http://evil.example", "a\\b", "\\\\evil", "a%5Cb", "a#b", "a\nb", "a%zz",
        ])
    func `An endpoint that leaves the base URL is rejected, and nothing is sent`(endpoint: String) async throws {
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let provider = provider(try #require(URL(string: server.url + "/v1")))
        await expectEqual(failure { () -> EmptyResponse in try await provider.get(endpoint) }, .invalidURL)
        #expect(server.requests.isEmpty)
    }

    @Test(
        .tags(.endpointSafety),
        arguments: [
            ("", "users", "/users"), ("", "/users", "/users"), ("/v1", "users", "/v1/users"),
            ("/v1/", "/users", "/v1/users"), ("/v1", "users/", "/v1/users/"), ("/v1?k=0", "users", "/v1/users?k=0"),
            ("/v1?k=0", "users?p=1", "/v1/users?k=0&p=1"), ("/v1", "", "/v1"), ("/v1", "a b", "/v1/a%20b"),
            ("/v1", "ü", "/v1/%C3%BC"), ("/v1", "a%20b", "/v1/a%20b"), ("/v1", "users/...", "/v1/users/..."),
            ("", "a:b", "/a:b"),
        ])
    func `An endpoint is joined to the base with its path and query`(base: String, endpoint: String, target: String)
        async throws
    {
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let provider = provider(try #require(URL(string: server.url + base)))
        let _: EmptyResponse = try await provider.get(endpoint)
        expectEqual(server.requests.first?.line, "GET \(target) HTTP/1.1")
    }

    @Test(.tags(.endpointSafety))
    func `An endpoint of a domain without an environment names the domain`() async throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let config = NetworkConfig(environments: [TestDomain.api: SimpleEnvironment(baseURL: url)])
        let provider = NetworkProvider(config: config, logger: nil)
        let route = SimpleGetRoute<User, TestDomain>(endpoint: "a", domain: .other)
        await expectEqual(
            provider.request(route), Result<User, NetworkError>.failure(.missingEnvironment(domain: "other")))
        try expectEqual(config.baseURL(for: TestDomain.api).get(), url)
    }

    @Test(.tags(.endpointSafety)) func `An endpoint is looked up in the last configuration`() throws {
        let first = try #require(URL(string: "https://one.example.com"))
        let second = try #require(URL(string: "https://two.example.com"))
        let config = NetworkConfig(environmentConfigurations: [
            [
                AnyHashable(TestDomain.api): SimpleEnvironment(baseURL: first),
                AnyHashable(TestDomain.other): SimpleEnvironment(baseURL: first),
            ],
            [AnyHashable(TestDomain.api): SimpleEnvironment(baseURL: second)],
        ])
        try expectEqual(config.baseURL(for: TestDomain.api).get(), second)
        try expectEqual(config.baseURL(for: TestDomain.other).get(), first)
        // The same identifier in another enumeration is another domain.
        #expect(throws: NetworkError.missingEnvironment(domain: "default")) {
            try config.baseURL(for: DefaultDomain.default).get()
        }
    }

    @Test(.tags(.endpointSafety)) func `An endpoint can be seen as a URLRequest before it is sent`() throws {
        let url = try #require(URL(string: "https://api.example.com/v1"))
        let config = NetworkConfig(environments: [TestDomain.api: SimpleEnvironment(baseURL: url)], timeout: 12)
        let request = try SimplePostRoute<User, TestDomain>(
            endpoint: "/users", domain: .api, queryParameters: ["a": "b"], bodyParameters: ["n": "v"]
        ).makeRequest(with: config).get()
        expectEqual(request.url?.absoluteString, "https://api.example.com/v1/users?a=b")
        expectEqual(request.httpMethod, "POST")
        expectEqual(request.httpBody, Data(#"{"n":"v"}"#.utf8))
        expectEqual(request.value(forHTTPHeaderField: "content-type"), "application/json")
        expectEqual(request.timeoutInterval, 12)
    }
}
