// SPDX-License-Identifier: Apache-2.0

import Expectations
import JWTAuthDependencies
import LatchAuth
import LatchCore
import LatchTesting
import TestTags
import Testing

@Suite struct StorageTests {
    let backend: Backend
    let keychain = RecordedKeychain()

    init() throws { backend = try Backend() }

    @Test(.tags(.tokenSaving))
    func `Saving is seen in memory and in the keychain, and destroying in both`() async throws {
        let tokens = try backend.issue()
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.authTokensClient) var authTokensClient
            @Dependency(\.keychainClient) var keychainClient
            @Shared(.authSession) var session
            try await authTokensClient.save(tokens)
            expectEqual(session, .valid(tokens))
            try await expectEqual(keychainClient.load(.accessToken), tokens.access)
            try await expectEqual(keychainClient.load(.refreshToken), tokens.refresh)
            try await expectEqual(keychainClient.loadTokens(), tokens)
            try await authTokensClient.destroy()
            expectEqual(session, .missing)
            try await expectNil(keychainClient.load(.accessToken))
            try await expectNil(keychainClient.load(.refreshToken))
            try await authTokensClient.set(tokens)
            expectEqual(session, .valid(tokens))
            try await authTokensClient.set(nil)
            expectEqual(session, .missing)
        }
        #expect(keychain.memory.names().isEmpty)
    }

    @Test(.tags(.atomicSaving), arguments: [AuthError.storeFull, .storeLocked, .storeDenied])
    func `A failing write leaves pair and session unchanged, and is reported`(reason: AuthError) async throws {
        let tokens = try backend.issue()
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.authTokensClient) var authTokensClient
            @Dependency(\.keychainClient) var keychainClient
            @Shared(.authSession) var session
            try await authTokensClient.save(tokens)
            keychain.failWrites(reason)
            let next = try backend.issue()
            let saving = await failure { try await authTokensClient.save(next) } as? KeychainError
            expectEqual(saving, .savingFailed(message: reason.message))
            expectEqual(saving?.reason, reason)
            let destroying = await failure { try await authTokensClient.destroy() } as? KeychainError
            expectEqual(destroying?.reason, reason)
            expectEqual(session, .valid(tokens))
            try await expectEqual(keychainClient.loadTokens(), tokens)
        }
    }

    @Test(.tags(.sessionLoading))
    func `Before a session is loaded nothing is known, and without tokens no user is signed in`()
        async throws
    {
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            expectNil(session)
            try await client.loadSession()
            expectEqual(session, .missing)
        }
    }

    @Test(.tags(.sessionLoading), arguments: [900.0, -10])
    func `A session loads the saved pair, and reads the keychain once`(life: Double) async throws {
        let tokens = try backend.issue(life: life)
        try await backend.run(keychain: keychain.client) {
            try await Dependency(\.authTokensClient).wrappedValue.save(tokens)
        }
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            try await client.loadSession()
            expectEqual(session, life > 0 ? .valid(tokens) : .expired(tokens))
            let reads = keychain.reads
            try await client.loadSession()
            expectEqual(keychain.reads, reads)
        }
    }

    @Test(.tags(.sessionLoading)) func `Half a pair does not count, and is deleted`() async throws {
        keychain.memory.write(Array("lonely".utf8), for: "JWTAuth.refreshToken")
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            try await client.loadSession()
            expectEqual(session, .missing)
        }
        #expect(keychain.memory.names().isEmpty)
    }

    @Test(.tags(.sessionLoading))
    func `A locked keychain is an error, and the session stays unknown until it opens`() async throws {
        let tokens = try backend.issue()
        try await backend.run(keychain: keychain.client) {
            try await Dependency(\.authTokensClient).wrappedValue.save(tokens)
        }
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            keychain.failReads(.storeLocked)
            let error = await failure { try await client.loadSession() } as? KeychainError
            expectEqual(error, .loadingFailed(message: AuthError.storeLocked.message))
            expectEqual(error?.reason, .storeLocked)
            expectNil(session)
            let sending = await failure { try await client.sendAuthenticated(.get("/user/profile")) }
            expectEqual((sending as? KeychainError)?.reason, .storeLocked)
            keychain.failReads(nil)
            try await client.loadSession()
            expectEqual(session, .valid(tokens))
        }
    }

    @Test(.tags(.sessionLoading)) func `A login wins over loads in progress`() async throws {
        let old = try backend.issue()
        let new = try backend.issue()
        try await backend.run(keychain: .inMemory(old)) {
            @Dependency(\.authTokensClient) var authTokensClient
            @Shared(.authSession) var session
            let client = Dependency(\.jwtAuthClient).wrappedValue
            let loads = Task {
                await atOnce(50) { _ in await failure { try await client.loadSession() } }
            }
            try await authTokensClient.save(new)
            #expect(await loads.value.allSatisfy { $0 == nil })
            expectEqual(session, .valid(new))
        }
    }

    @Test func `A damaged record is an error, and a login replaces it`() async throws {
        keychain.memory.write(Array("{".utf8), for: "JWTAuth.authSession")
        let tokens = try backend.issue()
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            let error = await failure { try await client.loadSession() } as? KeychainError
            expectEqual(error?.reason, .storeCorrupt)
            expectNil(session)
            try await Dependency(\.authTokensClient).wrappedValue.save(tokens)
            expectEqual(session, .valid(tokens))
        }
    }

    @Test func `A session in files lives on from one process to the next`() async throws {
        let tokens = try backend.issue()
        try await withTemporaryFolder { folder in
            func client() -> KeychainClient {
                KeychainClient(
                    over: EncryptedFileSecretStore(
                        path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key")),
                    coordination: FileCoordination(path: "\(folder)/session"))
            }
            try await backend.run(keychain: client()) {
                try await Dependency(\.authTokensClient).wrappedValue.save(tokens)
            }
            try await backend.run(keychain: client()) {
                let kept = try await Dependency(\.authTokensClient).wrappedValue.load()
                expectEqual(kept, tokens)
            }
        }
    }
}
