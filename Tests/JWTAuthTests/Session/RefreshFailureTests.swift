// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import JWTAuthDependencies
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite struct RefreshFailureTests {
    let backend: Backend

    init() throws { backend = try Backend() }

    /// Sends so many requests at the same time with an expired token, and tells what each threw.
    private func errors(_ count: Int, client: JWTAuthClient) async -> [(any Error)?] {
        await atOnce(count) { _ in await failure { try await client.sendAuthenticated(.get("/user/profile")) } }
    }

    @Test(.tags(.refreshFailure), arguments: [500, 503, 429, 400, 403])
    func `A refresh that fails because the issuer is down keeps the tokens, and is tried again`(
        status: Int
    ) async throws {
        let expired = try backend.issue(life: -10)
        let all = Gate()
        backend.on("/auth/refresh") { _ in
            await all.pass()
            return .json(#"{"error":"server_error"}"#, status: HTTPStatus(rawValue: status))
        }
        try await backend.run(keychain: .inMemory(expired)) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            let asking = client
            let waiting = Task { await errors(20, client: asking) }
            await all.reached()
            all.open()
            for error in await waiting.value {
                guard case HTTPRequestClient.Error.badResponse(_, status, _)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            expectEqual(session, .expired(expired))
            try await expectEqual(Dependency(\.keychainClient).wrappedValue.loadTokens(), expired)
            backend.state.withLock { $0.answers = [:] }
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(answer.data.name, "Ada")
        }
    }

    @Test(.tags(.refreshFailure)) func `A refresh that fails without a network keeps the tokens`() async throws {
        let expired = try backend.issue(life: -10)
        let closed = "http://127.0.0.1:1"
        try await backend.run(
            keychain: .inMemory(expired),
            { values, _ in
                values.jwtAuthClient.refresh = { _ in
                    let _: SuccessResponse<AuthTokens> = try await Dependency(\.httpRequestClient).wrappedValue.send(
                        .post("/auth/refresh"), baseURL: closed)
                    return expired
                }
            }
        ) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            for error in await errors(5, client: client) {
                guard case HTTPRequestClient.Error.other(_, let cause)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                expectEqual((cause as? HTTPError)?.isConnectivity, true)
            }
            expectEqual(session, .expired(expired))
        }
    }

    @Test(.tags(.refreshFailure))
    func `A refresh that fails throws the program's own error unchanged, also an unrequested cancellation`()
        async throws
    {
        struct Weather: Error, Equatable {}
        let expired = try backend.issue(life: -10)
        let thrown = Mutex<any Error>(Weather())
        try await backend.run(
            keychain: .inMemory(expired),
            { values, _ in values.jwtAuthClient.refresh = { _ in throw thrown.withLock { $0 } } }
        ) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            await #expect(throws: Weather()) { try await client.refreshExpiredTokens() }
            thrown.withLock { $0 = URLError(.notConnectedToInternet) }
            let error = await failure { try await client.refreshExpiredTokens() }
            expectEqual((error as? URLError)?.code, .notConnectedToInternet)
            thrown.withLock { $0 = CancellationError() }
            let cancelled = await failure { try await client.refreshExpiredTokens() }
            #expect(cancelled != nil && !(cancelled is CancellationError))
            expectEqual(session, .expired(expired))
        }
    }

    @Test(
        .tags(.refreshFailure),
        arguments: [
            (401, ""), (401, "<html>Authorization required</html>"),
            (401, #"{"message":"No API key found in request"}"#),
            (401, #"{"error":"invalid_client"}"#), (403, "<html>blocked</html>"),
        ])
    func `A gateway's refusal of a refresh keeps the tokens, and so does one of the client`(
        status: Int, body: String
    ) async throws {
        let expired = try backend.issue(life: -10)
        backend.on("/auth/refresh") { _ in .json(body, status: HTTPStatus(rawValue: status)) }
        try await backend.run(keychain: .inMemory(expired)) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            let error = await failure { try await client.refreshExpiredTokens() }
            guard case HTTPRequestClient.Error.badResponse(_, status, _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            expectEqual(session, .expired(expired))
            let kept = try await Dependency(\.keychainClient).wrappedValue.loadTokens()
            expectEqual(kept, expired)
        }
    }

    @Test(
        .tags(.refreshFailure),
        arguments: [
            (400, #"{"error":"invalid_grant"}"#), (401, #"{"message":"Refresh token expired"}"#),
            (403, #"{"message":"Refresh token revoked"}"#),
        ])
    func `The issuer's refusal of a refresh signs out once, and reaches all who wait`(
        status: Int, body: String
    ) async throws {
        let expired = try backend.issue(life: -10)
        backend.on("/auth/refresh") { _ in .json(body, status: HTTPStatus(rawValue: status)) }
        let keychain = RecordedKeychain()
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.authTokensClient) var authTokensClient
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            try await authTokensClient.save(expired)
            let errors = await errors(20, client: client)
            #expect(errors.allSatisfy { $0 as? AuthTokens.Error == .invalidToken })
            expectEqual(session, .missing)
            try await expectNil(authTokensClient.load())
            expectEqual(backend.refreshes, 1)
            // Not the same as never having been signed in, until the program has taken note.
            await #expect(throws: AuthTokens.Error.invalidToken) { try await client.refreshExpiredTokens() }
            try await authTokensClient.destroy()
            await #expect(throws: AuthTokens.Error.missingToken) { try await client.refreshExpiredTokens() }
        }
        expectEqual(backend.refreshes, 1)
        let kept = keychain.memory.names().compactMap { keychain.memory.read($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(!kept.contains { $0.contains("refresh-canary") })
    }

    @Test(.tags(.refreshFailure), arguments: [AuthTokens.Error.expiredToken, .invalidToken])
    func `The program's own report that the refresh token has ended signs out`(
        word: AuthTokens.Error
    ) async throws {
        let expired = try backend.issue(life: -10)
        try await backend.run(
            keychain: .inMemory(expired), { values, _ in values.jwtAuthClient.refresh = { _ in throw word } }
        ) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            await #expect(throws: word) { try await client.refreshExpiredTokens() }
            expectEqual(session, .missing)
        }
    }

    @Test(.tags(.refreshFailure))
    func `A failed refresh is harmless as long as the old token is accepted`() async throws {
        let soon = try backend.issue(life: 30)
        backend.on("/auth/refresh") { _ in .json("{}", status: .serviceUnavailable) }
        try await backend.run(
            keychain: .inMemory(soon),
            { values, _ in values.refreshPolicy = .init(lead: .seconds(300), jitter: .zero) }
        ) {
            @Dependency(\.jwtAuthClient) var client
            try await client.loadSession()
            // The lead is a fifth of the life: now a renewal is due.
            backend.clock.advance(by: .seconds(26))
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(answer.data.name, "Ada")
        }
        expectEqual(backend.refreshes, 1)
        expectEqual(backend.requests.last?.fields[.authorization], "Bearer \(soon.access)")
    }

    @Test
    func `A result of a refresh that cannot be stored is kept, and stored before the next request`() async throws {
        let keychain = RecordedKeychain()
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.authTokensClient) var authTokensClient
            @Dependency(\.jwtAuthClient) var client
            try await authTokensClient.save(try backend.issue(life: -10))
            backend.on("/auth/refresh") { [backend] request in
                keychain.failWrites(.storeFull)
                return try backend.refresh(request)
            }
            let error = await failure { try await client.sendAuthenticated(.get("/user/profile")) }
            guard case KeychainError.savingFailed(_)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            keychain.failWrites(nil)
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(answer.data.name, "Ada")
        }
        expectEqual(backend.refreshes, 1)
    }

    @Test func `A refresh that answers with no JWT is stored, and reported as an invalid token`() async throws {
        let expired = try backend.issue(life: -10)
        let opaque = AuthTokens(access: "opaque", refresh: "next")
        try await backend.run(
            keychain: .inMemory(expired), { values, _ in values.jwtAuthClient.refresh = { _ in opaque } }
        ) {
            @Dependency(\.jwtAuthClient) var client
            @Dependency(\.authTokensClient) var authTokensClient
            await #expect(throws: AuthTokens.Error.invalidToken) {
                try await client.sendAuthenticated(.get("/user/profile"))
            }
            let kept = try await authTokensClient.load()
            expectEqual(kept, opaque)
        }
        #expect(backend.requests.isEmpty)
    }
}
