// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchTesting
import TestTags
import Testing

/// A refresh that waits until a test lets it answer.
private final class HeldRefresh: Sendable {
    private let begun = AsyncStream.makeStream(of: Void.self)
    private let released = AsyncStream.makeStream(of: Void.self)

    func answer(_ tokens: Tokens) async -> Tokens {
        begun.continuation.yield()
        for await _ in released.stream { break }
        return tokens
    }

    func hasBegun() async { for await _ in begun.stream { return } }
    func release() { released.continuation.yield() }
}

@Suite struct AccountIsolationTests {
    @Test(.tags(.accountIsolation))
    func `Accounts side by side are isolated: a refresh of one, however late, never touches another`() async throws {
        try await withTemporaryFolder { folder in
            let held = HeldRefresh()
            let list = accountList(in: folder) { entry, _ in
                expectEqual(entry.name, "ada")
                return await held.answer(Tokens(access: "ada 2", refresh: "ra2"))
            }
            let old = Tokens(access: "ada 1", refresh: "ra1")
            let ada = try await list.signIn(old, as: "ada", issuer: idIssuer)
            let adaSession = try await list.session(for: ada.id)
            async let refreshed = adaSession.refreshed(replacing: old)
            await held.hasBegun()

            // Somebody else signs in, and is current, while the refresh is on its way.
            let bob = try await list.signIn(Tokens(access: "bob 1", refresh: "rb1"), as: "bob", issuer: idIssuer)
            let bobSession = try await list.session(for: bob.id)
            var states = bobSession.states.makeAsyncIterator()
            await expectEqual(states.next()?.credential?.access, "bob 1")
            held.release()
            try await expectEqual(refreshed.access, "ada 2")

            try await expectEqual(bobSession.credential().access, "bob 1")
            try await expectEqual(adaSession.credential().access, "ada 2")
            try await expectEqual(list.content().current, bob)
            // A program that starts now finds both as they are.
            let later = accountList(in: folder)
            try await expectEqual(later.session(for: ada.id).credential().access, "ada 2")
            try await expectEqual(later.session(for: bob.id).credential().access, "bob 1")
            try await bobSession.signOut()
            await expectEqual(states.next(), .signedOut(.user))
        }
    }

    @Test(.tags(.logoutDuringRefresh))
    func `A refresh that ends after its account was removed leaves nothing behind`() async throws {
        try await withTemporaryFolder { folder in
            let held = HeldRefresh()
            let list = accountList(in: folder) { _, _ in await held.answer(Tokens(access: "late", refresh: "late")) }
            let old = Tokens(access: "ada 1", refresh: "ra1")
            let ada = try await list.signIn(old, as: "ada", issuer: idIssuer)
            let bob = try await list.signIn(Tokens(access: "bob 1"), as: "bob", issuer: idIssuer)
            let session = try await list.session(for: ada.id)
            let refresh = Task { try await session.refreshed(replacing: old) }
            await held.hasBegun()
            try await list.remove(ada.id)
            held.release()
            await #expect(throws: AuthError.superseded) { try await refresh.value }
            let secrets = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
            try await expectEqual(secrets.names(), ["account.\(bob.id)", "accounts"])
            try await expectEqual(list.content().entries, [bob])
        }
    }

    @Test func `Accounts side by side that the issuer ended leave the others signed in`() async throws {
        try await withTemporaryFolder { folder in
            let list = accountList(in: folder) { entry, _ in
                if entry.name == "ada" { throw AuthError.reauthenticationRequired }
                return Tokens(access: "bob 2", refresh: "rb2")
            }
            let ada = try await list.signIn(Tokens(access: "a", refresh: "ra"), as: "ada", issuer: idIssuer)
            let bob = try await list.signIn(Tokens(access: "b", refresh: "rb"), as: "bob", issuer: idIssuer)
            let (one, other) = (try await list.session(for: ada.id), try await list.session(for: bob.id))
            let tokens = (try await one.credential(), try await other.credential())
            await #expect(throws: AuthError.reauthenticationRequired) { try await one.refreshed(replacing: tokens.0) }
            try await expectEqual(other.refreshed(replacing: tokens.1).access, "bob 2")
            expectEqual(one.currentState, .signedOut(.issuer))
            #expect(other.currentState.isSignedIn)
            // Both are still in the list: the one can be signed in again.
            try await expectEqual(list.content().entries, [ada, bob])
        }
    }

    @Test func `Accounts side by side refresh at once without waiting for each other`() async throws {
        try await withTemporaryFolder { folder in
            let held = HeldRefresh()
            let list = accountList(in: folder) { entry, _ in
                if entry.name == "slow" { return await held.answer(Tokens(access: "slow 2")) }
                return Tokens(access: "\(entry.name) 2")
            }
            var sessions: [Session<Tokens>] = []
            for name in ["slow", "bob", "cleo"] {
                let entry = try await list.signIn(
                    Tokens(access: name, expiry: Date(timeIntervalSinceNow: -1)), as: name, issuer: idIssuer)
                sessions.append(try await list.session(for: entry.id))
            }
            let slow = sessions[0]
            async let late = slow.credential()
            await held.hasBegun()
            try await expectEqual(sessions[1].credential().access, "bob 2")
            try await expectEqual(sessions[2].credential().access, "cleo 2")
            held.release()
            try await expectEqual(late.access, "slow 2")
        }
    }
}
