// SPDX-License-Identifier: Apache-2.0

// Seed 003, section 5 "Custom Authentication Schemes". Its two tokens are compiled and signed with; `sha256` and
// `hmacSHA256(key:)`, which its text uses and does not show, are made here of the package's own digests, and "encode/decode
// implementation..." is written.

import Expectations
import LatchCrypto
import Nevod
import TestTags
import Testing

extension Data {
    fileprivate var sha256: String { Array(SHA256.hash(data: self)).map { hex($0) }.joined() }
}

extension String {
    fileprivate func hmacSHA256(key: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array(utf8), using: SymmetricKey(data: Array(key.utf8)))
        return Array(code).map { hex($0) }.joined()
    }
}

private func hex(_ byte: UInt8) -> String { String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }

struct HMACToken: TokenModel {
    let apiKey: String
    let secret: String

    func authorize(_ request: inout URLRequest) {
        let timestamp = String(Int(Date().timeIntervalSince1970))

        // Create signature from request data
        let message = """
            \(request.httpMethod ?? "GET")
            \(request.url?.path ?? "")
            \(timestamp)
            \(request.httpBody?.sha256 ?? "")
            """

        let signature = message.hmacSHA256(key: secret)

        request.setValue(apiKey, forHTTPHeaderField: "X-API-Key")
        request.setValue(timestamp, forHTTPHeaderField: "X-Timestamp")
        request.setValue(signature, forHTTPHeaderField: "X-Signature")
    }

    // encode/decode implementation...
    func encode() throws -> Data { try JSONEncoder().encode([apiKey, secret]) }
    static func decode(from data: Data) throws -> Self {
        let parts = try JSONDecoder().decode([String].self, from: data)
        return HMACToken(apiKey: parts[0], secret: parts[1])
    }
}

struct MultiHeaderToken: TokenModel {
    let headers: [String: String]

    func authorize(_ request: inout URLRequest) {
        headers.forEach { key, value in
            request.setValue(value, forHTTPHeaderField: key)
        }
    }

    // encode/decode implementation...
    func encode() throws -> Data { try JSONEncoder().encode(headers) }
    static func decode(from data: Data) throws -> Self {
        MultiHeaderToken(headers: try JSONDecoder().decode([String: String].self, from: data))
    }
}

@Suite struct CustomSchemeTests {
    private func sent<Model: TokenModel>(
        with token: Model, by route: some Route, failingFirst: Bool = false
    ) async throws -> SeedSite {
        let site = SeedSite()
        let path = route.endpoint
        site.on(path) { [weak site] _ in
            failingFirst && site?.requests.count == 1
                ? .init(status: 503) : SeedSite.json(#"{"id":7,"name":"Ada","accessToken":""}"#)
        }
        try await site.serve { url in
            let storage = TokenStorage<Model>(storage: InMemoryStorage())
            await storage.save(token)
            let config = NetworkConfig(
                environments: [YourDomain.api: SimpleEnvironment(baseURL: url)],
                retryPolicy: RetryPolicy(baseDelay: 0, retriesNonIdempotent: true))
            let provider = NetworkProvider(
                config: config,
                interceptor: AuthenticationInterceptor(
                    tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized }))
            _ = try await provider.request(route).get()
        }
        return site
    }

    @Test(.tags(.hmacSignatures))
    func `Section 5 of Nevod's document signs the request that is sent, and again for each attempt`() async throws {
        let token = HMACToken(apiKey: "client", secret: "s3cret")
        let route = RefreshTokenRoute(refreshToken: "r")
        let site = try await sent(with: token, by: route, failingFirst: true)
        expectEqual(site.requests.count, 2)
        for request in site.requests {
            let timestamp = try #require(request.fields["X-Timestamp"])
            let body = Data(request.body.bytes).sha256
            let message = "POST\n/oauth/refresh\n\(timestamp)\n\(body)"
            expectEqual(request.fields["X-Signature"], message.hmacSHA256(key: "s3cret"))
            expectEqual(request.fields["X-API-Key"], "client")
        }
    }

    @Test(.tags(.multiFieldTokens)) func `Section 5 of Nevod's document sends all fields of a token`() async throws {
        // Usage
        let token = MultiHeaderToken(headers: [
            "X-Client-ID": "client123",
            "X-Client-Secret": "secret456",
            "X-Session-Token": "session789",
        ])
        let site = try await sent(with: token, by: GetUserRoute())
        for (name, value) in token.headers {
            expectEqual(site.requests.map { $0.fields.values(of: .init(name)) }, [[value]])
        }
    }
}
