// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import Synchronization
import TestSupport
import TestTags
import Testing

@Suite struct TokenTests {
    private func authorized<Model: TokenModel>(
        _ token: Model, _ url: String = "https://api.example.com/v1?k=0", field: (String, String)? = nil
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        if let field { request.setValue(field.1, forHTTPHeaderField: field.0) }
        token.authorize(&request)
        return request
    }

    @Test(.tags(.tokenTypes)) func `A token of each kind sets its one field or parameter`() throws {
        let bearer = try authorized(Token(value: "t"), field: ("authorization", "Basic x"))
        expectEqual(bearer.allHTTPHeaderFields?.map(\.value), ["Bearer t"])
        let key = try authorized(APIKeyToken(apiKey: "k"))
        expectEqual(key.value(forHTTPHeaderField: "X-API-Key"), "k")
        let named = try authorized(APIKeyToken(apiKey: "k", headerName: "X-Own"))
        expectEqual(named.value(forHTTPHeaderField: "X-Own"), "k")
        let query = try authorized(QueryAPIKeyToken(apiKey: "a+b&c=d%"))
        expectEqual(query.url?.absoluteString, "https://api.example.com/v1?k=0&api_key=a%2Bb%26c%3Dd%25")
    }

    @Test(.tags(.tokenTypes)) func `A token in the query is set once, however often it is applied`() throws {
        let token = QueryAPIKeyToken(apiKey: "new", paramName: "key")
        var request = try authorized(token, "https://api.example.com/v1?key=old&a=1")
        token.authorize(&request)
        let items = URLComponents(string: request.url?.absoluteString ?? "")?.queryItems ?? []
        expectEqual(items.filter { $0.name == "key" }.map(\.value), ["new"])
        #expect(items.contains(URLQueryItem(name: "a", value: "1")))
    }

    @Test(.tags(.tokenTypes)) func `A token is the same after encoding and decoding`() throws {
        for text in ["t", "", "\"\\\u{0}ü", String(repeating: "x", count: 10_000)] {
            try expectEqual(Token.decode(from: Token(value: text).encode()), Token(value: text))
            let key = APIKeyToken(apiKey: text, headerName: "X-Own")
            try expectEqual(APIKeyToken.decode(from: key.encode()), key)
            let query = QueryAPIKeyToken(apiKey: text, paramName: "p")
            try expectEqual(QueryAPIKeyToken.decode(from: query.encode()), query)
        }
    }

    @Test(.tags(.tokenTypes), arguments: ["", "{", "{}", "[1]", "null", #"{"value":7}"#, "\u{FEFF}"])
    func `A token is not decoded from anything else`(text: String) {
        let data = Data(text.utf8)
        #expect(throws: (any Error).self) { try Token.decode(from: data) }
        #expect(throws: (any Error).self) { try APIKeyToken.decode(from: data) }
        #expect(throws: (any Error).self) { try QueryAPIKeyToken.decode(from: data) }
        #expect(throws: (any Error).self) { try CookieToken.decode(from: data) }
    }

    @Test(.tags(.logRedaction)) func `A token never prints its secret`() throws {
        let cookie = try #require(
            HTTPCookie(properties: [.name: "sid", .value: "canary", .domain: "example.com", .path: "/"]))
        let tokens: [any TokenModel] = [
            Token(value: "canary"), APIKeyToken(apiKey: "canary"), QueryAPIKeyToken(apiKey: "canary"),
            CookieToken(sessionCookies: [cookie]),
        ]
        for token in tokens {
            var dumped = ""
            dump(token, to: &dumped)
            for text in ["\(token)", String(reflecting: token), dumped] { #expect(!text.contains("canary"), "\(text)") }
        }
    }

    @Test(.tags(.apiKeys)) func `A token that is an API key is not refreshed after a 401`() async throws {
        let server = try RawHTTPServer { _ in .response(401) }
        let storage = TokenStorage<APIKeyToken>(storage: InMemoryStorage())
        await storage.save(APIKeyToken(apiKey: "k"))
        let asked = Mutex(0)
        let auth = AuthenticationInterceptor(
            tokenStorage: storage,
            refreshStrategy: { _ in
                asked.withLock { $0 += 1 }
                throw NetworkError.unauthorized
            })
        let provider = provider(try #require(URL(string: server.url)), interceptor: auth)
        await expectEqual(failure { () -> User in try await provider.get("a") }?.statusCode, 401)
        expectEqual(server.requests.count, 1)
        expectEqual(asked.withLock { $0 }, 1)
        await expectEqual(storage.load(), APIKeyToken(apiKey: "k"))
    }

    @Test(.tags(.multiFieldTokens)) func `A token of several fields sets each once, regardless of case`() async throws {
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let storage = TokenStorage<MultiHeaderToken>(storage: InMemoryStorage())
        await storage.save(MultiHeaderToken(headers: ["X-Client-ID": "c", "X-Client-Secret": "s", "X-One": "1"]))
        let auth = AuthenticationInterceptor(
            tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized })
        let chain = InterceptorChain([HeadersInterceptor(headers: ["x-client-id": "other", "X-Two": "2"]), auth])
        let provider = provider(try #require(URL(string: server.url)), interceptor: chain)
        let _: EmptyResponse = try await provider.get("a")
        let request = try #require(server.requests.first)
        expectEqual(request.values(of: "X-Client-ID"), ["c"])
        expectEqual(request.values(of: "X-Client-Secret"), ["s"])
        expectEqual(request.values(of: "X-One") + request.values(of: "X-Two"), ["1", "2"])
    }
}
