// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@testable import LatchIdentity

@Suite struct AccountSecurityTests {
    private typealias Connection = RealBackend.Connection

    @Test(arguments: RealBackend.Connection.allCases)
    func `A user who secures the account signs in with a second factor in two steps`(
        way: RealBackend.Connection
    ) async throws {
        try await RealBackend.run(way) { backend, _ in
            let phone = try await backend.signedIn()
            let codes = try await backend.enrolSecondFactor(of: phone)
            let laptop = try backend.client()
            await #expect(throws: AccountError.wrongCredentials) {
                try await laptop.beginSignIn(name: RealBackend.email, password: "not the password")
            }
            let challenge = try #require(
                try await laptop.beginSignIn(name: RealBackend.email, password: RealBackend.password))
            #expect(!laptop.session.currentState.isSignedIn)
            await #expect(throws: AccountError.wrongCode) {
                try await laptop.completeSignIn(challenge, code: "000000")
            }
            try await laptop.completeSignIn(challenge, code: try #require(codes.first))
            try await expectEqual(laptop.profile().email, RealBackend.email)
            // The session outlives a day, and refreshes as every other one.
            backend.passTime(2 * 86_400)
            try await expectEqual(laptop.profile().email, RealBackend.email)
            #expect(!"\(challenge) \(String(reflecting: challenge))".contains("lc1."))
        }
    }

    @Test func `A user who secures the account begins again when the challenge has expired`() async throws {
        try await RealBackend.run { backend, _ in
            let phone = try await backend.signedIn()
            let codes = try await backend.enrolSecondFactor(of: phone)
            let laptop = try backend.client()
            let challenge = try #require(
                try await laptop.beginSignIn(name: RealBackend.email, password: RealBackend.password))
            backend.passTime(301)
            let error = await #expect(throws: AccountError.refused) {
                try await laptop.completeSignIn(challenge, code: try #require(codes.first))
            }
            expectEqual(error?.serverCode, "invalidToken")
        }
    }

    @Test
    func `A user who secures the account signs in by the account route if the server has no user service`() async throws
    {
        try await RealBackend.run(change: { $0.hasUserService = false }) { backend, _ in
            let client = try backend.client()
            try await client.signUp(email: RealBackend.email, password: RealBackend.password)
            let challenge = try await client.beginSignIn(name: RealBackend.email, password: RealBackend.password)
            #expect(challenge == nil && client.session.currentState.isSignedIn)
        }
    }

    @Test(arguments: RealBackend.Connection.allCases)
    func `A user who secures the account changes the password, and only this session stays signed in`(
        way: RealBackend.Connection
    ) async throws {
        try await RealBackend.run(way) { backend, _ in
            let phone = try await backend.signedIn()
            let laptop = try backend.client()
            try await laptop.signIn(email: RealBackend.email, password: RealBackend.password)
            await #expect(throws: AccountError.wrongCredentials) {
                try await phone.changePassword(from: "not the password", to: "another sentence")
            }
            let weak = await #expect(throws: AccountError.refused) {
                try await phone.changePassword(from: RealBackend.password, to: "short")
            }
            expectEqual(weak?.status, .badRequest)
            try await phone.changePassword(from: RealBackend.password, to: "another sentence")
            _ = try await phone.profile()
            await #expect(throws: AuthError.reauthenticationRequired) { try await laptop.profile() }
            try await laptop.signIn(email: RealBackend.email, password: "another sentence")
        }
    }

    @Test func `A user who secures the account sees the devices, and signs out all others`() async throws {
        try await RealBackend.run { backend, _ in
            let phone = try await backend.signedIn()
            for _ in 0..<2 {
                try await backend.client().signIn(email: RealBackend.email, password: RealBackend.password)
            }
            let devices = try await phone.devices()
            #expect(devices.count == 3 && devices.filter(\.isCurrent).count == 1)
            #expect(devices.allSatisfy { $0.lastUse != nil })
            try await phone.signOutOtherDevices()
            try await expectEqual(phone.devices().map(\.isCurrent), [true])
            let gone = await #expect(throws: AccountError.refused) {
                try await phone.signOut(device: devices.first { !$0.isCurrent }?.id ?? "")
            }
            expectEqual(gone?.serverCode, "noSuchDevice")
        }
    }

    @Test func `A user who secures the account sets up, replaces and removes a second factor`() async throws {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            let setup = try await client.beginSecondFactor()
            #expect(setup.uri.hasPrefix("otpauth://totp/") && !setup.recoveryCodes.isEmpty)
            #expect(!"\(setup) \(String(reflecting: setup))".contains(setup.secret))
            await #expect(throws: AccountError.wrongCode) { try await client.confirmSecondFactor(code: "000000") }
            let codes = try await backend.enrolSecondFactor(of: client)
            let new = try await client.replaceRecoveryCodes(code: try #require(codes.first))
            #expect(new.count == codes.count && Set(new).isDisjoint(with: codes))
            await #expect(throws: AccountError.wrongCode) {
                try await client.removeSecondFactor(code: try #require(codes.last))
            }
            try await client.removeSecondFactor(code: try #require(new.first))
            let challenge = try await backend.client().beginSignIn(
                name: RealBackend.email, password: RealBackend.password)
            expectNil(challenge)
        }
    }

    @Test func `A user who secures the account edits the profile, and confirms another address by mail`() async throws {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            var profile = try await client.accountProfile()
            #expect(profile.role == "user" && profile.creationDate != nil)
            profile.firstName = "Ada"
            profile.lastName = "Lovelace"
            profile.email = "ada@example.org"
            let saved = try await client.update(profile)
            #expect(saved.firstName == "Ada" && saved.email == RealBackend.email)
            await expectEqual(backend.mailedToken(to: "ada@example.org").isEmpty, false)

            backend.passTime(901)
            await #expect(throws: AuthError.stepUpRequired) { try await client.deleteAccount() }
            #expect(client.session.currentState.isSignedIn)
            try await client.reauthenticate(password: RealBackend.password)
            try await client.deleteAccount()
            expectEqual(client.session.currentState, .signedOut(.user))
        }
    }
}
