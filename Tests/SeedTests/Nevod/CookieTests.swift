// SPDX-License-Identifier: Apache-2.0

// Seed 003, section 2 "Cookie-based Authentication", with nothing imported but what its text imports. The route and the
// domain that it leaves out are written above; the hosts are parameters, so that the block runs against a real server.

import Expectations
import Nevod
import TestTags
import Testing

enum SpaceTrackDomain: ServiceDomain {
    case api
    var identifier: String { "space-track" }
}

struct FetchTLERoute: Route {
    typealias Response = Data
    var domain: SpaceTrackDomain { .api }
    var endpoint: String { "/basicspacedata/query/class/tle" }
    var method: HTTPMethod { .get }
    var parameters: [String: String]? { nil }
}

enum Section2 {
    static func block(keychain: KeyValueStorage, host: String, baseURL: URL) async throws -> Data {
        // 1. Create cookie storage
        let cookieStorage = TokenStorage<CookieToken>(
            storage: keychain,
            key: StorageKey(value: "session_cookies")
        )

        // 2. Create cookie authentication interceptor
        let cookieInterceptor = CookieAuthenticationInterceptor(
            cookieStorage: cookieStorage,
            loginStrategy: {
                // Perform login and extract cookies
                let cookies = try await performLogin(
                    email: "user@example.com",
                    password: "password123",
                    at: baseURL
                )
                return CookieToken(sessionCookies: cookies)
            },
            shouldAuthenticate: { request in
                // Only for your cookie-based service
                return request.url?.host?.contains(host) ?? false
            }
        )

        // 3. Create network provider
        let config = NetworkConfig(
            environments: [
                SpaceTrackDomain.api: SimpleEnvironment(
                    baseURL: baseURL
                )
            ]
        )

        let provider = NetworkProvider(
            config: config,
            interceptor: cookieInterceptor
        )

        // 5. Use it - login happens automatically on first request or after 401
        let route = FetchTLERoute()
        let tleData = try await provider.perform(route)
        return tleData
    }

    // 4. Helper login function; the text's `URL(string: "https://www.space-track.org/ajaxauth/login")!` is a parameter.
    static func performLogin(email: String, password: String, at baseURL: URL) async throws -> [HTTPCookie] {
        let loginURL = baseURL.appendingPathComponent("ajaxauth/login")

        var request = URLRequest(url: loginURL)
        request.httpMethod = "POST"
        request.httpBody = "identity=\(email)&password=\(password)".data(using: .utf8)
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")

        let (_, response) = try await URLSession.shared.data(for: request)

        guard let httpResponse = response as? HTTPURLResponse,
            httpResponse.statusCode == 200
        else {
            throw NetworkError.unauthorized
        }

        let cookies = HTTPCookieStorage.shared.cookies(for: loginURL) ?? []
        guard !cookies.isEmpty else {
            throw NetworkError.unauthorized
        }

        return cookies
    }
}

@Suite(.serialized) struct CookieTests {
    @Test(.tags(.cookieLogin)) func `Section 2 of Nevod's document logs in before the first request`() async throws {
        let site = SeedSite()
        site.on("/ajaxauth/login") { _ in
            SeedSite.json("\"\"", fields: [.setCookie: "chocolatechip=abc; Path=/; HttpOnly"])
        }
        site.on("/basicspacedata/query/class/tle") { request in
            request.fields[.cookie] == "chocolatechip=abc" ? SeedSite.json("1 25544U") : .init(status: .unauthorized)
        }
        try await site.serve { url in
            let data = try await Section2.block(keychain: InMemoryStorage(), host: "127.0.0.1", baseURL: url)
            expectEqual(String(decoding: data, as: UTF8.self), "1 25544U")
            expectEqual(site.lines, ["POST /ajaxauth/login", "GET /basicspacedata/query/class/tle"])
            expectEqual(site.bodies.first, "identity=user@example.com&password=password123")
        }
    }

    @Test(.tags(.cookieLogin)) func `Section 2 of Nevod's document throws the login's error`() async throws {
        let site = SeedSite()
        site.on("/ajaxauth/login") { _ in .init(status: .forbidden) }
        try await site.serve { url in
            do {
                _ = try await Section2.block(keychain: InMemoryStorage(), host: "127.0.0.1", baseURL: url)
                Issue.record("nobody logged in")
            } catch NetworkError.unauthorized {
                expectEqual(site.lines, ["POST /ajaxauth/login"])
            }
        }
    }
}
