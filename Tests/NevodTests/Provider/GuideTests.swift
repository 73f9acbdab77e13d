// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Nevod
import Synchronization
import TestSupport
import Testing

/// The examples of the guides of Nevod's last version, as short programs against a real server.
@Suite struct GuideTests {
    private struct Profile: Codable, Equatable, Sendable {
        let age: Int
        let interests: [String]
    }

    private struct CreateUser: Codable, Equatable, Sendable {
        let firstName: String
        let profile: Profile
        var joined = Date(timeIntervalSince1970: 0)
    }

    private func serve(
        _ answers: [RawHTTPServer.Response], _ body: (URL) async throws -> Void
    ) async throws -> [RawHTTPServer.Request] {
        let script = Mutex(answers)
        let server = try RawHTTPServer { _ in
            script.withLock { $0.isEmpty ? .response(200, body: #"{"id":7,"name":"Ada"}"#) : $0.removeFirst() }
        }
        try await body(try #require(URL(string: server.url + "/v1")))
        return server.requests
    }

    private func config(_ url: URL, retryPolicy: RetryPolicy? = RetryPolicy.none) -> NetworkConfig {
        NetworkConfig(environments: [TestDomain.api: SimpleEnvironment(baseURL: url)], retryPolicy: retryPolicy)
    }

    @Test func `The last version of Nevod sends nested values with encodable routes of three methods`() async throws {
        let user = CreateUser(firstName: "Ada", profile: Profile(age: 36, interests: ["engines"]))
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        let requests = try await serve([]) { url in
            let provider = NetworkProvider(config: config(url), logger: nil)
            let post = EncodablePostRoute<CreateUser, User, TestDomain>(
                endpoint: "/users", domain: .api, body: user, encoder: encoder, headers: ["X-Client-ID": "mobile"])
            let put = EncodablePutRoute<CreateUser, User, TestDomain>(
                endpoint: "/users/7", domain: .api, queryParameters: ["notify": "true"], body: user)
            let patch = EncodablePatchRoute<[String: String?], User, TestDomain>(
                endpoint: "/users/7", domain: .api, body: ["email": nil])
            let users = [
                try await provider.perform(post), try await provider.perform(put), try await provider.perform(patch),
            ]
            expectEqual(users.map(\.id), [7, 7, 7])
        }
        try expectEqual(decoder.decode(CreateUser.self, from: Data(requests[0].body)), user)
        expectEqual(requests[0].values(of: "X-Client-ID"), ["mobile"])
        expectEqual(requests[1].line, "PUT /v1/users/7?notify=true HTTP/1.1")
        try expectEqual(JSONDecoder().decode(CreateUser.self, from: Data(requests[1].body)), user)
        expectEqual(String(decoding: requests[2].body, as: UTF8.self), #"{"email":null}"#)
    }

    @Test func `The last version of Nevod returns a result instead of throwing`() async throws {
        _ = try await serve([.response(200, body: #"{"id":7,"name":"Ada"}"#), .response(404)]) { url in
            let provider = NetworkProvider(config: config(url), logger: nil)
            let route = SimpleGetRoute<User, TestDomain>(endpoint: "/users/me", domain: .api)
            guard case .success(let user) = await provider.request(route) else {
                Issue.record("it failed")
                return
            }
            expectEqual(user.name, "Ada")
            guard case .failure(.clientError(let code, _, _)) = await provider.request(route) else {
                Issue.record("it succeeded")
                return
            }
            expectEqual(code, 404)
        }
    }

    @Test
    func `The last version of Nevod distinguishes errors by status, with their content and fields`() async throws {
        struct APIError: Codable, Equatable {
            let error: String
            let details: [String]?
        }
        let body = #"{"error":"quota","details":["daily"]}"#
        let requests = try await serve([.response(429, fields: ["Retry-After: 7"], body: body)]) { url in
            let provider = NetworkProvider(config: config(url), logger: nil)
            do {
                _ = try await provider.perform(SimpleGetRoute<User, TestDomain>(endpoint: "users", domain: .api))
                Issue.record("it succeeded")
            } catch let error as NetworkError {
                #expect(error.isHTTPError)
                expectEqual(error.statusCode, 429)
                expectEqual(error.responseString, body)
                expectEqual(error.httpResponse?.value(forHTTPHeaderField: "Retry-After"), "7")
                try expectEqual(error.decode(APIError.self), APIError(error: "quota", details: ["daily"]))
                expectNil(error.tryDecode(User.self))
            }
        }
        expectEqual(requests.count, 1)
    }

    @Test func `The last version of Nevod has a quick mode without routes`() async throws {
        let requests = try await serve([]) { url in
            let provider = NetworkProvider.quick(baseURL: url, timeout: 30, retryPolicy: .default, logger: nil)
            let one: User = try await provider.get("/users", query: ["page": "1", "sort": "name"])
            let two: User = try await provider.post("/users", body: ["name": "Ada"])
            let three: User = try await provider.post("/users", query: ["notify": "true"], body: one)
            let four: User = try await provider.patch("/users/7", body: ["name": "Ada"])
            let five: User = try await provider.delete("/users/7")
            #expect([one, two, three, four, five].allSatisfy { $0.id == 7 })
        }
        expectEqual(
            requests.map { $0.line.replacing(" HTTP/1.1", with: "") },
            [
                "GET /v1/users?page=1&sort=name", "POST /v1/users", "POST /v1/users?notify=true", "PATCH /v1/users/7",
                "DELETE /v1/users/7",
            ])
    }

    @Test func `The last version of Nevod combines the configurations of several modules`() async throws {
        let requests = try await serve([]) { url in
            let config = NetworkConfig(environmentConfigurations: [
                [AnyHashable(TestDomain.api): SimpleEnvironment(baseURL: url.appending(path: "one"))],
                [AnyHashable(DefaultDomain.default): SimpleEnvironment(baseURL: url.appending(path: "two"))],
                [AnyHashable("no domain"): SimpleEnvironment(baseURL: url)],
            ])
            let provider = NetworkProvider(config: config, logger: nil)
            _ = try await provider.perform(SimpleGetRoute<User, TestDomain>(endpoint: "a", domain: .api))
            _ = try await provider.perform(SimpleGetRoute<User, DefaultDomain>(endpoint: "a", domain: .default))
        }
        expectEqual(requests.map(\.line), ["GET /v1/one/a HTTP/1.1", "GET /v1/two/a HTTP/1.1"])
    }

    @Test func `The last version of Nevod sets the user agent and the version of the API`() async throws {
        let requests = try await serve([]) { url in
            let chain = InterceptorChain([
                HeadersInterceptor.userAgent("MyApp/1.0"), HeadersInterceptor.apiVersion("2"),
                HeadersInterceptor.apiVersion("3", headerName: "API-Version"),
            ])
            let provider = NetworkProvider(config: config(url), interceptor: chain, logger: nil)
            _ = try await provider.perform(SimpleDeleteRoute<User, TestDomain>(endpoint: "a", domain: .api))
        }
        expectEqual(requests.first?.values(of: "User-Agent"), ["MyApp/1.0"])
        expectEqual(requests.first?.values(of: "X-API-Version"), ["2"])
        expectEqual(requests.first?.values(of: "API-Version"), ["3"])
    }

    @Test func `The last version of Nevod decodes raw bytes, and by the route's own decoder`() async throws {
        struct Lines: Route {
            let domain = TestDomain.api
            let endpoint = "lines"
            let method = HTTPMethod.get
            let parameters: [String: String]? = ["from": "1"]
            func decode(_ data: Data, using decoder: JSONDecoder) throws -> [String] {
                String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            }
        }
        struct Raw: Route {
            typealias Response = Data
            let domain = TestDomain.api
            let endpoint = "raw"
            let method = HTTPMethod.get
            let parameters: [String: String]? = nil
        }
        _ = try await serve([.response(200, body: "a\nb"), .response(200, body: "\u{0}\u{1}")]) { url in
            let provider = NetworkProvider(config: config(url), logger: nil)
            let lines = try await provider.perform(Lines())
            let raw = try await provider.perform(Raw())
            expectEqual(lines, ["a", "b"])
            expectEqual(raw, Data([0, 1]))
        }
    }
}
