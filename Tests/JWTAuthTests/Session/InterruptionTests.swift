// SPDX-License-Identifier: Apache-2.0

import Expectations
import JWTAuthDependencies
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite struct InterruptionTests {
    let backend: Backend
    /// The gate at which the refresh waits at the server.
    let gate = Gate()

    init() throws {
        backend = try Backend()
        backend.on("/auth/refresh") { [backend, gate] request in
            await gate.pass()
            return try backend.refresh(request)
        }
    }

    @Test(.tags(.waiterCancellation))
    func `A canceled caller leaves a refresh, and the others get their answers`() async throws {
        let expired = try backend.issue(life: -10)
        try await backend.run(keychain: .inMemory(expired)) {
            let client = Dependency(\.jwtAuthClient).wrappedValue
            let first = Task { await failure { try await client.sendAuthenticated(.get("/user/profile")) } }
            await gate.reached()
            let others = Task {
                await atOnce(10) { _ in await failure { try await client.sendAuthenticated(.get("/user/profile")) } }
            }
            first.cancel()
            #expect(await first.value is CancellationError)
            gate.open()
            #expect(await others.value.allSatisfy { $0 == nil })
        }
        expectEqual(backend.refreshes, 1)
    }

    @Test(.tags(.logoutDuringRefresh)) func `A logout during a refresh remains a logout`() async throws {
        let expired = try backend.issue(life: -10)
        let keychain = RecordedKeychain()
        try await backend.run(keychain: keychain.client) {
            let client = Dependency(\.jwtAuthClient).wrappedValue
            @Dependency(\.authTokensClient) var authTokensClient
            @Shared(.authSession) var session
            try await authTokensClient.save(expired)
            let waiting = Task { await failure { try await client.sendAuthenticated(.get("/user/profile")) } }
            await gate.reached()
            try await authTokensClient.destroy()
            await expectEqual(waiting.value as? AuthTokens.Error, .missingToken)
            gate.open()
            // The answer of the refresh arrives, and is dropped.
            expectEqual(session, .missing)
            try await expectNil(authTokensClient.load())
        }
        #expect(backend.requests(to: "/user/profile").isEmpty)
        #expect(keychain.memory.names().isEmpty)
    }

    @Test(.tags(.logoutDuringRefresh))
    func `The login of another user during a refresh stays, and nothing is sent with its token`() async throws {
        let expired = try backend.issue(life: -10)
        try await backend.run(keychain: .inMemory(expired)) {
            let client = Dependency(\.jwtAuthClient).wrappedValue
            @Dependency(\.authTokensClient) var authTokensClient
            @Shared(.authSession) var session
            let waiting = Task { await failure { try await client.sendAuthenticated(.post("/transfer")) } }
            await gate.reached()
            let other = AuthTokens(access: try backend.access(claims: ["name": "Bob"]), refresh: "bob")
            try await authTokensClient.save(other)
            await expectEqual(waiting.value as? AuthError, .superseded)
            gate.open()
            expectEqual(session, .valid(other))
            try await expectEqual(Dependency(\.keychainClient).wrappedValue.loadTokens(), other)
        }
        #expect(backend.requests(to: "/transfer").isEmpty)
    }

    @Test func `A refresh closure that saves by itself neither waits for itself nor signs in again`() async throws {
        let expired = try backend.issue(life: -10)
        gate.open()
        try await backend.run(
            keychain: .inMemory(expired),
            { values, _ in
                values.jwtAuthClient.refresh = { tokens in
                    let fresh = try await Backend.refresh(tokens)
                    try await Dependency(\.authTokensClient).wrappedValue.set(fresh)
                    return fresh
                }
            }
        ) {
            @Dependency(\.jwtAuthClient) var client
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(answer.data.name, "Ada")
        }
        expectEqual(backend.refreshes, 1)
    }

    @Test func `A token that a refresh closure saved before it failed is not lost`() async throws {
        struct Broken: Error {}
        let expired = try backend.issue(life: -10)
        gate.open()
        try await backend.run(
            keychain: .inMemory(expired),
            { values, _ in
                values.jwtAuthClient.refresh = { tokens in
                    try await Dependency(\.authTokensClient).wrappedValue.save(try await Backend.refresh(tokens))
                    throw Broken()
                }
            }
        ) {
            @Dependency(\.jwtAuthClient) var client
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(answer.data.name, "Ada")
        }
    }

    @Test
    func `A refresh closure that sends with a token sends without one, and one that signs out signs out`() async throws
    {
        let expired = try backend.issue(life: -10)
        gate.open()
        try await backend.run(
            keychain: .inMemory(expired),
            { values, _ in
                values.jwtAuthClient.refresh = { tokens in
                    let client = Dependency(\.jwtAuthClient).wrappedValue
                    _ = await failure { try await client.sendAuthenticated(.get("/status")) }
                    await expectEqual(
                        failure { try await client.refreshExpiredTokens() } as? AuthError, .refreshReentered)
                    try await Dependency(\.authTokensClient).wrappedValue.destroy()
                    return tokens
                }
            }
        ) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            await #expect(throws: AuthTokens.Error.missingToken) { try await client.refreshExpiredTokens() }
            expectEqual(session, .missing)
        }
        expectEqual(backend.authorizations, [nil])
    }

    @Test func `A refresh whose answer was lost is repeated under its key`() async throws {
        let expired = try backend.issue(life: -10)
        gate.open()
        backend.on("/auth/refresh") { [backend] request in
            backend.refreshes == 1 ? .json("{}", status: .serviceUnavailable) : try backend.refresh(request)
        }
        try await backend.run(keychain: .inMemory(expired)) {
            @Dependency(\.jwtAuthClient) var client
            _ = await failure { try await client.refreshExpiredTokens() }
            try await client.refreshExpiredTokens()
            let _: SuccessResponse<Profile> = try await client.send(.post("/user/profile")) {
                bearerAuth(backend.state.withLock { $0.accepted.first ?? "" })
            }
        }
        let keys = backend.requests(to: "/auth/refresh").map { $0.fields[.idempotencyKey] }
        #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
        expectNil(backend.requests(to: "/user/profile").first?.fields[.idempotencyKey])
    }

    @Test func `A refresh that a crash has interrupted is repeated under its key at the next start`() async throws {
        let keychain = RecordedKeychain()
        gate.open()
        backend.on("/auth/refresh") { _ in .json("{}", status: .serviceUnavailable) }
        try await backend.run(keychain: keychain.client) {
            try await Dependency(\.authTokensClient).wrappedValue.save(try backend.issue(life: -10))
            _ = await failure { try await Dependency(\.jwtAuthClient).wrappedValue.refreshExpiredTokens() }
        }
        backend.state.withLock { $0.answers = [:] }
        try await backend.run(keychain: keychain.client) {
            try await Dependency(\.jwtAuthClient).wrappedValue.refreshExpiredTokens()
        }
        let keys = backend.requests(to: "/auth/refresh").map { $0.fields[.idempotencyKey] }
        #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
    }

    @Test(.tags(.concurrentRefresh)) func `Several sessions over one keychain make one refresh`() async throws {
        let expired = try backend.issue(life: -10)
        gate.open()
        try await withTemporaryFolder { folder in
            // As in several processes, each has clients of its own; what they share is on the disk.
            @Sendable func keychain() -> KeychainClient {
                KeychainClient(
                    over: EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key")),
                    coordination: FileCoordination(path: "\(folder)/session"))
            }
            try await backend.run(keychain: keychain()) {
                try await Dependency(\.authTokensClient).wrappedValue.save(expired)
                let failures = await atOnce(8) { _ in
                    await withDependencies {
                        $0.keychainClient = keychain()
                    } operation: {
                        let client = Dependency(\.jwtAuthClient).wrappedValue
                        return await atOnce(25) { _ in
                            await failure { try await client.sendAuthenticated(.get("/user/profile")) }
                        }
                    }
                }
                #expect(failures.joined().allSatisfy { $0 == nil })
            }
        }
        expectEqual(backend.refreshes, 1)
        expectEqual(backend.requests(to: "/user/profile").count, 200)
    }
}
