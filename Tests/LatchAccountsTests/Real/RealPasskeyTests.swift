// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentityTesting
import LatchTesting
import Testing

@testable import LatchIdentity

/// A user whose device is a virtual authenticator, at the real server.
@Suite(.timeLimit(.minutes(1))) struct RealPasskeyTests {
    @Test
    func `A user with a passkey signs in on another device, without a password and with both factors`() async throws {
        try await RealBackend.run { backend, _ in
            let phone = try await backend.signedIn()
            _ = try await backend.enrolSecondFactor(of: phone)
            try await expectEqual(phone.signInMethods().passkeys, 0)
            let passkeys = VirtualPasskeys()
            let added = try await phone.addPasskey(from: passkeys, named: "Phone")
            #expect(added.name == "Phone" && added.isSynced && added.isBackedUp && added.lastUsedAt == nil)
            try await expectEqual(phone.signInMethods().passkeys, 1)

            backend.passTime(60)
            let tablet = try backend.client()
            try await tablet.signIn(withPasskeyFrom: passkeys)
            expectEqual(tablet.account?.email, RealBackend.email)
            let listed = try #require(try await tablet.passkeys().first)
            #expect(listed.id == added.id && listed.createdAt == added.createdAt)
            #expect(try #require(listed.lastUsedAt).timeIntervalSince(added.createdAt) >= 59)
        }
    }

    @Test func `A user with a passkey authenticates again with it, and not with another account's`() async throws {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            let (own, other) = (VirtualPasskeys(), VirtualPasskeys())
            try await client.addPasskey(from: own)
            try await backend.signedIn(as: "bob@example.com").addPasskey(from: other)
            backend.passTime(901)
            await #expect(throws: AuthError.stepUpRequired) { try await client.addPasskey(from: other) }
            #expect(client.session.stepUp != nil)
            await #expect(throws: AccountError.noPasskey) { try await client.reauthenticate(withPasskeyFrom: other) }
            let foreign = try await client.passkeyAssertion(from: other)
            await #expect(throws: AccountError.passkeyRefused) { try await client.reauthenticate(with: foreign) }
            #expect(client.session.stepUp != nil && client.session.currentState.isSignedIn)
            try await client.reauthenticate(withPasskeyFrom: own)
            expectNil(client.session.stepUp)
            await #expect(throws: AccountError.passkeyExists) { try await client.addPasskey(from: own) }
        }
    }

    @Test
    func `A user with a passkey authenticates again on a device that also has another account's passkey`() async throws
    {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            let shared = VirtualPasskeys()
            await #expect(throws: AccountError.noPasskey) { try await client.reauthenticate(withPasskeyFrom: shared) }
            try await client.addPasskey(from: shared)
            try await backend.signedIn(as: "bob@example.com").addPasskey(from: shared)
            backend.passTime(901)
            await #expect(throws: AuthError.stepUpRequired) { try await client.addPasskey(from: shared) }
            // The device would take Bob's, which is the newest one.
            try await client.reauthenticate(withPasskeyFrom: shared)
            expectNil(client.session.stepUp)
        }
    }

    @Test func `A user with a passkey renames it, and removes it, and it then signs no user in`() async throws {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            let passkeys = VirtualPasskeys()
            let added = try await client.addPasskey(from: passkeys)
            #expect(!added.name.isEmpty)
            try await expectEqual(client.renamePasskey(added.id, to: "Old phone").name, "Old phone")
            try await client.removePasskey(added.id)
            #expect(try await client.passkeys().isEmpty)
            let tablet = try backend.client()
            await #expect(throws: AccountError.passkeyRefused) { try await tablet.signIn(withPasskeyFrom: passkeys) }
            #expect(!tablet.session.currentState.isSignedIn)
            let gone = await #expect(throws: AccountError.refused) { try await client.removePasskey(added.id) }
            #expect(gone?.status == .notFound && gone?.serverCode == "noSuchPasskey")
        }
    }

    @Test
    func `A user with a passkey begins again with a signature that is too late or was used before`() async throws {
        try await RealBackend.run { backend, _ in
            let passkeys = VirtualPasskeys()
            try await backend.signedIn().addPasskey(from: passkeys)
            let client = try backend.client()
            let assertion = try await client.passkeyAssertion(from: passkeys)
            try await client.signIn(with: assertion)
            let used = await #expect(throws: AccountError.self) { try await backend.client().signIn(with: assertion) }
            expectEqual(used?.serverCode, "passkeyChallengeExpired")
            let late = try await client.passkeyAssertion(from: passkeys)
            backend.passTime(301)
            let expired = await #expect(throws: AccountError.self) { try await backend.client().signIn(with: late) }
            expectEqual(expired?.serverCode, "passkeyChallengeExpired")
        }
    }

    @Test func `A user with a passkey is signed in by a suggestion`() async throws {
        try await RealBackend.run { backend, _ in
            let passkeys = VirtualPasskeys(suggestsPasskeys: true)
            try await backend.signedIn().addPasskey(from: passkeys)
            let client = try backend.client()
            async let tokens = client.signIn(withPasskeyFrom: passkeys, mediation: .conditional)
            try await passkeys.chooseSuggestion()
            _ = try await tokens
            #expect(client.session.currentState.isSignedIn)
        }
    }

    @Test
    func `A user with a passkey is signed in by the suggestion of the second form, not that of the first`() async throws
    {
        try await RealBackend.run { backend, _ in
            let passkeys = VirtualPasskeys(suggestsPasskeys: true)
            try await backend.signedIn().addPasskey(from: passkeys)
            let first = try backend.client()
            async let signIn = first.signIn(withPasskeyFrom: passkeys, mediation: .conditional)
            try await passkeys.chooseSuggestion()
            _ = try await signIn
            let choice = Task { try await passkeys.chooseSuggestion() }
            let second = try backend.client()
            try await second.signIn(withPasskeyFrom: passkeys, mediation: .conditional)
            try await choice.value
            #expect(second.session.currentState.isSignedIn)
        }
    }

    @Test
    func `A user with a passkey stays signed out without one on the device, or after another choice`() async throws {
        try await RealBackend.run { backend, _ in
            let passkeys = VirtualPasskeys()
            let client = try backend.client()
            await #expect(throws: AccountError.noPasskey) { try await client.signIn(withPasskeyFrom: passkeys) }
            passkeys.isDeclining = true
            await #expect(throws: AccountError.passkeyCancelled) { try await client.signIn(withPasskeyFrom: passkeys) }
            let signedIn = try await backend.signedIn()
            await #expect(throws: AccountError.passkeyCancelled) { try await signedIn.addPasskey(from: passkeys) }
            #expect(try await signedIn.passkeys().isEmpty)
        }
    }
}
