// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import Nevod

/// An app or its extension: a storage over the files in a folder, with locks and watches of its own.
private struct Process {
    let tokens: TokenStorage<Token>
    let provider: NetworkProvider

    init(
        in folder: String, _ url: URL,
        refresh: @escaping @Sendable (Token?) async throws -> Token = { _ in throw NetworkError.unauthorized }
    ) {
        let secrets = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
        tokens = TokenStorage<Token>(
            storage: KeychainStorage(keychain: Keychain(secrets: secrets)),
            coordination: FileCoordination(path: "\(folder)/account"))
        let auth = AuthenticationInterceptor(tokenStorage: tokens, refreshStrategy: refresh)
        provider = NevodTests.provider(url, interceptor: auth)
    }

    func error(of path: String) async -> NetworkError? {
        await failure { () -> User in try await provider.get(path) }
    }

    /// Waits until the process has seen a token, or that there is none.
    func sees(_ value: String?) async {
        for await state in tokens.session.states {
            if let credential = state.credential, credential.token?.value == value { return }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct SharedTokenTests {
    /// Runs `body` with a folder and a server.
    private func shared(_ body: (String, Backend, URL) async throws -> Void) async throws {
        let backend = Backend()
        try await backend.serve { url in
            try await withTemporaryFolder { folder in try await body(folder, backend, url) }
        }
    }

    @Test(.tags(.rejectionStorm)) func `A token that two processes share is refreshed once for both`() async throws {
        try await shared { folder, backend, url in
            let refused = Gate()
            backend.on("/users/me") { request in
                if request.fields[.authorization] == "Bearer fresh-1" { return .json(#"{"id":7,"name":"Ada"}"#) }
                await refused.pass()
                return HTTPResponse(status: .unauthorized)
            }
            let processes = (0..<2).map { _ in Process(in: folder, url) { _ in Token(value: backend.issue()) } }
            try await processes[0].tokens.save(Token(value: "old")).get()
            async let errors = atOnce(20) { await processes[$0 % 2].error(of: "users/me") }
            await refused.reached(by: 20)
            refused.open()
            #expect(await errors.allSatisfy { $0 == nil })
            expectEqual(backend.state.withLock { $0.issued }, 1)
            for process in processes { await expectEqual(process.tokens.load()?.value, "fresh-1") }
        }
    }

    @Test(.tags(.userChangeDuringRefresh))
    func `A token that two processes share is gone for both after a sign-out of one`() async throws {
        try await shared { folder, _, url in
            let (app, widget) = (Process(in: folder, url), Process(in: folder, url))
            try await app.tokens.save(Token(value: "ada's")).get()
            await expectEqual(widget.tokens.load()?.value, "ada's")
            try await app.tokens.save(nil).get()
            await widget.sees(nil)
            await expectNil(widget.tokens.load())
            try await app.tokens.save(Token(value: "bob's")).get()
            await widget.sees("bob's")
            await expectEqual(widget.tokens.load()?.value, "bob's")
        }
    }

    @Test(.tags(.userChangeDuringRefresh), arguments: [nil, "bob's"])
    func `A token that two processes share stays as one has left it when the other's refresh is late`(left: String?)
        async throws
    {
        try await shared { folder, backend, url in
            let refreshing = Gate()
            let app = Process(in: folder, url)
            let widget = Process(in: folder, url) { _ in
                await refreshing.pass()
                return Token(value: backend.issue())
            }
            try await app.tokens.save(Token(value: "ada's")).get()
            async let error = widget.error(of: "users/me")
            await refreshing.reached()
            try await app.tokens.save(left.map(Token.init)).get()
            refreshing.open()
            await expectEqual(error?.statusCode, 401)
            await widget.sees(left)
            await expectEqual(app.tokens.load()?.value, left)
            await expectEqual(Process(in: folder, url).tokens.load()?.value, left)
            // Ada's request was not sent as bob.
            expectEqual(backend.requests(to: "/users/me").map { $0.fields[.authorization] }, ["Bearer ada's"])
        }
    }

    @Test(.tags(.userChangeDuringRefresh))
    func `A token that two processes share is not mistaken for a refresh of another user's`() async throws {
        try await shared { folder, backend, url in
            let refused = Gate()
            backend.on("/users/me") { _ in
                await refused.pass()
                return HTTPResponse(status: .unauthorized)
            }
            let (app, widget) = (Process(in: folder, url), Process(in: folder, url))
            let storage = KeychainStorage(
                keychain: Keychain(
                    secrets: EncryptedFileSecretStore(
                        path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))))
            // An earlier version stored no facts.
            try await storage.set(try Token(value: "ada's").encode(), for: .token)
            async let error = widget.error(of: "users/me")
            await refused.reached()
            try await app.tokens.save(Token(value: "bob's")).get()
            refused.open()
            await expectEqual(error?.statusCode, 401)
            expectEqual(backend.requests(to: "/users/me").map { $0.fields[.authorization] }, ["Bearer ada's"])
        }
    }

    @Test(.tags(.rejectionStorm))
    func `A token that two processes share is refreshed by one process while the other is suspended`() async throws {
        try await shared { folder, backend, url in
            let processes = (0..<2).map { _ in Process(in: folder, url) { _ in Token(value: backend.issue()) } }
            let (app, widget) = (processes[0], processes[1])
            try await app.tokens.save(Token(value: "old")).get()
            await app.tokens.prepareToSuspend()
            async let error = app.error(of: "users/me")
            await expectNil(widget.error(of: "users/me"))
            await app.tokens.resume()
            await expectNil(error)
            expectEqual(backend.state.withLock { $0.issued }, 1)
        }
    }

    @Test(.tags(.tokenTypes))
    func `A token that two processes share is not removed by a process that cannot decode it`() async throws {
        try await shared { folder, _, url in
            let app = Process(in: folder, url)
            let storage = KeychainStorage(
                keychain: Keychain(
                    secrets: EncryptedFileSecretStore(
                        path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))))
            try await storage.set("of a newer version", for: .token)
            await expectNil(app.tokens.load())
            try await expectEqual(storage.string(for: .token), "of a newer version")
            try await expectEqual(storage.string(for: "com.nevod.token.damaged"), "of a newer version")
            try await app.tokens.save(Token(value: "new")).get()
            try await expectEqual(storage.data(for: .token).map(Token.decode)?.value, "new")
        }
    }
}
