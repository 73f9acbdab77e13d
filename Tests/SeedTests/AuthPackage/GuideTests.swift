// SPDX-License-Identifier: Apache-2.0

// The code of seed 002, block by block, with nothing imported but what its text imports. What stands in the guide is
// kept as it is there, its two-space layout aside; that these functions compile is half of the test.

import AuthPackage
import Expectations
import Foundation
import TestTags
import Testing

/// The guide's section "Configuration".
private func configuration() -> (AuthConfiguration, AuthClient) {
    let config = AuthConfiguration(
        baseURL: URL(string: "http://localhost:3000")!,  // dev; use HTTPS in prod / on device
        refreshUsesCookie: true,  // server may set refreshToken cookie
        redirectScheme: "authdemo",  // required for OAuth
        microsoftEnabled: true  // surface the OAuth entry point
    )

    let tokens = KeychainTokenStore(service: "com.your.bundle", account: "auth")  // recommended
    let auth = AuthClient(config: config, tokenStore: tokens)
    return (config, auth)
}

/// The guide's section "Bring your own": a store with plain throwing methods.
private final class FileStore: TokenStore {
    private let url: URL

    init(url: URL) { self.url = url }

    func save(_ tokens: Tokens) throws { try JSONEncoder().encode(tokens).write(to: url) }
    func load() throws -> Tokens? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try JSONDecoder().decode(Tokens.self, from: Data(contentsOf: url))
    }
    func clear() throws { try? FileManager.default.removeItem(at: url) }
}

/// The guide's section "Error Handling", as an app would switch.
private func explain(_ error: APIError) -> String {
    switch error {
    case .invalidURL: "Check the base URL."
    case .network(let error): "Network error \(error.code.rawValue)."
    case .server(status: let status, message: let message): message ?? "Server error \(status)."
    case .decodingFailed: "Unexpected answer."
    case .unauthorized: "Please sign in."
    case .cancelled: "Cancelled."
    case .unknown: "Something went wrong."
    }
}

@Suite struct GuideTests {
    @Test(.tags(.clientDefaults)) func `The guide of AuthPackage configures a client as it shows`() {
        let (config, _) = configuration()
        expectEqual(config.baseURL.absoluteString, "http://localhost:3000")
        #expect(config.refreshUsesCookie)
        expectEqual(config.redirectScheme, "authdemo")
        #expect(config.microsoftEnabled)
    }

    @Test(.tags(.clientDefaults)) func `The guide of AuthPackage has safe defaults`() throws {
        let config = AuthConfiguration(baseURL: try #require(URL(string: "https://api.example.com")))
        #expect(config.refreshUsesCookie)
        expectNil(config.redirectScheme)
        #expect(!config.microsoftEnabled)
        let auth = AuthClient(config: config)
        expectNil(auth.tokens)
        expectNil(auth.currentUser)
    }

    @Test(.tags(.tokenStores))
    func `The guide of AuthPackage takes a custom store with plain throwing methods`() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let store = FileStore(url: url)
        let tokens = Tokens(accessToken: "a", refreshToken: "r", expiry: Date(timeIntervalSince1970: 1_900_000_000))
        try store.save(tokens)
        let config = AuthConfiguration(baseURL: try #require(URL(string: "https://api.example.com")))
        let auth = AuthClient(config: config, tokenStore: store)
        try await auth.restore()
        expectEqual(auth.tokens, tokens)
        try await expectEqual(auth.refreshIfNeeded(), "a")
    }

    @Test(.tags(.tokenStores))
    func `The guide of AuthPackage keeps tokens in memory through any number of tasks`() async {
        let store = InMemoryTokenStore()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { store.save(Tokens(accessToken: "\(number)")) } }
        }
        #expect(store.load() != nil)
        store.clear()
        store.clear()
        expectNil(store.load())
    }

    @Test func `The guide of AuthPackage explains each error apart`() {
        let errors: [APIError] = [
            .invalidURL, .network(URLError(.timedOut)), .server(status: 400, message: "Incorrect email"),
            .decodingFailed, .unauthorized, .cancelled, .unknown,
        ]
        expectEqual(Set(errors.map(explain)).count, errors.count)
        expectEqual(explain(.server(status: 400, message: "Incorrect email")), "Incorrect email")
    }
}
