// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import Synchronization
import TestTags
import Testing

@Suite struct PlatformStorageTests {
    private func storage(_ folder: String) -> KeychainStorage {
        KeychainStorage(
            keychain: Keychain(
                secrets: EncryptedFileSecretStore(
                    path: "\(folder)/app.secrets", key: .keyFile(path: "\(folder)/app.key"))))
    }

    @Test(.tags(.atomicStorage))
    func `The storage of the platform survives the end of the program with the last stored token`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            try await withTemporaryFolder { folder in
                for run in 1...3 {
                    // Each run is a program that begins anew.
                    let tokens = TokenStorage<Token>(storage: storage(folder))
                    if run == 1 { try await tokens.save(Token(value: "old")).get() }
                    let auth = AuthenticationInterceptor(
                        tokenStorage: tokens, refreshStrategy: { _ in Token(value: backend.issue()) })
                    let user: User = try await provider(url, interceptor: auth).get("a")
                    expectEqual(user.id, 7)
                    await expectEqual(tokens.load()?.value, "fresh-1")
                }
                expectEqual(backend.state.withLock { $0.issued }, 1)
            }
        }
    }

    @Test(.tags(.atomicStorage))
    func `The storage of the platform keeps accounts and kinds of tokens apart by their keys`() async throws {
        try await withTemporaryFolder { folder in
            let kept = storage(folder)
            let ada = TokenStorage<Token>(storage: kept, key: "ada")
            let bob = TokenStorage<Token>(storage: kept, key: "bob")
            let key = TokenStorage<APIKeyToken>(storage: kept, key: "key")
            try await ada.save(Token(value: "a")).get()
            try await bob.save(Token(value: "b")).get()
            try await key.save(APIKeyToken(apiKey: "k")).get()
            try await ada.clear().get()
            await expectNil(ada.load())
            await expectEqual(bob.load()?.value, "b")
            await expectEqual(key.load()?.apiKey, "k")
        }
    }

    @Test(.tags(.atomicStorage))
    func `The storage of the platform that is damaged is not treated as empty, and is moved by the next login`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try await TokenStorage<Token>(storage: storage(folder)).save(Token(value: "a")).get()
            let path = URL(fileURLWithPath: "\(folder)/app.secrets")
            var bytes = try Data(contentsOf: path)
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: path)
            let tokens = TokenStorage<Token>(storage: storage(folder))
            await #expect(throws: TokenStorageError.self) { try await tokens.read() }
            try await tokens.save(Token(value: "b")).get()
            try await expectEqual(tokens.read()?.value, "b")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.contains("corrupt") })
        }
    }

    @Test(.tags(.atomicStorage))
    func `The storage of the platform takes saves of many tasks, one after the other`() async throws {
        try await withTemporaryFolder { folder in
            let kept = storage(folder)
            let tokens = TokenStorage<Token>(storage: kept)
            let outcomes = await atOnce(30) { number in
                if case .success = await tokens.save(Token(value: "t\(number)")) { true } else { false }
            }
            #expect(outcomes.allSatisfy { $0 })
            let last = try #require(try await tokens.read())
            try await expectEqual(kept.data(for: .token).map(Token.decode), last)
        }
    }

    @Test func `The storage of the platform does not use the user defaults for UserDefaultsStorage`() async throws {
        // Nothing is written: the place is the user's own.
        let storage = UserDefaultsStorage(suiteName: "latch.tests.\(UUID().uuidString)")
        try await expectNil(storage.data(for: "token"))
        try await expectNil(storage.string(for: "token"))
        expectNil(UserDefaults.standard.object(forKey: "token"))
    }
}

@Suite struct PlainHTTPTests {
    private func request(allowing: Bool) async throws -> (sent: [URLRequest], error: NetworkError?) {
        final class Recording: URLSessionProtocol {
            let requests = Mutex<[URLRequest]>([])
            func requestData(
                for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
            ) async throws -> (Data, URLResponse) {
                requests.withLock { $0.append(request) }
                let url = try #require(request.url)
                let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
                return (Data("{}".utf8), try #require(response))
            }
        }
        let session = Recording()
        let url = try #require(URL(string: "http://intranet.example"))
        let config = NetworkConfig(
            environments: [TestDomain.api: SimpleEnvironment(baseURL: url)],
            allowsPlainHTTPToAnyHostWithoutEncryption: allowing)
        let storage = TokenStorage<Token>(storage: InMemoryStorage())
        await storage.save(Token(value: "t"))
        let provider = NetworkProvider(
            config: config, session: session,
            interceptor: AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { _ in throw NetworkError.unauthorized }), logger: nil)
        let error = await failure {
            try await provider.perform(SimpleGetRoute<EmptyResponse, TestDomain>(endpoint: "a", domain: .api))
        }
        return (session.requests.withLock { $0 }, error)
    }

    @Test(.tags(.tokenDestination))
    func `Plain http to another host is rejected before anything is sent`() async throws {
        let (sent, error) = try await request(allowing: false)
        #expect(sent.isEmpty)
        expectEqual(error, .invalidURL)
    }

    @Test(.tags(.tokenDestination))
    func `Plain http carries the token if the configuration allows it explicitly`() async throws {
        let (sent, error) = try await request(allowing: true)
        expectNil(error)
        expectEqual(sent.first?.value(forHTTPHeaderField: "Authorization"), "Bearer t")
    }
}
