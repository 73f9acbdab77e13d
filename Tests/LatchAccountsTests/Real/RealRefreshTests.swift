// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct RealRefreshTests {
    @Test(.tags(.concurrentRefresh), arguments: RealBackend.Connection.allCases)
    func `A session at the real server makes one refresh for a thousand calls across an expiry`(
        way: RealBackend.Connection
    ) async throws {
        try await RealBackend.run(way) { backend, _ in
            let client = try await backend.signedIn()
            backend.passTime(901)
            let succeeded = try await withThrowingTaskGroup(of: Account.self) { group in
                for _ in 0..<1_000 { group.addTask { try await client.profile() } }
                return try await group.reduce(0) { count, _ in count + 1 }
            }
            expectEqual(succeeded, 1_000)
            try await expectEqual(backend.issued("refresh_token"), 1)
        }
    }

    @Test
    func `A session at the real server lasts thirty days and no longer, however often it refreshes`() async throws {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            for _ in 0..<29 {
                backend.passTime(86_400)
                _ = try await client.profile()
            }
            backend.passTime(2 * 86_400)
            await #expect(throws: AuthError.reauthenticationRequired) { try await client.profile() }
        }
    }

    @Test(arguments: [1.0, 29, 3_600])
    func `A session at the real server survives a lost answer, and repeats the refresh later`(later: TimeInterval)
        async throws
    {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            backend.passTime(901)
            backend.network.withLock {
                $0 = { request, server in
                    _ = try await server.respond(to: request)
                    throw HTTPError.timeout
                }
            }
            await #expect(throws: HTTPError.timeout) { try await client.profile() }
            #expect(client.session.currentState.isSignedIn)

            backend.network.withLock { $0 = { try await $1.respond(to: $0) } }
            backend.passTime(later)
            try await expectEqual(client.profile().email, RealBackend.email)
        }
    }

    @Test(.tags(.refreshFailure))
    func `A session at the real server survives being offline, refused with 503 and limited`() async throws {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            backend.passTime(901)
            for status in [0, 503, 429, 500] {
                backend.network.withLock {
                    $0 = { _, _ in
                        guard status > 0 else { throw HTTPError.offline }
                        return HTTPResponse(status: HTTPStatus(rawValue: status))
                    }
                }
                await #expect(throws: HTTPError.self) { try await client.profile() }
                #expect(client.session.currentState.isSignedIn)
                // The issuer is asked five times within half a minute at most.
                backend.passTime(31)
            }
            backend.network.withLock { $0 = { try await $1.respond(to: $0) } }
            try await expectEqual(client.profile().email, RealBackend.email)
        }
    }

    @Test(.tags(.refreshReuse))
    func `A session at the real server ends with its family when a stolen refresh token is used`()
        async throws
    {
        try await RealBackend.run { backend, _ in
            let victim = try await backend.signedIn()
            let other = try backend.client()
            try await other.signIn(email: RealBackend.email, password: RealBackend.password)

            let stolen = try await victim.session.credential()
            backend.passTime(901)
            _ = try await victim.profile()
            backend.passTime(31)
            let thief = try backend.client(store: InMemoryTokenStore(stolen))
            await #expect(throws: AuthError.reauthenticationRequired) { try await thief.profile() }
            await #expect(throws: AuthError.reauthenticationRequired) { try await victim.profile() }
            expectEqual(victim.session.currentState, .signedOut(.issuer))
            try await expectEqual(other.profile().email, RealBackend.email)
        }
    }

    @Test(.tags(.accountLogout))
    func `A session at the real server stays signed out when a refresh answers after the sign-out`() async throws {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            backend.passTime(901)
            let (arrived, signal) = AsyncStream.makeStream(of: Void.self)
            let (released, release) = AsyncStream.makeStream(of: Void.self)
            backend.network.withLock {
                $0 = { request, server in
                    let response = try await server.respond(to: request)
                    guard request.path.hasSuffix("refresh-token") else { return response }
                    signal.yield()
                    for await _ in released { break }
                    return response
                }
            }
            let waiter = Task { try await client.profile() }
            for await _ in arrived { break }
            #expect(try await client.signOut())
            release.yield()
            await #expect(throws: AuthError.superseded) { try await waiter.value }
            expectEqual(client.session.currentState, .signedOut(.user))
            await #expect(throws: AuthError.missingToken) { try await client.profile() }
        }
    }

    @Test func `A session at the real server goes on in a new process from the encrypted file`() async throws {
        try await RealBackend.run { backend, folder in
            let key = SymmetricKey(size: .bits256)
            func store() -> SecretTokenStore<Tokens> {
                SecretTokenStore(
                    EncryptedFileSecretStore(path: "\(folder)/tokens", key: .given(key)), name: "auth")
            }
            let first = try await backend.signedIn(store: store())
            backend.passTime(901)
            _ = try await first.profile()
            let second = try backend.client(store: store())
            try await expectEqual(second.profile().email, RealBackend.email)
            try await expectEqual(backend.issued("refresh_token"), 1)
        }
    }

    @Test(.tags(.unchangedCurrentUser))
    func `A session at the real server can be refreshed by two programs over one store without a loss`() async throws {
        try await RealBackend.run { backend, folder in
            let store = InMemoryTokenStore<Tokens>()
            let first = try await backend.signedIn(store: store)
            let second = try backend.client(store: store)
            for _ in 0..<10 {
                backend.passTime(901)
                async let one = first.profile()
                async let two = second.profile()
                try await expectEqual(one.id, two.id)
            }
            #expect(first.session.currentState.isSignedIn && second.session.currentState.isSignedIn)
        }
    }
}
