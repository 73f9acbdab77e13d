// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import Nevod
import TestSupport
import TestTags
import Testing

/// A route with the required members only.
private struct Least: Route {
    typealias Response = User
    var method: HTTPMethod
    var parameters: [String: String]?
    var domain: TestDomain { .api }
    var endpoint: String { "users" }
}

/// A route with every member.
private struct Most: Route {
    typealias Response = User
    let parameterEncoding: ParameterEncoding
    var domain: TestDomain { .api }
    var endpoint: String { "/users?fixed=1" }
    var method: HTTPMethod { .post }
    var parameters: [String: String]? { ["b": "2", "a": "1"] }
    var headers: [String: String]? { ["Accept": "text/x", "Content-Type": "text/y"] }
    var urlQueryItems: [URLQueryItem]? {
        [URLQueryItem(name: "q", value: "1"), URLQueryItem(name: "q", value: nil), URLQueryItem(name: "ä", value: "&")]
    }
}

@Suite struct RouteTests {
    private func made(_ route: some Route) throws -> URLRequest {
        let url = try #require(URL(string: "https://api.example.com/v1/"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let config = NetworkConfig(
            environments: [TestDomain.api: SimpleEnvironment(baseURL: url)], jsonEncoder: encoder)
        return try route.makeRequest(with: config).get()
    }

    @Test(.tags(.contentMatrix))
    func `A custom route sends its parameters in the query of GET and in JSON otherwise`() throws {
        for method in HTTPMethod.allCases {
            let request = try made(Least(method: method, parameters: ["b": "2", "a": "1"]))
            expectEqual(request.httpMethod, method.stringValue)
            if method == .get {
                expectEqual(request.url?.absoluteString, "https://api.example.com/v1/users?a=1&b=2")
                expectNil(request.httpBody)
                expectNil(request.value(forHTTPHeaderField: "Content-Type"))
            } else {
                expectEqual(request.url?.absoluteString, "https://api.example.com/v1/users")
                expectEqual(request.httpBody, Data(#"{"a":"1","b":"2"}"#.utf8))
                expectEqual(request.value(forHTTPHeaderField: "Content-Type"), "application/json")
            }
        }
    }

    @Test(.tags(.contentMatrix)) func `A custom route without parameters has neither a query nor content`() throws {
        for method in HTTPMethod.allCases {
            for parameters in [nil, [:]] as [[String: String]?] {
                let request = try made(Least(method: method, parameters: parameters))
                expectEqual(request.url?.absoluteString, "https://api.example.com/v1/users")
                expectNil(request.httpBody)
                expectNil(request.value(forHTTPHeaderField: "Content-Type"))
            }
        }
    }

    @Test(
        .tags(.contentMatrix),
        arguments: [
            (ParameterEncoding.json, #"{"a":"1","b":"2"}"#), (.formUrlEncoded, "a=1&b=2"), (.query, ""), (.none, ""),
        ])
    func `A custom route has its own query, fields and encoding`(encoding: ParameterEncoding, body: String) throws {
        let request = try made(Most(parameterEncoding: encoding))
        expectEqual(request.url?.absoluteString, "https://api.example.com/v1/users?fixed=1&q=1&q=&%C3%A4=%26")
        expectEqual(String(decoding: request.httpBody ?? Data(), as: UTF8.self), body)
        expectEqual(request.value(forHTTPHeaderField: "Accept"), "text/x")
        expectEqual(request.value(forHTTPHeaderField: "Content-Type"), "text/y")
    }

    @Test(.tags(.contentMatrix)) func `A custom route with invalid fields is rejected`() async throws {
        struct Broken: Route {
            typealias Response = EmptyResponse
            var domain: DefaultDomain { .default }
            var endpoint: String { "a" }
            var method: HTTPMethod { .get }
            var parameters: [String: String]? { nil }
            var headers: [String: String]? { ["X-A": "b\r\nX-Evil: yes"] }
        }
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let provider = provider(try #require(URL(string: server.url)))
        guard case .unknown? = await failure({ try await provider.perform(Broken()) }) else {
            Issue.record("it was sent")
            return
        }
        #expect(server.requests.isEmpty)
    }

    @Test(.tags(.endpointSafety)) func `A custom route at an invalid base URL is rejected`() async throws {
        for base in ["ftp://example.com", "https://user@example.com", "file:///etc"] {
            let provider = NetworkProvider.quick(
                baseURL: try #require(URL(string: base)), logger: nil)
            await expectEqual(failure { () -> User in try await provider.get("a") }, .invalidURL)
        }
    }

    @Test(.tags(.statusMapping)) func `A custom route joins repeated fields, as Foundation does`() async throws {
        let server = try RawHTTPServer { _ in
            .response(404, fields: ["Link: <a>", "X-One: 1", "link: <b>", "Set-Cookie: a=1", "Set-Cookie: b=2"])
        }
        let provider = provider(try #require(URL(string: server.url)))
        let error = await failure { () -> User in try await provider.get("a") }
        let response = try #require(error?.httpResponse)
        expectEqual(response.value(forHTTPHeaderField: "Link"), "<a>, <b>")
        expectEqual(response.value(forHTTPHeaderField: "X-One"), "1")
        expectEqual(response.url?.absoluteString, server.url + "/a")
    }
}

@Suite struct DomainTests {
    private enum One: ServiceDomain {
        case a, b
        var identifier: String { "same" }
    }

    @Test func `A domain is distinguished from others of its type by its identifier`() {
        expectEqual(One.a, One.b)
        expectEqual(Set([One.a, One.b]).count, 1)
        expectEqual(DefaultDomain.default.identifier, "default")
        expectNotEqual(TestDomain.api, TestDomain.other)
    }
}
