// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import TestSupport
import TestTags
import Testing

/// Sends requests to another server than the configured one.
private struct Diverting: RequestInterceptor {
    let url: URL
    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        request.url = url
        return request
    }
}

/// A token that sets fields of its own.
struct MultiHeaderToken: TokenModel {
    let headers: [String: String]
    func authorize(_ request: inout URLRequest) {
        headers.forEach { key, value in request.setValue(value, forHTTPHeaderField: key) }
    }
    func encode() throws -> Data { try JSONEncoder().encode(headers) }
    static func decode(from data: Data) throws -> Self {
        MultiHeaderToken(headers: try JSONDecoder().decode([String: String].self, from: data))
    }
}

@Suite struct ScopeTests {
    @Test(
        .tags(.tokenDestination),
        arguments: [
            ("https://api.example.com/a", true, true), ("https://API.EXAMPLE.COM/a", true, true),
            ("https://api.example.com.evil.net/a", false, false), ("https://evil.net/api.example.com", false, false),
            ("https://evilapi.example.com", false, true), ("https://badexample.com", false, false),
            ("https://example.com", false, true), ("http://api.example.com/a", false, false),
            ("https://api.example.com:8443/a", true, true),
        ])
    func `The destination of a token is decided by the whole host, or by a suffix after a dot`(
        url: String, host: Bool, domain: Bool
    ) throws {
        let request = URLRequest(url: try #require(URL(string: url)))
        expectEqual(request.isTo(host: "api.example.com"), host)
        expectEqual(request.isTo(domain: "example.com"), domain)
    }

    @Test(.tags(.tokenDestination))
    func `The destination of a token is never another server, whatever the filter returns`()
        async throws
    {
        let mine = Backend(accepting: ["t"])
        let evil = Backend()
        try await mine.serve { url in
            try await evil.serve { evilURL in
                let storage = TokenStorage<Token>(storage: InMemoryStorage())
                await storage.save(Token(value: "t"))
                let auth = AuthenticationInterceptor(
                    tokenStorage: storage, refreshStrategy: { _ in Token(value: "more") })
                let diverted = provider(
                    url, interceptor: InterceptorChain([Diverting(url: evilURL.appending(path: "x")), auth]))
                await expectEqual(failure { () -> User in try await diverted.get("a") }?.statusCode, 401)
                expectEqual(evil.requests.count, 1)
                #expect(evil.requests.allSatisfy { $0.fields[.authorization] == nil })
                await expectEqual(storage.load()?.value, "t")
            }
        }
    }

    @Test(.tags(.tokenDestination))
    func `The destination of a token is not another origin after a redirect, whatever its field`() async throws {
        let target = try RawHTTPServer { _ in .response(200, body: "{}") }
        let location = "Location: http://localhost:\(target.port)/there"
        let server = try RawHTTPServer { _ in .response(302, fields: [location]) }
        let storage = TokenStorage<MultiHeaderToken>(storage: InMemoryStorage())
        await storage.save(MultiHeaderToken(headers: ["Authorization": "Bearer t", "X-Session-Token": "s"]))
        let auth = AuthenticationInterceptor(
            tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized })
        let chain = InterceptorChain([HeadersInterceptor(headers: ["Accept": "a/b", "X-Client-Secret": "c"]), auth])
        let provider = provider(try #require(URL(string: server.url)), interceptor: chain)
        let _: EmptyResponse = try await provider.get("here")
        expectEqual(server.requests.first?.values(of: "X-Session-Token"), ["s"])
        expectEqual(server.requests.first?.values(of: "X-Client-Secret"), ["c"])
        let there = try #require(target.requests.first)
        for name in ["Authorization", "X-Session-Token", "X-Client-Secret"] { #expect(there.values(of: name).isEmpty) }
        expectEqual(there.values(of: "Accept"), ["a/b"])
    }

    @Test(.tags(.tokenDestination))
    func `The destination of a token includes a redirect within the origin, signed for it`() async throws {
        struct PathSigned: TokenModel {
            func authorize(_ request: inout URLRequest) {
                request.setValue("signed \(request.url?.path ?? "")", forHTTPHeaderField: "X-Signature")
            }
            func encode() throws -> Data { Data("x".utf8) }
            static func decode(from data: Data) throws -> Self { PathSigned() }
        }
        let server = try RawHTTPServer { request in
            request.line.contains("/here") ? .response(302, fields: ["Location: /there"]) : .response(200, body: "{}")
        }
        let storage = TokenStorage<PathSigned>(storage: InMemoryStorage())
        await storage.save(PathSigned())
        let auth = AuthenticationInterceptor(
            tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized })
        let provider = provider(try #require(URL(string: server.url)), interceptor: auth)
        let _: EmptyResponse = try await provider.get("here")
        expectEqual(server.requests.map { $0.values(of: "X-Signature") }, [["signed /here"], ["signed /there"]])
    }

    @Test(.tags(.tokenDestination))
    func `The destination of a token does not exist if the filter excludes the request`() async throws {
        let backend = Backend(accepting: ["t"])
        try await backend.serve { url in
            let storage = TokenStorage<Token>(storage: InMemoryStorage())
            await storage.save(Token(value: "t"))
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.timeout },
                shouldAuthenticate: { $0.isTo(host: "api.example.com") })
            await expectEqual(
                failure { () -> User in try await provider(url, interceptor: auth).get("a") }?.statusCode, 401)
            expectEqual(backend.requests.map { $0.fields[.authorization] }, [nil])
        }
    }

    @Test(.tags(.tokenDestination))
    func `The destination of a token outside a provider is https or loopback`() async throws {
        let storage = TokenStorage<Token>(storage: InMemoryStorage())
        await storage.save(Token(value: "t"))
        let auth = AuthenticationInterceptor(
            tokenStorage: storage, refreshStrategy: { _ in Token(value: "u") })
        func adapted(_ url: String) async throws -> String? {
            try await auth.adapt(URLRequest(url: #require(URL(string: url)))).value(forHTTPHeaderField: "Authorization")
        }
        try await expectEqual(adapted("https://api.example.com"), "Bearer t")
        try await expectEqual(adapted("http://127.0.0.1:1"), "Bearer t")
        try await expectNil(adapted("http://api.example.com"))
        var refused = URLRequest(url: try #require(URL(string: "https://api.example.com")))
        refused.setValue("Bearer t", forHTTPHeaderField: "Authorization")
        #expect(try await auth.retry(refused, response: nil, error: .unauthorized))
        await expectEqual(storage.load()?.value, "u")
        // That one is late: the token it was refused with has been replaced.
        #expect(try await auth.retry(refused, response: nil, error: .unauthorized))
        try await expectEqual(auth.retry(refused, response: nil, error: .timeout), false)
    }
}
