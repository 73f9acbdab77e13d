// SPDX-License-Identifier: Apache-2.0

import Expectations
import JWTAuthDependencies
import LatchAuth
import LatchCore
import LatchTesting
import Synchronization
import Testing

extension KeychainClient.Keys {
    fileprivate static let deviceID = Self(value: "device_id")
}

@Suite struct KeychainClientTests {
    let backend: Backend
    let keychain = RecordedKeychain()

    init() throws { backend = try Backend() }

    @Test func `A keychain client keeps texts under the program's own keys`() async throws {
        let client = keychain.client
        try await expectNil(client.load(.deviceID))
        try await client.save("device_123", as: .deviceID)
        try await client.save("device_124 é", .deviceID)
        try await expectEqual(client.load(.deviceID), "device_124 é")
        try await client.delete(.deviceID)
        try await client.delete(.deviceID)
        try await expectNil(client.load(.deviceID))
    }

    @Test func `A keychain client takes a pair that was saved half by half`() async throws {
        let client = keychain.client
        let tokens = try backend.issue()
        try await client.save(tokens.access, as: .accessToken)
        try await expectNil(client.loadTokens())
        try await client.save(tokens.refresh, as: .refreshToken)
        try await expectEqual(client.loadTokens(), tokens)
        try await backend.run(keychain: client) {
            @Shared(.authSession) var session
            try await Dependency(\.jwtAuthClient).wrappedValue.loadSession()
            expectEqual(session, .valid(tokens))
            try await expectEqual(client.loadTokens(), tokens)
        }
        expectEqual(keychain.memory.names(), ["JWTAuth.authSession"])
    }

    @Test
    func `A keychain client refuses half a pair while a user is signed in, and deletes both halves at once`()
        async throws
    {
        let client = keychain.client
        let tokens = try backend.issue()
        try await backend.run(keychain: client) {
            try await Dependency(\.authTokensClient).wrappedValue.save(tokens)
        }
        await #expect(throws: KeychainError.self) { try await client.save("half", as: .accessToken) }
        try await expectEqual(client.loadTokens(), tokens)
        try await client.delete(.accessToken)
        try await expectNil(client.loadTokens())
        #expect(keychain.memory.names().isEmpty)
    }

    @Test func `A keychain client resets only its own records`() async throws {
        let client = keychain.client
        keychain.memory.write([1], for: "somebody else's")
        try await client.save("a", as: .deviceID)
        try await client.save("b", as: .accessToken)
        try await client.reset()
        expectEqual(keychain.memory.names(), ["somebody else's"])
    }

    @Test(arguments: [AuthError.storeLocked, .storeDenied, .storeCorrupt, .storeUnavailable])
    func `A keychain client says why a record cannot be read, and never that there is none`(reason: AuthError)
        async throws
    {
        keychain.failReads(reason)
        let client = keychain.client
        for error in [
            await failure { try await client.load(.deviceID) }, await failure { try await client.load(.accessToken) },
            await failure { try await client.loadTokens() },
        ] {
            expectEqual(error as? KeychainError, .loadingFailed(message: reason.message))
            expectEqual((error as? KeychainError)?.reason, reason)
        }
        expectNil(KeychainError.loadingFailed(message: "x").reason)
        expectEqual(
            KeychainError.loadingFailed(message: "x").errorDescription, "Loading from keychain failed. Reason: x")
        expectEqual(KeychainError.savingFailed(message: "x").errorDescription, "Saving to keychain failed. Reason: x")
    }

    @Test func `A keychain client made of closures is asked by the session, in the original's layout`() async throws {
        let tokens = try backend.issue()
        let kept = Mutex(["accessToken": tokens.access, "refreshToken": tokens.refresh])
        let locked = Mutex(false)
        let client = KeychainClient(
            save: { value, key in
                if locked.withLock({ $0 }) { throw KeychainError.savingFailed(message: "Access denied") }
                kept.withLock { $0[key.value] = value }
            }, load: { key in kept.withLock { $0[key.value] } },
            delete: { key in kept.withLock { $0[key.value] = nil } }, reset: { kept.withLock { $0 = [:] } })
        try await backend.run(keychain: client) {
            @Shared(.authSession) var session
            @Dependency(\.authTokensClient) var authTokensClient
            try await Dependency(\.jwtAuthClient).wrappedValue.loadSession()
            expectEqual(session, .valid(tokens))
            let next = try backend.issue()
            locked.withLock { $0 = true }
            await #expect(throws: KeychainError.savingFailed(message: "Access denied")) {
                try await authTokensClient.save(next)
            }
            expectEqual(session, .valid(tokens))
            locked.withLock { $0 = false }
            try await authTokensClient.save(next)
            try await expectEqual(client.loadTokens(), next)
            try await authTokensClient.destroy()
        }
        expectEqual(kept.withLock { $0 }, [:])
    }

    @Test func `A logout before anything was read leaves nothing of the original's pair to sign in with`() async throws
    {
        let tokens = try backend.issue()
        try await keychain.client.save(tokens.access, as: .accessToken)
        try await keychain.client.save(tokens.refresh, as: .refreshToken)
        try await backend.run(keychain: keychain.client) {
            try await Dependency(\.authTokensClient).wrappedValue.destroy()
        }
        #expect(keychain.memory.names().isEmpty)
    }

    @Test
    func `A keychain client takes over the pair that the original keeps under bare names beside it`() async throws {
        let tokens = try backend.issue()
        keychain.memory.write(Array(tokens.access.utf8), for: "accessToken")
        keychain.memory.write(Array(tokens.refresh.utf8), for: "refreshToken")
        var client = KeychainClient(over: keychain, prefix: "JWTAuth.default.")
        client.earlier = keychain
        try await backend.run(keychain: client) {
            @Shared(.authSession) var session
            keychain.failWrites(.storeFull)
            _ = await failure { try await Dependency(\.jwtAuthClient).wrappedValue.loadSession() }
            expectNil(session)
            expectEqual(keychain.memory.names(), ["accessToken", "refreshToken"])
            keychain.failWrites(nil)
            try await Dependency(\.jwtAuthClient).wrappedValue.loadSession()
            expectEqual(session, .valid(tokens))
            expectEqual(keychain.memory.names(), ["JWTAuth.default.authSession"])
            try await Dependency(\.authTokensClient).wrappedValue.destroy()
        }
        #expect(keychain.memory.names().isEmpty)
    }

    @Test func `Another account of the program is not given the original's pair`() async throws {
        let tokens = try backend.issue()
        keychain.memory.write(Array(tokens.access.utf8), for: "accessToken")
        keychain.memory.write(Array(tokens.refresh.utf8), for: "refreshToken")
        try await backend.run(keychain: KeychainClient(over: keychain, prefix: "JWTAuth.work.")) {
            let none = try await Dependency(\.authTokensClient).wrappedValue.load()
            expectNil(none)
            try await Dependency(\.authTokensClient).wrappedValue.destroy()
        }
        expectEqual(keychain.memory.names(), ["accessToken", "refreshToken"])
    }
}
